import { describe, expect, it } from 'vitest';
import { parseCheckArgs } from '../../src/cli/check-args.ts';

const DEFAULTS = {
  paths: [],
  mode: 'both',
  only: null,
  configs: {},
  base: null,
  timeoutSeconds: null,
  isPlan: false,
  isFix: false,
  format: 'text',
  isFresh: false,
};

describe('the arguments of ratchet check', () => {
  it.each([
    [[], {}],
    [['src', 'a.ts'], { paths: ['src', 'a.ts'] }],
    [['--mode', 'current'], { mode: 'current' }],
    [['--mode=target'], { mode: 'target' }],
    [['--engine', 'eslint', '--engine', 'tsc'], { only: ['eslint', 'tsc'] }],
    [['--config', 'eslint=a=b.js', '--config', 'mypy=m.ini'], { configs: { eslint: 'a=b.js', mypy: 'm.ini' } }],
    [['--base', 'main', '--json', '--fresh'], { base: 'main', format: 'json', isFresh: true }],
    [['--sarif', 'src'], { format: 'sarif', paths: ['src'] }],
    [['--format', 'github', '--fix'], { format: 'github', isFix: true }],
    [['--format=json', '--json', '--plan'], { format: 'json', isPlan: true }],
    [['--plan', '--timeout', '2.5', '--', '--odd'], { isPlan: true, timeoutSeconds: 2.5, paths: ['--odd'] }],
  ])('%j', (argv, expected) => {
    expect(parseCheckArgs(argv)).toEqual({ kind: 'ok', args: { ...DEFAULTS, ...expected } });
  });

  it.each([
    [['--mode', 'all'], '--mode is both, current, target, not "all"'],
    [['--config', 'eslint'], '--config is ID=FILE, not "eslint"'],
    [['--config', '=x'], '--config is ID=FILE, not "=x"'],
    [['--config', 'eslint='], '--config is ID=FILE, not "eslint="'],
    [['--config', 'a=b', '--config', 'a=c'], '--config names "a" twice'],
    [['--timeout', '0'], '--timeout is a number of seconds, not "0"'],
    [['--timeout', 'soon'], '--timeout is a number of seconds, not "soon"'],
    [['--timeout', '86401'], '--timeout is a number of seconds, not "86401"'],
    [[''], 'a path is empty'],
    [['--format', 'xml'], '--format is text, json, sarif, github, not "xml"'],
    [['--format', 'text', '--fixx'], "Unknown option '--fixx'; did you mean --fix?"],
    [['--bas', 'main'], "Unknown option '--bas'; did you mean --base?"],
    [['--nope'], "Unknown option '--nope'"],
    [['--engine'], '--engine needs a value'],
    [['--json=yes'], '--json takes no value'],
  ])('are refused by one line where they are wrong: %j', (argv, problem) => {
    expect(parseCheckArgs(argv)).toEqual({ kind: 'bad', problem, format: 'text' });
  });

  it.each([
    [['--nope', '--json'], 'json'],
    [['--json', '--mode', 'x'], 'json'],
    [['--nope', '--', '--json'], 'text'],
    [['--nope', '--format=json'], 'json'],
    [['--nope', '--sarif'], 'sarif'],
    [['--nope', '--format', 'github'], 'github'],
    [['--nope', '--format'], 'text'],
    [['--json', '--sarif'], 'json'],
    [['--sarif', '--plan'], 'sarif'],
    [['--format', 'github', '--plan'], 'github'],
  ])('are refused in the format that was asked for: %j', (argv, format) => {
    expect(parseCheckArgs(argv)).toMatchObject({ kind: 'bad', format });
  });
});
