import { describe, expect, it } from 'vitest';
import { findDocuments } from '../../../src/engines/log/find-documents.ts';
import { matchRegistered } from '../../../src/engines/log/match-registered.ts';
import { readReports } from '../../../src/engines/log/read-reports.ts';
import { createRegisteredMatchers } from '../../../src/engines/log/registered-matchers.ts';
import { toLogLines } from '../../../src/engines/log/to-log-lines.ts';

const ROOT = '/home/runner/work/app/app';

const ESLINT = [
  {
    filePath: `${ROOT}/src/a.js`,
    messages: [{ ruleId: 'no-undef', severity: 2, message: "'x' is not defined.", line: 3, column: 7 }],
    errorCount: 1,
    warningCount: 0,
    fatalErrorCount: 0,
    fixableErrorCount: 0,
    fixableWarningCount: 0,
    usedDeprecatedRules: [],
  },
];

const GO_EVENTS = [
  { Action: 'run', Package: 'example.org/app', Test: 'TestAdd' },
  { Action: 'output', Package: 'example.org/app', Test: 'TestAdd', Output: '    add_test.go:9: got 3, want 2\n' },
  { Action: 'fail', Package: 'example.org/app', Test: 'TestAdd', Elapsed: 0.01 },
  { Action: 'fail', Package: 'example.org/app', Elapsed: 0.02 },
].map((event) => JSON.stringify(event));

describe('the lines of a log', () => {
  it('are clean, and the last ones of a long log', () => {
    expect(toLogLines('2026-03-01T08:00:00.0000000Z \u001B[31mred\u001B[0m\nend')).toEqual(['red', 'end']);
    const lines = toLogLines(`${'x'.repeat(50)}\n`.repeat(30_000));
    expect(lines.length).toBeLessThan(21_000);
    expect(new Set(lines)).toEqual(new Set(['x'.repeat(50), '']));
  });
});

describe('JSON in a log', () => {
  it('is found on one line, pretty-printed, and as neighbouring objects', () => {
    const lines = [
      'start',
      '[{"a":1}]',
      'noise [x]',
      '[',
      '  {"b": 2}',
      ']',
      '{"c":3}',
      '{"d":4}',
      'end',
      '[{',
      '  "e": 5',
      '}]',
      '[',
    ];
    expect(findDocuments(lines)).toEqual(['[{"a":1}]', '[\n  {"b": 2}\n]', '{"c":3}\n{"d":4}', '[{\n  "e": 5\n}]']);
  });

  it('is looked at within limits', () => {
    expect(findDocuments(Array.from({ length: 100 }, (_, index) => [`[{"a":${index}}]`, 'x']).flat())).toHaveLength(40);
    expect(findDocuments([`[{"a":"${'x'.repeat(5 * 1024 * 1024)}"}]`, '[{"b":1}]'])).toEqual([]);
  });
});

describe('reports of tools in a log', () => {
  it('reads the JSON of eslint', () => {
    expect(readReports(['> eslint -f json .', JSON.stringify(ESLINT), 'exit 1'])).toEqual([
      {
        ...{ kind: 'place', tool: 'eslint', path: 'src/a.js', line: 3, column: 7 },
        ...{ rule: 'no-undef', testId: null, message: "'x' is not defined." },
      },
    ]);
  });

  it('reads the events of go test', () => {
    const [failure] = readReports(['go test -json ./...', ...GO_EVENTS]);
    expect(failure).toMatchObject({ kind: 'test', tool: 'go-test' });
    expect(failure?.testId).toContain('TestAdd');
  });

  it('ignores other JSON and broken JSON', () => {
    expect(readReports(['{"level":"error","msg":"x"}', '[{"a":1}', '[{"filePath":1}]', '[]'])).toEqual([]);
  });
});

const DEFINITION = JSON.stringify({
  problemMatcher: [
    {
      owner: 'own',
      pattern: [{ regexp: '^(WARN|BAD) (\\S+)@(\\d+) (.+)$', severity: 1, file: 2, line: 3, message: 4 }],
    },
    { owner: 'other', pattern: [{ regexp: '^oops (\\S+) (.+)$', file: 1, message: 2 }] },
  ],
});

function registeredIn(log: string, bytes = 100): readonly string[] {
  const matchers = createRegisteredMatchers();
  const all = Buffer.from(log);
  for (let from = 0; from < all.length; from += bytes) matchers.push(all.subarray(from, from + bytes));
  return matchers.paths();
}

describe('problem matchers of a workflow', () => {
  it('are those of the repository, each once', () => {
    const log = [
      '2026-03-01T08:00:00.0000000Z ##[add-matcher].github/own.json',
      '2026-03-01T08:00:00.0000000Z ##[add-matcher]/home/runner/work/app/app/.github/own.json',
      '::add-matcher::/home/runner/work/_actions/actions/setup-node/v4/.github/tsc.json',
      '##[add-matcher]../outside.json',
      'says ##[add-matcher]x.json',
    ].join('\n');
    expect(registeredIn(log)).toEqual(['.github/own.json']);
  });

  it.each([1, 7, 30, 1000])('are found anywhere in a log that comes in pieces of %d bytes', (bytes) => {
    const log = [
      'ä first',
      '##[add-matcher]a.json',
      'x'.repeat(9000),
      '##[add-matcher]b.json',
      'y',
      '##[add-matcher]c.json',
    ];
    expect(registeredIn(log.join('\n'), bytes)).toEqual(['a.json', 'b.json', 'c.json']);
  });

  it('are at most five, and none in a line of no use', () => {
    const many = Array.from({ length: 9 }, (_, index) => `##[add-matcher]${index}.json`);
    expect(registeredIn(many.join('\n'))).toHaveLength(5);
    expect(registeredIn(`##[add-matcher]${'z'.repeat(5000)}`)).toEqual([]);
    expect(registeredIn('')).toEqual([]);
  });

  it('find what they call an error', () => {
    const lines = ['WARN src/a.own@3 never mind', `oops ${ROOT}/src/b.own it broke`, 'oops'];
    expect(matchRegistered([DEFINITION], lines)).toEqual([
      {
        ...{ kind: 'place', tool: 'problem matcher', path: 'src/b.own', line: null, column: null },
        ...{ rule: null, testId: null, message: 'it broke' },
      },
    ]);
  });

  it('are ignored if they cannot be used', () => {
    const slow = JSON.stringify({ problemMatcher: [{ owner: 'x', pattern: [{ regexp: '(', message: 1 }] }] });
    expect(matchRegistered(['no JSON', slow], ['oops a b'])).toEqual([]);
  });
});
