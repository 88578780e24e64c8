import { describe, expect, it } from 'vitest';
import { toFailureWarning } from '../../../src/core/engines/failure-warning.ts';
import { anEngineError } from '../../support/engine-stories.ts';

const RUN = { targets: ['.'], cached: false };

describe('003.R12: the warning of an engine failure', () => {
  it('names engine, kind, command, folder, targets and what the tool said last', () => {
    expect(toFailureWarning(anEngineError(), RUN)).toEqual({
      engine: 'mypy',
      mode: 'target',
      kind: 'TOOL_NOT_FOUND',
      why: 'there is no module mypy',
      exitCode: 1,
      signal: null,
      cwd: '.',
      command: ['/usr/bin/python3', '-m', 'mypy', '.'],
      targets: ['.'],
      said: '/usr/bin/python3: No module named mypy',
      source: 'run',
    });
  });

  it.each([
    ['five', ['a', 'b', 'c', 'd', 'e'], ['a', 'b', 'c', 'd', 'e']],
    ['six', ['a', 'b', 'c', 'd', 'e', 'f'], ['a', 'b', 'c', 'd', 'e', '+1 more']],
    ['a thousand', Array.from({ length: 1000 }, () => 'a'), ['a', 'a', 'a', 'a', 'a', '+995 more']],
  ])('shows the first five of %s targets and arguments', (_count, all, shown) => {
    const warning = toFailureWarning(anEngineError({ argv: all }), { ...RUN, targets: all });

    expect(warning.targets).toEqual(shown);
    expect(warning.command).toEqual(shown);
  });

  it.each([
    ['the last line that is not blank', 'one\ntwo \n\n  \n', 'two'],
    ['no more than 160 characters of it', `${'x'.repeat(161)}\n`, 'x'.repeat(160)],
    ['all of 160 characters', 'y'.repeat(160), 'y'.repeat(160)],
    ['nothing of blank lines', ' \n\n', null],
    ['nothing of nothing', '', null],
  ])('says %s', (_what, stderr, said) => {
    expect(toFailureWarning(anEngineError({ stderr }), RUN).said).toBe(said);
  });

  it('says that it comes from the cache', () => {
    expect(toFailureWarning(anEngineError(), { ...RUN, cached: true }).source).toBe('cache');
  });
});
