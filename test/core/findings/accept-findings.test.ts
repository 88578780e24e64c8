import { describe, expect, it } from 'vitest';
import { acceptFindings } from '../../../src/core/findings/accept-findings.ts';
import { compareRuns } from '../../../src/core/findings/compare-runs.ts';
import type { Finding } from '../../../src/core/model/finding.ts';
import type { Acceptance } from '../../../src/core/model/quality.ts';
import { aRun } from '../../support/engine-stories.ts';
import { aGap, findVars, fingerprinted } from './parsed-findings.ts';

const findings = findVars({ a: ['var x;', 'var y;'] });
const [first, second] = findings;
const comparison = compareOf(findings);

function compareOf(head: readonly Finding[]): ReturnType<typeof compareRuns> {
  return compareRuns({ head: aRun({ findings: head }), base: aRun(), renames: new Map(), isInScope: () => true });
}

function anAcceptance(named: readonly (Finding | undefined)[], change: Partial<Acceptance> = {}): Acceptance {
  return { author: 'ada', reason: 'generated code', at: 1, findings: named.flatMap((one) => one ?? []), ...change };
}

describe('acceptFindings', () => {
  it('takes the very findings that a person accepted out of the new ones, and tells who did', () => {
    const acceptance = anAcceptance([first]);

    expect(acceptFindings(comparison, [acceptance])).toEqual({
      comparison: { ...comparison, added: [second] },
      accepted: [{ finding: first, acceptance }],
    });
  });

  it('leaves all as it is without an acceptance', () => {
    expect(acceptFindings(comparison, [])).toEqual({ comparison, accepted: [] });
  });

  it('names the first of several acceptances', () => {
    const [early, late] = [anAcceptance([second]), anAcceptance([first, second], { author: 'bob' })];

    expect(acceptFindings(comparison, [early, late]).accepted).toEqual([
      { finding: first, acceptance: late },
      { finding: second, acceptance: early },
    ]);
  });

  it('does not take another engine at its word, nor another copy of the line', () => {
    const copies = findVars({ a: ['var x;', 'var x;'] });
    const other = findVars({ a: ['var x;'] }).map((finding) => ({ ...finding, tool: 'oxlint' }));

    expect(acceptFindings(comparison, [anAcceptance(other)]).accepted).toEqual([]);
    expect(acceptFindings(compareOf(copies), [anAcceptance([first])]).comparison).toMatchObject({ added: [copies[1]] });
  });

  it('accepts a finding whose line moved', () => {
    const moved = findVars({ a: ['', 'var x;'] });

    expect(acceptFindings(compareOf(moved), [anAcceptance([first])]).accepted).toMatchObject([{ finding: moved[0] }]);
  });

  it('accepts a finding that the tool puts in other words, but no coverage of another share', () => {
    const reworded = findings.map((finding) => ({ ...finding, message: 'Use let.' }));
    expect(acceptFindings(comparison, [anAcceptance(reworded)]).accepted).toHaveLength(2);

    const gaps = fingerprinted([aGap(), aGap({ kind: 'coverage_threshold', path: null })]);
    const worse = gaps.map((gap) => ({ ...gap, message: '79 % covered' }));
    expect(acceptFindings(compareOf(gaps), [anAcceptance(gaps)]).accepted).toHaveLength(2);
    expect(acceptFindings(compareOf(gaps), [anAcceptance(worse)]).accepted).toEqual([]);
  });

  it('accepts nothing where nothing could be compared', () => {
    const unknown = compareRuns({ head: aRun({ findings }), base: null, renames: new Map(), isInScope: () => true });

    expect(acceptFindings(unknown, [anAcceptance(findings)])).toEqual({ comparison: unknown, accepted: [] });
  });
});
