import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { matchProblems } from '../../../src/engines/generic/match-problems.ts';
import { createMatcherParser } from '../../../src/engines/generic/parse-matcher.ts';
import { readProblemMatchers } from '../../../src/engines/generic/problem-matcher.ts';
import { anInput, parsed } from './parse-input.ts';

/** As published with actions/setup-node. */
const TSC = {
  owner: 'tsc',
  pattern: [
    {
      regexp: String.raw`^(?:\s+\d+\>)?([^\s].*)\((\d+),(\d+)\)\s*:\s+(error|warning|info)\s+(\w{1,2}\d+)\s*:\s*(.*)$`,
      file: 1,
      line: 2,
      column: 3,
      severity: 4,
      code: 5,
      message: 6,
    },
  ],
};
const STYLISH = {
  owner: 'eslint-stylish',
  pattern: [
    { regexp: String.raw`^([^\s].*)$`, file: 1 },
    {
      regexp: String.raw`^\s+(\d+):(\d+)\s+(error|warning|info)\s+(.*)\s\s+(.*)$`,
      line: 1,
      column: 2,
      severity: 3,
      message: 4,
      code: 5,
      loop: true,
    },
  ],
};
/** Two lines for each problem, as Python's tracebacks have. */
const PYTHON = {
  owner: 'python',
  pattern: [
    { regexp: String.raw`^\s*File\s"(.*)",\sline\s(\d+),\sin\s(.*)$`, file: 1, line: 2 },
    { regexp: String.raw`^\s*raise\s(.*)\('(.*)'\)$`, code: 1, message: 2 },
  ],
};
const OPTIONAL = {
  owner: 'optional',
  severity: 'warning',
  pattern: [
    {
      regexp: String.raw`^(.+?):(\d+)(?::(\d+))?: (?:(error): )?(.*)$`,
      file: 1,
      line: 2,
      column: 3,
      severity: 4,
      message: 5,
    },
  ],
};

function toParser(matchers: readonly object[], timeoutMs = 2000) {
  return createMatcherParser({ definition: JSON.stringify({ problemMatcher: matchers }), kind: 'lint', timeoutMs });
}

function find(matchers: readonly object[], ...lines: readonly string[]) {
  return parsed(toParser(matchers), lines.join('\n')).findings;
}

describe('createMatcherParser', () => {
  it('matches one line with one pattern', () => {
    expect(find([TSC], 'compiling', 'src/a.ts(3,7): error TS2322: Not so.', 'done')).toEqual([
      {
        kind: 'lint',
        rule: 'TS2322',
        severity: 'high',
        native: 'error',
        message: 'Not so.',
        path: 'src/a.ts',
        line: 3,
        column: 7,
        endLine: null,
        testId: null,
        identity: null,
      },
    ]);
  });

  it('matches several patterns on consecutive lines', () => {
    const trace = ['Traceback:', '  File "a.py", line 2, in f', "    raise ValueError('no')"];

    expect(find([PYTHON], ...trace)).toMatchObject([
      { path: 'a.py', line: 2, rule: 'ValueError', message: 'no', native: 'error' },
    ]);
    expect(find([PYTHON], trace[1] ?? '', 'something else', trace[2] ?? '')).toEqual([]);
    expect(find([PYTHON], trace[2] ?? '')).toEqual([]);
    expect(find([PYTHON], ...trace, trace[2] ?? '')).toHaveLength(1);
  });

  it('begins again where a line begins another problem', () => {
    expect(find([PYTHON], '  File "a.py", line 2, in f', '  File "b.py", line 3, in g', "raise E('x')")).toMatchObject([
      { path: 'b.py', line: 3 },
    ]);
  });

  it('loops over the last pattern until a line does not match it', () => {
    const lines = [
      '/repo/a.js',
      '  1:2  error  first  r1',
      '  3:4  warning  second  r2',
      '',
      '/repo/b.js',
      '  5:6  error  third  r3',
      'x',
      'y',
    ];

    expect(find([STYLISH], ...lines).map(({ path, line, rule, native }) => [path, line, rule, native])).toEqual([
      ['a.js', 1, 'r1', 'error'],
      ['a.js', 3, 'r2', 'warning'],
      ['b.js', 5, 'r3', 'error'],
    ]);
  });

  it('takes a loop for nothing that follows no first line', () => {
    expect(find([STYLISH], '  1:2  error  first  r1')).toEqual([]);
    expect(find([STYLISH], '', '  1:2  error  first  r1')).toEqual([]);
  });

  it('lets the first of several matchers take a line, and forgets what the others had begun', () => {
    expect(find([OPTIONAL, PYTHON], '  File "a.py", line 2, in f', 'a.c:1: no', "raise E('x')")).toMatchObject([
      { message: 'no' },
    ]);
    expect(find([TSC, OPTIONAL], 'a.ts(1,2): error TS1: x', 'b.c:1:2: error: y').map(({ path }) => path)).toEqual([
      'a.ts',
      'b.c',
    ]);
  });

  it.each<[string, string, object]>([
    ['a group that took part', 'a.c:1:2: error: m', { line: 1, column: 2, native: 'error', severity: 'high' }],
    [
      "the matcher's severity, where a group did not",
      'a.c:1: m',
      { line: 1, column: null, native: 'warning', severity: 'medium' },
    ],
  ])('C14: takes %s', (_what, line, expected) => {
    expect(find([OPTIONAL], line)).toMatchObject([expected]);
  });

  it('calls an error what says nothing else', () => {
    expect(find([{ owner: 'o', pattern: [{ regexp: '(.+)', message: 1 }] }], 'm')).toMatchObject([
      { native: 'error', path: null, line: null },
    ]);
  });

  it('is no finding without a message', () => {
    expect(find([{ owner: 'o', pattern: [{ regexp: '^E(.*)', message: 1 }] }], 'E', 'E ')).toEqual([]);
  });

  it.each<[string, string, string | null]>([
    ['a path', 'x.cs [a/p.csproj]', 'a/x.cs'],
    ['a path up', '../x.cs [a/b/p.csproj]', 'a/x.cs'],
    ['an absolute path', '/repo/y/x.cs [a/p.csproj]', 'y/x.cs'],
    ['a project of Windows', String.raw`x.cs [a\p.csproj]`, 'a/x.cs'],
    ['a path outside of the root', '/usr/x.cs [a/p.csproj]', null],
  ])('takes %s from the folder that fromPath names', (_what, line, path) => {
    const pattern = [{ regexp: String.raw`^(.*) \[(.*)\]$`, file: 1, fromPath: 2, message: 1 }];

    expect(find([{ owner: 'o', pattern }], line)).toMatchObject([{ path }]);
  });

  it('takes fromPath of the matcher where no group captures one', () => {
    expect(
      find([{ owner: 'o', fromPath: 'a/p', pattern: [{ regexp: '(.+)', file: 1, message: 1 }] }], 'x.cs'),
    ).toMatchObject([{ path: 'a/x.cs' }]);
  });

  it('reads lines of Windows', () => {
    expect(
      parsed(toParser([TSC]), 'a.ts(1,2): error TS1: x\r\nb.ts(1,2): error TS1: y\r\n').findings.map(
        ({ message }) => message,
      ),
    ).toEqual(['x', 'y']);
  });

  it.each<[string, string]>([
    ['no JSON', 'x'],
    ['no matchers', '{"problemMatcher":[]}'],
    ['another document', '{}'],
    ['no owner', JSON.stringify({ problemMatcher: [{ pattern: TSC.pattern }] })],
    ['an owner twice', JSON.stringify({ problemMatcher: [TSC, TSC] })],
    ['no patterns', JSON.stringify({ problemMatcher: [{ owner: 'o', pattern: [] }] })],
    [
      'a regexp that is none',
      JSON.stringify({ problemMatcher: [{ owner: 'o', pattern: [{ regexp: '(', message: 1 }] }] }),
    ],
    [
      'a regexp that is none but for the bar after it',
      JSON.stringify({ problemMatcher: [{ owner: 'o', pattern: [{ regexp: 'a\\', message: 0 }] }] }),
    ],
    [
      'a group that is not there',
      JSON.stringify({ problemMatcher: [{ owner: 'o', pattern: [{ regexp: '(a)', message: 2 }] }] }),
    ],
    [
      'a loop of a single pattern',
      JSON.stringify({ problemMatcher: [{ owner: 'o', pattern: [{ regexp: '(a)', message: 1, loop: true }] }] }),
    ],
    [
      'a loop that is not the last',
      JSON.stringify({
        problemMatcher: [
          {
            owner: 'o',
            pattern: [
              { regexp: 'a', loop: true },
              { regexp: '(a)', message: 1 },
            ],
          },
        ],
      }),
    ],
    ['no message', JSON.stringify({ problemMatcher: [{ owner: 'o', pattern: [{ regexp: '(a)', file: 1 }] }] })],
    [
      'an unknown key',
      JSON.stringify({ problemMatcher: [{ owner: 'o', pattern: [{ regexp: '(a)', message: 1, flags: 'i' }] }] }),
    ],
    ['too much', JSON.stringify({ problemMatcher: [TSC], more: 'x'.repeat(70_000) })],
  ])('refuses a definition with %s, whatever the tool wrote', (_what, definition) => {
    for (const text of ['x', '', null])
      expect(createMatcherParser({ definition, kind: 'lint' })(anInput(text))).toMatchObject({ kind: 'invalid' });
  });

  it('is invalid where the definition could not be read', () => {
    expect(createMatcherParser({ definition: null, kind: 'lint' })(anInput('x'))).toMatchObject({ kind: 'invalid' });
  });

  it('stops a regexp that backtracks without end, and takes the output for invalid', () => {
    const parse = toParser([{ owner: 'o', pattern: [{ regexp: '^(a+)+$', message: 1 }] }], 100);

    const payload = parse(anInput(`${'a'.repeat(1000)}b`));

    expect(payload.kind === 'invalid' ? payload.why : '').toContain('too long');
  });

  it('reads the beginning of a line of 10 MB', () => {
    const { findings } = parsed(toParser([TSC]), `a.ts(1,2): error TS1: ${'x'.repeat(10_000_000)}\n`);

    expect(findings[0]?.message.length).toBeLessThan(2000);
  });

  it('reads 200,000 lines and 25,000 findings, and is partial where there are more', () => {
    const all = [{ owner: 'o', pattern: [{ regexp: '^E (.*)', message: 1 }] }];
    expect(parsed(toParser(all), 'x\n'.repeat(199_999)).partial).toBeNull();
    expect(parsed(toParser(all), 'x\n'.repeat(200_001)).partial).toContain('200000 lines');
    expect(parsed(toParser(all), 'E m\n'.repeat(25_000)).partial).toBeNull();
    const { findings, partial } = parsed(toParser(all), 'E m\n'.repeat(25_001));
    expect(findings).toHaveLength(25_000);
    expect(partial).toContain('25000 findings');
  });

  it('tells missing output from empty output', () => {
    expect(toParser([TSC])(anInput(null))).toEqual({ kind: 'missing' });
    expect(toParser([TSC])(anInput('\n'))).toEqual({ kind: 'empty' });
  });
});

describe('matchProblems and the package problem-matcher', () => {
  function evaluate(matcher: object, text: string): unknown {
    const program: unknown = createRequire(import.meta.url)('problem-matcher');
    if (typeof program !== 'function') throw new Error('the package is another one');
    return Reflect.apply(program, undefined, [matcher, text]);
  }

  function capture(matcher: object, lines: readonly string[]): readonly object[] {
    const reading = readProblemMatchers(JSON.stringify({ problemMatcher: [matcher] }));
    if (reading.kind === 'invalid') throw new Error(reading.why);
    return matchProblems(reading.value, lines, 100).map(({ matcher: by, captured }) => ({
      severity: by.severity,
      ...captured,
    }));
  }

  it.each<[string, object, readonly string[]]>([
    ['one pattern', TSC, ['x', 'a.ts(1,2): error TS1: x', 'b.ts(3,4): warning TS2: y']],
    ['a loop', STYLISH, ['/r/a.js', '  1:2  error  m  r', '  3:4  error  n  s']],
  ])('agree on %s', (_what, matcher, lines) => {
    expect(capture(matcher, lines)).toEqual(evaluate({ severity: 'error', ...matcher }, lines.join('\n')));
  });

  it.each<[string, object, readonly string[], number]>([
    ['a group that did not take part, which it throws for', OPTIONAL, ['a.c:1: m'], 1],
    ['several patterns without a loop, which it throws for', PYTHON, ['File "a.py", line 2, in f', "raise E('x')"], 1],
  ])('differ on %s', (_what, matcher, lines, count) => {
    expect(() => evaluate(matcher, lines.join('\n'))).toThrow();
    expect(capture(matcher, lines)).toHaveLength(count);
  });

  it('differ on a loop without its first line, of which it makes a problem without a file', () => {
    const lines = ['', '  1:2  error  m  r'];

    expect(evaluate(STYLISH, lines.join('\n'))).toHaveLength(1);
    expect(capture(STYLISH, lines)).toEqual([]);
  });
});
