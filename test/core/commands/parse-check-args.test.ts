import { describe, expect, it } from 'vitest';
import { parseCheckArgs } from '../../../src/core/commands/parse-check-args.ts';

const SECONDS = 'the flag --timeout takes seconds, from 1 to 3600';

describe('the arguments of /ratchet check', () => {
  it.each([
    [[], null, null],
    [['src'], ['src'], null],
    [['src/', './a.ts', 'a..b'], ['src/', './a.ts', 'a..b'], null],
    [['--timeout', '1'], null, 1],
    [['--timeout=3600', 'src'], ['src'], 3600],
    [['src', '--timeout', '60', 'test'], ['src', 'test'], 60],
  ])('%j are paths and a limit of each engine (C6)', (args, paths, timeoutSeconds) => {
    expect(parseCheckArgs(args)).toEqual({ kind: 'ok', paths, timeoutSeconds });
  });

  it.each([
    [['--timeout'], SECONDS],
    [['--timeout='], SECONDS],
    [['--timeout', '0'], SECONDS],
    [['--timeout', '3601'], SECONDS],
    [['--timeout', '1.5'], SECONDS],
    [['--timeout', '-1'], SECONDS],
    [['--timeout', 'src'], SECONDS],
    [['--fast'], 'there is no flag --fast'],
    [['--timeouts=3'], 'there is no flag --timeouts=3'],
    [['/etc/passwd'], 'the path /etc/passwd does not lie below the root of the repository'],
    [['..'], 'the path .. does not lie below the root of the repository'],
    [['src/../../x'], 'the path src/../../x does not lie below the root of the repository'],
    [[String.raw`a\..\b`], String.raw`the path a\..\b does not lie below the root of the repository`],
    [['~/x'], 'the path ~/x does not lie below the root of the repository'],
    [[String.raw`C:\x`], String.raw`the path C:\x does not lie below the root of the repository`],
  ])('%j are refused with a sentence', (args, why) => {
    expect(parseCheckArgs(args)).toEqual({ kind: 'invalid', why });
  });
});
