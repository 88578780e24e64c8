import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EnginesReport } from '../../../src/core/model/engine-report.ts';
import { SEVERITIES } from '../../../src/core/model/finding.ts';
import { concludeQuality, findUncertain, findUnfit } from '../../../src/core/quality/conclude-quality.ts';
import type { QualityStory } from '../../../src/core/quality/quality-story.ts';
import { aFinding, anEngineError, aReport, aRun } from '../../support/engine-stories.ts';
import { aPlan, aQualityStory } from '../../support/quality-stories.ts';

/** eslint ran well; the rest of the report as given. */
function ran(change: Partial<EnginesReport>): EnginesReport {
  return aReport({ plans: [aPlan('eslint'), aPlan('mypy')], runs: [aRun()], ...change });
}

const NOT_COMPARABLE = {
  kind: 'not_comparable',
  engine: 'eslint',
  project: '.',
  why: 'another version',
  findings: [aFinding()],
  existing: [],
} as const;
const COMPARED = {
  kind: 'compared',
  engine: 'eslint',
  project: '.',
  added: [],
  fixed: [],
  existing: [],
  uncompared: [],
  removedTests: [],
  skippedTests: [],
} as const;
const INVALID = { code: 'EMPTY_SCOPE', message: 'paths is empty' } as const;
const OVER = { engine: 'eslint', project: '.', path: 'src/a.ts', severity: 'high', count: 2, budget: 1 } as const;

const CASES: readonly (readonly [string, Partial<QualityStory>, string])[] = [
  ['nothing new and all complete', {}, 'success'],
  ['a new finding at the level', { added: [aFinding({ severity: 'medium' })] }, 'failure'],
  ['a new finding above the level', { added: [aFinding({ severity: 'blocker' })] }, 'failure'],
  ['a change that could not be read whole', { isPatchWhole: false }, 'action_required'],
  ['a change that moves a submodule, which nobody looked at (E5)', { unlooked: ['vendor/lib'] }, 'action_required'],
  [
    'a new finding in a change that could not be read whole',
    { isPatchWhole: false, added: [aFinding({ severity: 'medium' })] },
    'failure',
  ],
  ['a new finding below the level', { added: [aFinding({ severity: 'low' })] }, 'success'],
  ['a file over its budget', { overBudget: [OVER] }, 'failure'],
  ['a file over its budget, below the level', { overBudget: [{ ...OVER, severity: 'low' }] }, 'success'],
  ['a required engine that failed', { report: ran({ engineErrors: [anEngineError()] }) }, 'failure'],
  [
    'a required engine that failed in one of two modes',
    { report: ran({ engineErrors: [anEngineError({ engine: 'eslint', project: '.', mode: 'current' })] }) },
    'failure',
  ],
  [
    'an engine that failed and is not required',
    { report: ran({ engineErrors: [anEngineError({ engine: 'ruff', project: '.' })] }) },
    'success',
  ],
  [
    'an engine that failed and of which nothing is set',
    { report: ran({ engineErrors: [anEngineError({ engine: 'biome', project: '.' })] }) },
    'success',
  ],
  [
    'a configuration error of a required engine',
    { report: ran({ configErrors: [{ engine: 'mypy', ...INVALID }] }) },
    'failure',
  ],
  [
    'a configuration error of one that is not',
    { report: ran({ configErrors: [{ engine: 'ruff', ...INVALID }] }) },
    'success',
  ],
  [
    'a required engine without its dependencies',
    { report: ran({ skipped: [{ engine: 'mypy', project: '.', why: 'dependencies_missing' }] }) },
    'failure',
  ],
  [
    'a required engine with nothing to do',
    { report: ran({ skipped: [{ engine: 'mypy', project: '.', why: 'no_applicable_files' }] }) },
    'success',
  ],
  [
    'a required engine that policy switches off',
    { report: ran({ skipped: [{ engine: 'mypy', project: '.', why: 'disabled' }] }) },
    'success',
  ],
  ['findings of a required engine that cannot be compared', { comparisons: [NOT_COMPARABLE] }, 'action_required'],
  [
    'findings that cannot be compared and are all known to the base',
    { comparisons: [{ ...NOT_COMPARABLE, existing: [aFinding()] }] },
    'success',
  ],
  ['nothing found and nothing to compare with', { comparisons: [{ ...NOT_COMPARABLE, findings: [] }] }, 'success'],
  ['coverage that cannot be compared', { comparisons: [{ ...COMPARED, uncompared: [aFinding()] }] }, 'action_required'],
  [
    'findings of another engine that cannot be compared',
    { comparisons: [COMPARED, { ...NOT_COMPARABLE, engine: 'ruff', project: '.' }] },
    'success',
  ],
  [
    'a required engine that did not see everything',
    { report: ran({ runs: [aRun({ complete: false })] }) },
    'action_required',
  ],
  [
    'an incomplete engine that is not required',
    { report: ran({ runs: [aRun(), aRun({ engine: 'ruff', project: '.', complete: false })] }) },
    'success',
  ],
  [
    'an incomplete CURRENT beside a complete TARGET',
    { report: ran({ runs: [aRun({ mode: 'current', complete: false }), aRun()] }) },
    'success',
  ],
  ['no engine at all', { report: aReport(), comparisons: [] }, 'action_required'],
  [
    'no engine with anything to do',
    {
      report: ran({ runs: [], skipped: [{ engine: 'eslint', project: '.', why: 'no_applicable_files' }] }),
      comparisons: [],
    },
    'action_required',
  ],
  [
    'not one engine that gave an answer',
    { report: ran({ runs: [], engineErrors: [anEngineError({ engine: 'ruff', project: '.' })] }), comparisons: [] },
    'action_required',
  ],
  [
    'engines that all looked at nothing, and are not required',
    {
      report: ran({
        runs: [aRun({ engine: 'ruff', complete: false, incompleteWhy: 'it looked at no file', findings: [] })],
      }),
      comparisons: [],
    },
    'action_required',
  ],
  [
    'a single engine that is not required, found something and did not see everything',
    { report: ran({ runs: [aRun({ engine: 'ruff', complete: false, findings: [aFinding()] })] }), comparisons: [] },
    'action_required',
  ],
  [
    'not one engine whose settings can be used',
    { report: aReport({ configErrors: [{ engine: 'ruff', ...INVALID }] }), comparisons: [] },
    'action_required',
  ],
];

describe('the conclusion of the check run "Ratchet / quality"', () => {
  it.each(CASES)('with %s', (_what, change, conclusion) => {
    expect(concludeQuality(aQualityStory(change))).toBe(conclusion);
  });

  it('fails on a new finding whatever else is open', () => {
    const story = aQualityStory({ added: [aFinding()], comparisons: [NOT_COMPARABLE] });

    expect(concludeQuality(story)).toBe('failure');
  });

  it('follows the level of the policy', () => {
    fc.assert(
      fc.property(fc.constantFrom(...SEVERITIES), fc.constantFrom(...SEVERITIES), (severity, failLevel) => {
        const story = aQualityStory({ added: [aFinding({ severity })], failLevel });
        const isBadEnough = SEVERITIES.indexOf(severity) <= SEVERITIES.indexOf(failLevel);
        expect(concludeQuality(story)).toBe(isBadEnough ? 'failure' : 'success');
      }),
    );
  });

  it('keeps what failed and what cannot be told apart, each engine once', () => {
    const report = ran({
      engineErrors: [
        anEngineError(),
        anEngineError({ mode: 'current' }),
        anEngineError({ engine: 'eslint', project: '.' }),
      ],
      runs: [aRun({ complete: false }), aRun({ engine: 'ruff', project: '.', complete: false })],
    });

    expect(findUnfit({ report })).toEqual(['eslint', 'mypy']);
    expect(findUncertain({ report, comparisons: [{ ...NOT_COMPARABLE, engine: 'ruff', project: '.' }] })).toEqual([
      'ruff',
    ]);
  });
});
