import { describe, expect, it } from 'vitest';
import { compareRuns } from '../../../src/core/findings/compare-runs.ts';
import type { EngineRun } from '../../../src/core/model/engine.ts';
import type { EngineComparison } from '../../../src/core/model/engine-report.ts';
import { aRun } from '../../support/engine-stories.ts';
import { aParsedFinding, findVars, fingerprinted } from './parsed-findings.ts';

const none: ReadonlyMap<string, string> = new Map();
const two = findVars({ a: ['var x;', '', 'var y;'] });

function compare(head: Partial<EngineRun>, base: Partial<EngineRun>, renames = none): EngineComparison {
  return compareRuns({ head: aRun(head), base: aRun(base), renames, isInScope: () => true });
}

describe('a comparison with a run that could not parse some files', () => {
  const broken = { complete: false, incompleteWhy: 'a could not be parsed', unparsed: ['a'] };
  const elsewhere = findVars({ c: ['var z;'] });

  it('at the base: only what stands in these files cannot be compared', () => {
    expect(compare({ findings: [...two, ...elsewhere] }, { ...broken, findings: [] })).toMatchObject({
      ...{ kind: 'compared', added: elsewhere, uncompared: two, fixed: [] },
    });
  });

  it('at the base: also where the file has another name now', () => {
    const renamed = findVars({ b: ['var x;'], c: ['var z;'] });

    expect(compare({ findings: renamed }, { ...broken, findings: elsewhere }, new Map([['b', 'a']]))).toMatchObject({
      ...{ kind: 'compared', added: [], uncompared: [{ path: 'b' }], existing: elsewhere },
    });
  });

  it('at both: what it told of the file is still known', () => {
    const parseError = fingerprinted([aParsedFinding({ kind: 'parse_error', path: 'a', line: 1, rule: null })]);

    expect(compare({ ...broken, findings: parseError }, { ...broken, findings: parseError })).toMatchObject({
      ...{ kind: 'compared', added: [], uncompared: [], existing: parseError },
    });
  });

  it('at the head: nothing in these files is fixed, and all else may be', () => {
    const parseError = fingerprinted([aParsedFinding({ kind: 'parse_error', path: 'a', line: 1, rule: null })]);

    expect(compare({ ...broken, findings: parseError }, { findings: [...two, ...elsewhere] })).toMatchObject({
      ...{ kind: 'compared', added: parseError, fixed: elsewhere },
    });
  });

  it('at either side: a package whose tests did not run says nothing of its tests, and the others stand', () => {
    const toTest = (testId: string): EngineRun['findings'] =>
      fingerprinted([
        aParsedFinding({ kind: 'test_failure', path: null, line: null, rule: null, testId, identity: 'failed' }),
      ]);
    const [inside, outside] = [toTest('p/bad::TestA'), toTest('p/good::TestB')];
    const unbuilt = fingerprinted([
      aParsedFinding({ kind: 'collection_error', path: null, line: null, rule: null, testId: 'p/bad', identity: '' }),
    ]);
    const cut = { kind: 'test', complete: false, incompleteWhy: 'p/bad did not build', unparsed: ['p/bad'] } as const;
    const whole = { kind: 'test', tests: [{ id: 'p/good::TestB', outcome: 'passed', path: null }] } as const;

    const atHead = compare(
      { ...cut, ...whole, findings: unbuilt },
      { kind: 'test', findings: [...inside, ...outside] },
    );
    const atBase = compare(
      { kind: 'test', findings: [...inside, ...outside] },
      { ...cut, ...whole, findings: unbuilt },
    );

    expect(atHead).toMatchObject({ kind: 'compared', added: unbuilt, fixed: outside, removedTests: [] });
    expect(atBase).toMatchObject({ kind: 'compared', added: outside, uncompared: inside });
  });

  it.each([
    ['failed', { category: 'tool_failure' }],
    ['did not end by itself', { exit: { kind: 'timed_out', exitCode: null, signal: null, durationMs: 1 } }],
  ] as const)('and then %s says nothing of the other files', (_what, change) => {
    expect(compare({ findings: elsewhere }, { ...broken, ...change }).kind).toBe('not_comparable');
  });
});
