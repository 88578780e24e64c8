import { describe, expect, it } from 'vitest';
import { parseFlags, toHint } from '../../src/cli/parse-flags.ts';

const OPTIONS = { base: { type: 'string' }, json: { type: 'boolean' }, sarif: { type: 'boolean' } } as const;

describe('flags', () => {
  it('are read with their values, between other arguments', () => {
    const parsed = parseFlags(['a', '--base', 'main', '--json', '--', '--b'], OPTIONS);

    expect(parsed).toMatchObject({ values: { base: 'main', json: true }, positionals: ['a', '--b'] });
  });

  it.each([
    ['--bsae', "Unknown option '--bsae'; did you mean --base?"],
    ['--Sarif', "Unknown option '--Sarif'; did you mean --sarif?"],
    ['--jsn=1', "Unknown option '--jsn'; did you mean --json?"],
    ['--nothing', "Unknown option '--nothing'"],
    ['-b', "Unknown option '-b'"],
    ['--json=1', '--json takes no value'],
  ])('that are mistyped get a suggestion, others none: %s', (flag, expected) => {
    expect(parseFlags([flag], OPTIONS)).toBe(expected);
  });

  it('of another command are suggested too', () => {
    expect(toHint('chek', ['serve', 'check'])).toBe('; did you mean check?');
    expect(toHint('go', ['serve', 'check'])).toBe('');
  });
});
