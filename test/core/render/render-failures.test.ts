import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ReportedFailure } from '../../../src/core/model/reported-failure.ts';
import { renderFailures } from '../../../src/core/render/render-failures.ts';
import { renderFailingChecks } from '../../../src/core/render/render-seen.ts';
import { aStory } from '../../support/a-story.ts';
import { aCheck, aDiagnosis, aPullRequest, aVerdict, aWorkspace, fakeSha } from '../../support/builders.ts';
import { hostileText, LIVE, nodesOf, proseOf } from '../../support/hostile-text.ts';

const HEAD = {
  headSha: fakeSha('head'),
  toFileUrl: ({ path, line }: { readonly path: string; readonly line: number | null }) =>
    `https://github.test/${encodeURIComponent(path.toWellFormed())}#${line ?? 'file'}`,
};

function aFailure(change: Partial<ReportedFailure> = {}): ReportedFailure {
  return { job: 'build', tool: null, path: 'a.ts', line: 3, rule: null, testId: null, message: 'It broke.', ...change };
}

const linesOf = (...failures: readonly ReportedFailure[]): readonly string[] => renderFailures(failures, 'build', HEAD);

describe('what a red job reports', () => {
  it.each([
    [{}, '[`a.ts:3`](<https://github.test/a.ts#3>): It broke.'],
    [{ line: null }, '[`a.ts`](<https://github.test/a.ts#file>): It broke.'],
    [{ rule: 'TS1' }, '[`a.ts:3`](<https://github.test/a.ts#3>) `TS1`: It broke.'],
    [{ testId: 'adds', path: null, line: null }, '`adds`: It broke.'],
    [{ testId: 'adds', message: 'adds', rule: '' }, '[`a.ts:3`](<https://github.test/a.ts#3>) `adds`'],
    [{ message: '' }, '[`a.ts:3`](<https://github.test/a.ts#3>)'],
  ])('is shown by its place, test, rule and message: %j', (change, text) => {
    expect(linesOf(aFailure(change))).toEqual([`  - ${text}`]);
  });

  it('is that of the job alone, and not too much of it', () => {
    const many = Array.from({ length: 7 }, (_, index) => aFailure({ line: index + 1 }));
    const lines = linesOf(aFailure({ job: 'other' }), ...many);
    expect(lines).toHaveLength(6);
    expect(lines.at(-1)).toBe('  - and 2 more');
  });

  it('is nothing but text, whatever a log says (T55)', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const markdown = linesOf(aFailure({ path: text, testId: text, rule: text, message: text })).join('\n');
        expect(nodesOf(markdown).filter(({ type }) => type === 'html' || type === 'heading')).toEqual([]);
        expect(proseOf(markdown)).not.toMatch(LIVE);
      }),
      { numRuns: 100 },
    );
  });

  it('stands below its check while the diagnosis is that of these results', () => {
    const failing = [{ name: 'build', conclusion: 'failure', check: aCheck({ id: 1, name: 'build' }) }];
    const show = (change: { readonly ciRunId?: string } = {}): string => {
      const workspace = aWorkspace({ diagnosis: aDiagnosis({ ...change, failures: [aFailure()] }) });
      return renderFailingChecks(aStory({}, { ci: aVerdict({ failing }), workspace }));
    };
    const url = `https://github.example/acme/widget/blob/${aPullRequest().headSha}/a.ts#L3`;
    expect(show()).toContain(`- \`build\`: failure\n  - [\`a.ts:3\`](<${url}>): It broke.`);
    expect(show({ ciRunId: 'another' })).not.toContain('a.ts');
  });
});
