import { DEFAULT_ENGINE_SETTINGS } from '../../src/core/model/default-policy.ts';
import type { EnginePlan } from '../../src/core/model/engine.ts';
import type { EngineSettings } from '../../src/core/model/policy.ts';
import type { QualityStory } from '../../src/core/quality/quality-story.ts';
import { fakeSha } from './builders.ts';
import { aReport, aRun } from './engine-stories.ts';

/** A plan of an engine; its hash follows from engine and mode. */
export function aPlan(engine: string, change: Partial<EnginePlan> = {}): EnginePlan {
  const mode = change.mode ?? 'target';
  return {
    engine,
    project: '.',
    mode,
    targets: ['.'],
    configPath: null,
    args: [],
    enabled: true,
    profile: null,
    env: {},
    cwd: '.',
    hash: `${engine}-${mode}`,
    scopeHash: engine,
    excludes: [],
    usesToolScope: false,
    ...change,
  };
}

/** Settings of an engine whose work the check needs. */
export const REQUIRED: EngineSettings = { ...DEFAULT_ENGINE_SETTINGS, required: true };

/** eslint and mypy are required, ruff is not; eslint ran and found nothing, and neither did it on the base. */
export function aQualityStory(change: Partial<QualityStory> = {}): QualityStory {
  return {
    headSha: fakeSha('head'),
    baseSha: fakeSha('base'),
    scope: 'changed',
    report: aReport({
      plans: [aPlan('eslint')],
      dedup: [{ engine: 'eslint', project: '.', ran: 'target' }],
      runs: [aRun()],
    }),
    comparisons: [
      {
        kind: 'compared',
        engine: 'eslint',
        project: '.',
        added: [],
        fixed: [],
        existing: [],
        uncompared: [],
        removedTests: [],
        skippedTests: [],
      },
    ],
    added: [],
    accepted: [],
    overBudget: [],
    coverage: [],
    changedLines: new Map(),
    isPatchWhole: true,
    unlooked: [],
    changedConfigs: [],
    setupProblem: null,
    setup: null,
    settings: { eslint: REQUIRED, mypy: REQUIRED, ruff: DEFAULT_ENGINE_SETTINGS },
    failLevel: 'medium',
    ...change,
  };
}
