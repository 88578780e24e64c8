import { describe, expect, it } from 'vitest';
import { createSarifParser } from '../../../src/engines/generic/parse-sarif.ts';
import { anInput, parsed } from './parse-input.ts';

const parseSarif = createSarifParser('lint');

const LOCATION = {
  physicalLocation: { artifactLocation: { uri: 'src/a.c' }, region: { startLine: 3, startColumn: 5, endLine: 4 } },
};
const RESULT = { ruleId: 'R1', level: 'error', message: { text: 'no' }, locations: [LOCATION] };

function aRun(set: object = {}): object {
  return { tool: { driver: { name: 't' } }, results: [], ...set };
}

function aLog(...runs: readonly object[]): string {
  return JSON.stringify({ version: '2.1.0', runs });
}

/** The findings of one run with one result. */
function findingsOf(result: object, run: object = {}, cwd = '.') {
  return parsed(parseSarif, aLog(aRun({ ...run, results: [{ ...RESULT, ...result }] })), { cwd }).findings;
}

/** Path of the one finding; undefined: there is none. */
function pathOf(artifactLocation: object | undefined, run: object = {}, cwd = '.'): string | null | undefined {
  return findingsOf({ locations: [{ physicalLocation: { artifactLocation } }] }, run, cwd)[0]?.path;
}

describe('createSarifParser', () => {
  it('reads a result', () => {
    expect(findingsOf({})).toEqual([
      {
        kind: 'lint',
        rule: 'R1',
        severity: 'high',
        native: 'error',
        message: 'no',
        path: 'src/a.c',
        line: 3,
        column: 5,
        endLine: 4,
        testId: null,
        identity: null,
      },
    ]);
  });

  it('gives its findings the kind that it was made for', () => {
    expect(parsed(createSarifParser('type'), aLog(aRun({ results: [RESULT] }))).findings).toMatchObject([
      { kind: 'type' },
    ]);
  });

  const rules = [{ id: 'R0' }, { id: 'R1', defaultConfiguration: { level: 'note' } }];
  it.each<[string, object, object, string, string]>([
    ['its own level', { level: 'error' }, {}, 'error', 'high'],
    ['a warning', { level: 'warning' }, {}, 'warning', 'medium'],
    ['a note', { level: 'note' }, {}, 'note', 'low'],
    ['none', { level: 'none' }, {}, 'none', 'low'],
    ["the standard's level", { level: undefined }, {}, 'warning', 'medium'],
    ['a level that nobody knows', { level: 'fatal' }, {}, 'warning', 'medium'],
    ["its rule's level, by id", { level: undefined }, { tool: { driver: { rules } } }, 'note', 'low'],
    [
      "its rule's level, by index",
      { level: undefined, ruleId: undefined, ruleIndex: 1 },
      { tool: { driver: { rules } } },
      'note',
      'low',
    ],
    [
      "its rule's level, by reference",
      { level: undefined, ruleId: undefined, rule: { index: 1 } },
      { tool: { driver: { rules } } },
      'note',
      'low',
    ],
    [
      "the level of its rule's family",
      { level: undefined, ruleId: 'R1/7' },
      { tool: { driver: { rules } } },
      'note',
      'low',
    ],
    [
      'the level of a rule of an extension',
      { level: undefined, ruleId: undefined, rule: { index: 1, toolComponent: { index: 0 } } },
      { tool: { driver: {}, extensions: [{ rules }] } },
      'note',
      'low',
    ],
    ['what is no failure', { level: undefined, kind: 'review' }, {}, 'none', 'low'],
    ['a kind that nobody knows', { level: undefined, kind: 'weird' }, {}, 'warning', 'medium'],
  ])('C14: maps %s, and keeps it (E19)', (...[, result, run, native, severity]) => {
    expect(findingsOf(result, run)).toMatchObject([{ native, severity }]);
  });

  it('names the rule that an index points to', () => {
    expect(findingsOf({ ruleId: undefined, ruleIndex: 1 }, { tool: { driver: { rules } } })).toMatchObject([
      { rule: 'R1' },
    ]);
    expect(findingsOf({ ruleId: undefined, ruleIndex: 9 })).toMatchObject([{ rule: null }]);
  });

  it.each<[string, object, number]>([
    ['one that is suppressed in the source', { suppressions: [{ kind: 'inSource' }] }, 0],
    ['one of which the suppression was accepted', { suppressions: [{ kind: 'external', status: 'accepted' }] }, 0],
    ['one of which a suppression was rejected', { suppressions: [{ status: 'accepted' }, { status: 'rejected' }] }, 1],
    ['one of which a suppression is under review', { suppressions: [{ status: 'underReview' }] }, 1],
    ['one without suppressions', { suppressions: [] }, 1],
    ['one that is gone since the baseline', { baselineState: 'absent' }, 0],
    ['one that is as in the baseline', { baselineState: 'unchanged' }, 1],
    ['one that passed', { kind: 'pass', level: 'none' }, 0],
    ['one that does not apply', { kind: 'notApplicable', level: 'none' }, 0],
    ['one that failed', { kind: 'fail' }, 1],
  ])('counts of results %s as so many', (_what, result, count) => {
    expect(findingsOf(result)).toHaveLength(count);
  });

  it.each<[string, object | undefined, object, string, string | null | undefined]>([
    ['a path from the root', { uri: 'src/a.c' }, {}, '.', 'src/a.c'],
    ['a path from where the tool ran', { uri: 'a.c' }, {}, 'sub', 'sub/a.c'],
    ['percent-encoding', { uri: 'src/a%20b%C3%A9%23.c' }, {}, '.', 'src/a bé#.c'],
    ['broken percent-encoding', { uri: 'src/100%.c' }, {}, '.', 'src/100%.c'],
    ['a file address', { uri: 'file:///repo/src/a%20b.c' }, {}, 'sub', 'src/a b.c'],
    ['a file address with a host', { uri: 'file://localhost/repo/a.c' }, {}, '.', 'a.c'],
    ['a plain absolute path', { uri: '/repo/a.c' }, {}, 'sub', 'a.c'],
    ['a base that the log does not tell: the root', { uri: 'a.c', uriBaseId: '%SRCROOT%' }, {}, 'sub', 'a.c'],
    [
      'a base without an address: the root',
      { uri: 'a.c', uriBaseId: 'S' },
      { originalUriBaseIds: { S: {} } },
      'sub',
      'a.c',
    ],
    [
      'a base',
      { uri: 'a.c', uriBaseId: 'S' },
      { originalUriBaseIds: { S: { uri: 'file:///repo/lib/' } } },
      '.',
      'lib/a.c',
    ],
    [
      'a base by another base',
      { uri: 'a.c', uriBaseId: 'S' },
      { originalUriBaseIds: { R: { uri: 'file:///repo' }, S: { uri: 'lib', uriBaseId: 'R' } } },
      '.',
      'lib/a.c',
    ],
    [
      'a base that is its own base',
      { uri: 'a.c', uriBaseId: 'S' },
      { originalUriBaseIds: { S: { uri: 'x/', uriBaseId: 'S' } } },
      '.',
      undefined,
    ],
    ['an artifact by index', { index: 1 }, { artifacts: [{}, { location: { uri: 'b.c' } }] }, '.', 'b.c'],
    ['an artifact that is not there', { index: 7 }, {}, '.', null],
    ['no file', undefined, {}, '.', null],
    ['an empty address', { uri: '' }, {}, '.', null],
    ['a file outside of the root', { uri: 'file:///usr/include/a.h' }, {}, '.', undefined],
    ['a way out of the root', { uri: '%2e%2e/a.c' }, {}, '.', undefined],
    [
      'a base outside of the root',
      { uri: 'a.c', uriBaseId: 'S' },
      { originalUriBaseIds: { S: { uri: 'file:///usr/' } } },
      '.',
      undefined,
    ],
    ['an address of the web', { uri: 'https://example.com/a.c' }, {}, '.', undefined],
    ['a drive of Windows', { uri: 'file:///C:/src/a.c' }, {}, '.', undefined],
    ['a path on a drive of Windows', { uri: String.raw`C:\repo\a.c` }, {}, '.', undefined],
  ])('finds the file by %s', (...[, location, run, cwd, expected]) => {
    expect(pathOf(location, run, cwd)).toBe(expected);
  });

  it.each<[string, object, object]>([
    ['no region', {}, { line: null, column: null, endLine: null }],
    ['a whole line', { region: { startLine: 2 } }, { line: 2, column: null, endLine: null }],
    ['an offset alone', { region: { charOffset: 9, startColumn: 2 } }, { line: null, column: null, endLine: null }],
    ['line 0', { region: { startLine: 0 } }, { line: null }],
  ])('reads a place with %s', (_what, physical, expected) => {
    const locations = [{ physicalLocation: { artifactLocation: { uri: 'a.c' }, ...physical } }];

    expect(findingsOf({ locations })).toMatchObject([{ path: 'a.c', ...expected }]);
  });

  it.each(['utf16CodeUnits', 'unicodeCodePoints'])('keeps columns as the tool counts them, in %s', (columnKind) => {
    expect(findingsOf({}, { columnKind })).toMatchObject([{ column: 5 }]);
  });

  it.each<[string, object, object, string]>([
    ['its text', { text: 'a', markdown: '*a*' }, {}, 'a'],
    ['its markdown', { markdown: '*a*' }, {}, '*a*'],
    ['its text with arguments', { text: "'{0}' {{x}} {1} {7}", arguments: ['a', '$&'] }, {}, "'a' {x} $& {7}"],
    [
      "its rule's text",
      { id: 'd', arguments: ['a'] },
      { id: 'R1', messageStrings: { d: { text: 'unused {0}' } } },
      'unused a',
    ],
    ["its rule's name", { id: 'constructor' }, { id: 'R1', name: 'NoUnused' }, 'NoUnused'],
    ["its rule's id", {}, { id: 'R1' }, 'R1'],
  ])('takes for a message %s', (_what, message, rule, expected) => {
    expect(findingsOf({ message }, { tool: { driver: { rules: [rule] } } })).toMatchObject([{ message: expected }]);
  });

  it('says so where there is no message', () => {
    expect(findingsOf({ message: undefined, ruleId: undefined })).toMatchObject([
      { message: 'The tool gives no message.' },
    ]);
  });

  it('takes a tool that says that it did not succeed for failed, results or not', () => {
    const invocations = [
      { executionSuccessful: true },
      {
        executionSuccessful: false,
        toolExecutionNotifications: [{ level: 'error', message: { text: 'out of memory' } }],
      },
    ];

    expect(parsed(parseSarif, aLog(aRun({ results: [RESULT], invocations })))).toMatchObject({
      findings: [{ rule: 'R1' }],
      toolFailure: 'the log says that the tool did not succeed: out of memory',
    });
    expect(parsed(parseSarif, aLog(aRun({ invocations: [{ executionSuccessful: false }] }))).toolFailure).toBe(
      'the log says that the tool did not succeed',
    );
    expect(parsed(parseSarif, aLog(aRun({ invocations: [{ executionSuccessful: true }] }))).toolFailure).toBeNull();
  });

  it.each<[string, object]>([
    [
      'reports an error of its own',
      { invocations: [{ executionSuccessful: true, toolExecutionNotifications: [{ level: 'error' }] }] },
    ],
    [
      'reports an error of its configuration',
      { invocations: [{ toolConfigurationNotifications: [{ level: 'error' }] }] },
    ],
    ['has no list of results', { results: undefined }],
    ['has null for results', { results: null }],
  ])('is partial where the tool %s', (_what, run) => {
    expect(parsed(parseSarif, aLog(aRun(run))).partial).not.toBeNull();
  });

  it.each<[string, object, string]>([
    ['did not start', { processStartFailureMessage: 'no memory' }, ': no memory'],
    ['was ended by a signal', { exitSignalName: 'SIGSEGV' }, ': SIGSEGV'],
  ])('takes a tool for failed that %s', (_what, invocation, why) => {
    expect(parsed(parseSarif, aLog(aRun({ invocations: [invocation] }))).toolFailure).toBe(
      `the log says that the tool did not succeed${why}`,
    );
  });

  it('keeps further places, and takes the first one in the repository for its own (E19)', () => {
    const at = (uri: string, startLine?: number) => ({
      physicalLocation: { artifactLocation: { uri }, ...(startLine === undefined ? {} : { region: { startLine } }) },
    });

    expect(
      findingsOf({ locations: [at('a.c', 1), at('b.c', 2)], relatedLocations: [at('c.c'), at('/x/d.c')] }),
    ).toMatchObject([
      {
        path: 'a.c',
        line: 1,
        otherPlaces: [
          { path: 'b.c', line: 2 },
          { path: 'c.c', line: null },
        ],
      },
    ]);
    expect(findingsOf({ locations: [at('/usr/include/a.h', 1), at('b.c', 2)] })).toMatchObject([
      { path: 'b.c', line: 2 },
    ]);
    expect(findingsOf({ locations: [at('a.c', 1)] })[0]).not.toHaveProperty('otherPlaces');
  });

  it.each([
    [['/usr/include/a.h', 'a.c'], '1 result lies outside of the repository and was left out'],
    [['/usr/include/a.h', 'a.c', 'file:///b.h'], '2 results lie outside of the repository and were left out'],
    [['a.c', 'https://example.com/a.c'], '1 result lies outside of the repository and was left out'],
  ])('tells of results outside of the repository: %j', (uris, note) => {
    const results = uris.map((uri) => ({
      ...RESULT,
      locations: [{ physicalLocation: { artifactLocation: { uri } } }],
    }));

    expect(parsed(parseSarif, aLog(aRun({ results })))).toMatchObject({ partial: null, notes: [note] });
  });

  it('has looked at nothing if it has no run', () => {
    expect(parsed(parseSarif, aLog()).partial).toBe('the log has no runs');
  });

  it('is partial where all results lie elsewhere, as it looked at something else then (E18)', () => {
    const at = (uri: string): object => ({
      ...RESULT,
      locations: [{ physicalLocation: { artifactLocation: { uri } } }],
    });
    const partialOf = (...results: readonly object[]): string | null =>
      parsed(parseSarif, aLog(aRun({ results }))).partial;

    expect(partialOf(at('/builds/x/a.c'), at(String.raw`C:\repo\a.c`))).toContain('outside of the repository');
    expect(partialOf(at('/usr/include/a.h'), at('a.c'))).toBeNull();
    expect(partialOf({ ...at('/builds/x/a.c'), kind: 'pass' })).toBeNull();
  });

  it.each<[string, object]>([
    ['warns', { invocations: [{ toolExecutionNotifications: [{ level: 'warning' }, {}] }] }],
    ['finds nothing', { results: [] }],
  ])('is whole where the tool %s', (_what, run) => {
    expect(parsed(parseSarif, aLog(aRun(run)))).toMatchObject({ partial: null, findings: [] });
  });

  it('reads 20 runs and 25,000 results of them, and is partial where there are more', () => {
    const run = aRun({ results: [RESULT] });
    expect(parsed(parseSarif, aLog(...Array<object>(20).fill(run)))).toMatchObject({ partial: null });
    expect(parsed(parseSarif, aLog(...Array<object>(21).fill(run))).partial).toContain('20 runs');

    const small = { message: { text: 'm' } };
    const half = aRun({ results: Array<object>(12_500).fill(small) });
    expect(parsed(parseSarif, aLog(half, half)).partial).toBeNull();
    const { findings, partial } = parsed(parseSarif, aLog(half, half, aRun({ results: [small] })));
    expect(findings).toHaveLength(25_000);
    expect(partial).toContain('25000 results');
  });

  it.each([
    ['no JSON', 'Error: no'],
    ['JSON that was cut', aLog(aRun()).slice(0, -2)],
    ['another format', '[]'],
    ['another version', '{"version":"1.0.0","runs":[]}'],
    ['no runs', '{"version":"2.1.0"}'],
    ['null for runs: the tool failed', '{"version":"2.1.0","runs":null}'],
    ['a run without a tool', '{"version":"2.1.0","runs":[{"results":[]}]}'],
    ['a result of another shape', aLog(aRun({ results: [{ message: 'text' }] }))],
    ['lists in lists without an end', '['.repeat(5_000_000)],
    ['lists in lists', `${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`],
    ['a line of 10 MB', 'x'.repeat(10_000_000)],
  ])('takes %s for invalid', (_what, text) => {
    const payload = parseSarif(anInput(text));

    expect(payload.kind).toBe('invalid');
    expect(JSON.stringify(payload).length).toBeLessThan(500);
  });

  it('fills a message no further than it is shown', () => {
    const message = { text: '{0}'.repeat(1_000_000), arguments: ['x'.repeat(1_000_000)] };

    expect(findingsOf({ message })[0]?.message).toHaveLength(4096);
  });

  it('tells a missing log from an empty one', () => {
    expect(parseSarif(anInput(null))).toEqual({ kind: 'missing' });
    expect(parseSarif(anInput(''))).toEqual({ kind: 'empty' });
  });
});
