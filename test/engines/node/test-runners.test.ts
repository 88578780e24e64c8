import { describe, expect, it } from 'vitest';
import { jest } from '../../../src/engines/node/jest.ts';
import { vitest } from '../../../src/engines/node/vitest.ts';
import { anInput, parsed } from '../generic/parse-input.ts';
import { absolute, containing } from './support.ts';

function assertion(set: object = {}): object {
  return { ancestorTitles: ['suite'], title: 'test', status: 'passed', failureMessages: [], location: null, ...set };
}

function report(files: readonly object[], set: object = {}): string {
  const testResults = files.map((file) => ({
    name: absolute('src/a.test.js'),
    status: 'passed',
    message: '',
    assertionResults: [],
    ...file,
  }));
  return JSON.stringify({ success: true, testResults, ...set });
}

function failing(message: string, set: object = {}): string {
  const test = assertion({ status: 'failed', failureMessages: [message], ...set });
  return report([{ status: 'failed', assertionResults: [test] }], { success: false });
}

describe('tests of Jest and Vitest', () => {
  it('identifies a failure by the exception and the innermost frame in the repository, without lines', () => {
    const stack = [
      'TypeError: it exploded',
      '    at assert (/repo/node_modules/assert/index.js:1:1)',
      '    at async explode (file:///repo/src/a.js:9:9)',
      '    at /repo/src/a.test.js:14:5',
    ].join('\n');

    expect(parsed(vitest.parse, failing(stack), { exitCode: 1 }).findings).toEqual([
      {
        kind: 'test_failure',
        rule: null,
        severity: 'high',
        native: 'failed',
        message: 'TypeError: it exploded',
        path: 'src/a.test.js',
        line: 14,
        column: null,
        endLine: null,
        testId: 'src/a.test.js > suite > test',
        identity: 'TypeError|src/a.js|explode',
      },
    ]);
  });

  it('keeps the identity when lines move', () => {
    const at = (line: number): string => failing(`Error: no\n    at f (/repo/src/a.js:${String(line)}:1)`);
    const identities = [1, 99].map((line) => parsed(jest.parse, at(line), { exitCode: 1 }).findings[0]?.identity);

    expect(identities).toEqual(['Error|src/a.js|f', 'Error|src/a.js|f']);
  });

  it.each([
    ['a stack without a frame of the repository', 'Error: no\n    at node:internal/process:1:1', 'Error||'],
    ['an error with a code', 'TypeError [ERR_X]: no', 'TypeError||'],
    ['an error without a message', 'RangeError\n    at f (/repo/a.js:1:1)', 'RangeError|a.js|f'],
    ['a text that was thrown', 'thrown: "text"', 'thrown||'],
    ['no text at all', '', 'Error||'],
    ['an error in colours', '\u001B[31mError\u001B[39m: no', 'Error||'],
  ])('identifies %s', (_, message, identity) => {
    expect(parsed(jest.parse, failing(message), { exitCode: 1 }).findings).toMatchObject([{ identity }]);
  });

  it('takes the line of the test where no frame is in its file', () => {
    const text = failing('Error: no', { location: { line: 7, column: 3 } });

    expect(parsed(jest.parse, text, { exitCode: 1 }).findings).toMatchObject([{ line: 7 }]);
  });

  it.each([
    ['passed', 'passed', 'passed'],
    ['failed', 'failed', 'failed'],
    ['skipped', 'skipped', 'skipped'],
    ['todo', 'skipped', 'skipped'],
    ['disabled', 'skipped', 'skipped'],
    ['pending', 'skipped', 'error'],
    ['of a new kind', 'error', 'error'],
  ])('takes a test that is %s in Jest for %s, in Vitest for %s', (status, inJest, inVitest) => {
    const text = report([{ assertionResults: [assertion({ status })] }]);
    const id = 'src/a.test.js > suite > test';

    expect(parsed(jest.parse, text).tests).toEqual([{ id, outcome: inJest, path: 'src/a.test.js' }]);
    expect(parsed(vitest.parse, text).tests).toEqual([{ id, outcome: inVitest, path: 'src/a.test.js' }]);
  });

  it('is partial where a test of Vitest began and never ended', () => {
    const text = report([{ assertionResults: [assertion({ status: 'pending' }), assertion()] }]);

    expect(parsed(vitest.parse, text).partial).toContain('never ended');
    expect(parsed(jest.parse, text).partial).toBeNull();
  });

  it('has a blocker for a file that failed outside of its tests, and is partial', () => {
    const text = report([
      { status: 'failed', message: "  ● Test suite failed to run\n\n    Cannot find './gone'" },
      {},
    ]);

    expect(parsed(jest.parse, text, { exitCode: 1 })).toMatchObject({
      findings: [
        {
          kind: 'collection_error',
          severity: 'blocker',
          message: "Cannot find './gone'",
          testId: 'src/a.test.js',
          identity: 'collection',
        },
      ],
      partial: containing('outside of its tests'),
    });
  });

  it('does not believe a report that says success where the process says otherwise', () => {
    const text = report([{ assertionResults: [assertion()] }]);

    expect(parsed(vitest.parse, text, { exitCode: 1 })).toMatchObject({
      findings: [],
      partial: containing('no test did'),
    });
    expect(parsed(vitest.parse, text, { exitCode: 0 })).toMatchObject({ findings: [], partial: null });
  });

  it.each([
    ['Error: boom\n\nboom', 'Error: boom'],
    ['boom\n\nError: boom', 'boom'],
    ['boom\nTypeError: boom\n    at a (/x.js:1:1)', 'boom'],
    ['Error: one\n\ntwo', 'Error: one\n\ntwo'],
    ['Error: one\n\none\n\ntwo', 'Error: one\n\none\n\ntwo'],
  ])('has the message once: %j', (message, expected) => {
    expect(parsed(jest.parse, failing(message)).findings[0]?.message).toBe(expected);
  });

  it('is partial where Vitest tells of an error outside of the tests, even beside a failing one', () => {
    const stderr = 'Unhandled Errors\n\nVitest caught 2 unhandled errors during the test run.\n';

    expect(parsed(vitest.parse, failing('Error: no'), { stderr, exitCode: 1 })).toMatchObject({
      findings: [{ kind: 'test_failure' }],
      partial: containing('outside of the tests'),
    });
    expect(parsed(jest.parse, failing('Error: no'), { stderr, exitCode: 1 }).partial).toBeNull();
  });

  it.each([jest, vitest])(
    'has looked at nothing where $id skipped all tests, as a pattern that no name matches makes it (E2)',
    (spec) => {
      const skipped = assertion({ status: 'skipped', failureMessages: [] });
      const passed = assertion({ status: 'passed', failureMessages: [] });
      const of = (...assertionResults: readonly object[]): string | null =>
        parsed(spec.parse, report([{ assertionResults }])).partial;

      expect([of(skipped), of(skipped, skipped), of(skipped, passed), of()]).toEqual([
        ...['all tests were skipped', 'all tests were skipped', null, null],
      ]);
    },
  );

  it('is partial where Jest was interrupted', () => {
    const text = report([{ assertionResults: [assertion()] }], { wasInterrupted: true });

    expect(parsed(jest.parse, text).partial).toBe('it was interrupted');
  });

  it.each([
    ['no JSON', 'Test Files  1 passed'],
    ['no results', '{"success":true}'],
    ['a test without a title', report([{ assertionResults: [{ status: 'passed', ancestorTitles: [] }] }])],
  ])('does not read %s as a report', (_, text) => {
    expect(vitest.parse(anInput(text))).toMatchObject({ kind: 'invalid' });
  });

  it('tells a report that is not there from an empty one', () => {
    expect(jest.parse(anInput(null))).toEqual({ kind: 'missing' });
    expect(jest.parse(anInput(' \n'))).toEqual({ kind: 'empty' });
  });
});
