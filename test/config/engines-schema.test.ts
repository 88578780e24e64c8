import { describe, expect, it } from 'vitest';
import { parsePolicyFile } from '../../src/config/policy-file.ts';

function read(text: string): unknown {
  const parsed = parsePolicyFile(`engines: ${text}`);
  return parsed.kind === 'ok' ? parsed.layer.engines : parsed.problems.map(({ message }) => message);
}

describe('engines of the policy file', () => {
  it.each([
    ['auto', { auto: true }],
    ['off', null],
    ['false', null],
    ['', null],
    ['{}', { engines: {} }],
    ['{projects: {add: [tools], exclude: ["x/**"]}}', { projects: { add: ['tools'], exclude: ['x/**'] }, engines: {} }],
    ['{mypy: {projects: [a, b]}}', { engines: { mypy: { projects: ['a', 'b'] } } }],
    ['{auto: true, failLevel: blocker}', { auto: true, failLevel: 'blocker', engines: {} }],
    [
      '{eslint: , tsc: true, ruff: false, jest: {}}',
      { engines: { eslint: { enabled: true }, tsc: { enabled: true }, ruff: { enabled: false }, jest: {} } },
    ],
    ['{eslint: {paths: []}}', { engines: { eslint: { paths: [] } } }],
  ])('reads %s', (text, expected) => {
    expect(read(text)).toEqual(expected);
  });

  it('003.R17 003.R18 003.R22: takes exit codes of an engine in three lists, all of them optional', () => {
    expect(read('{eslint: {exitCodes: {success: [3], toolFailure: [2]}}, tsc: {exitCodes: {}}}')).toEqual({
      engines: { eslint: { exitCodes: { success: [3], toolFailure: [2] } }, tsc: { exitCodes: {} } },
    });
    expect(read('{eslint: {exitCodes: {success: [256]}}}')).toEqual([expect.stringContaining('exitCodes.success.0')]);
    expect(read('{eslint: {exitCodes: {success: 3}}}')).toEqual([expect.stringContaining('exitCodes.success')]);
    expect(read('{eslint: {exitCodes: {sucess: [3]}}}')).toEqual([expect.stringContaining('did you mean `success`?')]);
  });

  it('C6: takes a time of an engine that has a bound', () => {
    expect(read('{eslint: {timeoutSeconds: 3600}}')).toEqual({ engines: { eslint: { timeoutSeconds: 3600 } } });
    expect(read('{eslint: {timeoutSeconds: 3601}}')).toEqual([
      expect.stringContaining('engines.eslint.timeoutSeconds'),
    ]);
    expect(read('{eslint: {timeoutSeconds: 0}}')).toEqual([expect.stringContaining('engines.eslint.timeoutSeconds')]);
  });

  it('reads a tool of the repository, with what follows from its command and format', () => {
    const common = { globs: ['**/*'], matcher: null, matcherText: null, emptyMeansClean: false, fix: null };
    expect(read('{a: {command: [x], format: sarif}}')).toEqual({
      engines: {
        a: {
          declared: { ...common, command: ['x'], format: 'sarif', kind: 'lint', targets: 'project', from: 'stdout' },
        },
      },
    });
    expect(read('{a: {command: [x, "--o={report}", "{targets}"], format: junit, required: true}}')).toEqual({
      engines: {
        a: {
          required: true,
          declared: {
            ...common,
            command: ['x', '--o={report}', '{targets}'],
            format: 'junit',
            kind: 'test',
            targets: 'files',
            from: 'file',
          },
        },
      },
    });
  });

  it('003.R9, 003.R16: take exit codes to ignore, and the fixer of an own tool', () => {
    const text = '{eslint: {ignoreExit: [5]}, a: {command: [x], format: sarif, fix: [y, "{targets}"]}}';

    expect(read(text)).toMatchObject({
      engines: { eslint: { ignoreExit: [5] }, a: { declared: { fix: ['y', '{targets}'] } } },
    });
  });

  it.each([
    ['5', 'expected auto, off, or engines by name'],
    ['[eslint]', 'expected auto, off, or engines by name'],
    ['{eslint: 5}', 'expected true, false, or the settings of the engine'],
    ['{eslint: {arg: [a]}}', 'unknown key "engines.eslint.arg"; did you mean `args`?'],
    ['{eslint: {timeout: 5}}', 'unknown key "engines.eslint.timeout"'],
    ['{ESLint: true}', 'lower case letters'],
    [`{${'a'.repeat(51)}: true}`, 'at most 50'],
    ['{failLevel: error}', 'expected blocker, high, medium or low, not "error"'],
    ['{a: {format: sarif}}', 'only beside `command`'],
    ['{a: {command: [x]}}', '`format` must say what it writes'],
    ['{a: {command: x, format: sarif}}', 'no shell runs it'],
    ['{a: {command: [], format: sarif}}', 'engines.a.command'],
    ['{a: {command: [" "], format: sarif}}', 'names no program'],
    ['{a: {command: [x], format: matcher}}', '`matcher` must name its file'],
    ['{a: {command: [x], format: sarif, matcher: m.json}}', 'only with `format: matcher`'],
    ['{a: {command: [x], format: junit, emptyMeansClean: true}}', 'only with `format: jsonl` or'],
    ['{a: {emptyMeansClean: true}}', 'only beside `command`'],
    ['{a: {command: [x], format: lcov, kind: test}}', 'cannot be test where the format is lcov'],
    ['{a: {command: [x], format: sarif, kind: coverage}}', 'cannot be coverage where the format is sarif'],
    ['{a: {command: [x], format: sarif, from: file}}', '`{report}` must be in the command'],
    ['{a: {command: [x, "{report}"], format: sarif, from: stdout}}', 'must be file'],
    ['{a: {command: [x], format: sarif, targets: files}}', '`{targets}` must be in the command'],
    ['{a: {command: [x, "{targets}"], format: sarif, targets: project}}', 'not needed for the whole project'],
    ['{eslint: {fix: [x, "{targets}"]}}', 'only beside `command`'],
    ['{a: {command: [x], format: sarif, fix: [" ", "{targets}"]}}', 'names no program'],
    ['{a: {command: [x], format: sarif, fix: [x]}}', '`{targets}` must be in the command'],
    ['{eslint: {ignoreExit: [256]}}', 'engines.eslint.ignoreExit'],
  ])('003.R22: refuses %s', (text, message) => {
    expect(read(text)).toEqual([expect.stringContaining(message)]);
  });

  it('refuses more engines than anybody has', () => {
    const names = Array.from({ length: 51 }, (_, index) => `e${String(index)}: true`);

    expect(read(`{${names.join(', ')}}`)).toEqual([expect.stringContaining('too many engines')]);
  });

  it.each([
    'PATH',
    'LD_PRELOAD',
    'NODE_OPTIONS',
    'PYTHONPATH',
    'GIT_DIR',
    'GITHUB_TOKEN',
    'HTTPS_PROXY',
    'GOFLAGS',
    'RATCHET_X',
    'PERL5OPT',
    'path',
    'A-B',
  ])('sets no variable %s', (name) => {
    expect(read(`{eslint: {env: {${name}: x}}}`)).toEqual([expect.stringContaining(`engines.eslint.env.${name}`)]);
  });

  it('sets variables that only say how a tool behaves', () => {
    const env = { NODE_ENV: 'test', ESLINT_USE_FLAT_CONFIG: 'true', GOOS: 'linux', TZ: 'UTC' };

    expect(read(`{eslint: {env: ${JSON.stringify(env)}}}`)).toEqual({ engines: { eslint: { env } } });
  });
});
