import { createPlan } from '../../../src/core/engines/plan-hash.ts';
import { fingerprintFindings } from '../../../src/core/findings/fingerprint-findings.ts';
import { DEFAULT_ENGINE_SETTINGS, DEFAULT_POLICY } from '../../../src/core/model/default-policy.ts';
import type { EngineRun } from '../../../src/core/model/engine.ts';
import type { ParsedFinding } from '../../../src/core/model/finding.ts';
import type { TaskFinding } from '../../../src/core/model/task.ts';
import { normaliseRun } from '../../../src/core/tasks/normalise-run.ts';
import type { TasksInput } from '../../../src/core/tasks/plan-tasks.ts';
import type { TaskSource } from '../../../src/core/tasks/plan-validation.ts';
import type { KnownTask } from '../../../src/core/tasks/task-history.ts';
import { CATALOGUE } from '../../../src/engines/catalogue.ts';
import { aRun } from '../../support/engine-stories.ts';
import { aFailingTest, aParsedFinding } from '../findings/parsed-findings.ts';

/** Where engines run in these tests. */
export const ROOT = '/work';

/** An engine of the catalogue that ran in one project. */
export function aSource(id: string, change: Partial<TaskSource> = {}, project = '.'): TaskSource {
  const spec = CATALOGUE.find((each) => each.id === id);
  if (spec === undefined) throw new Error(`no engine ${id}`);
  const inputs = {
    ...{ engine: id, project, configPath: null, cwd: project, args: [], env: spec.env },
    ...{ targets: [project], enabled: true, profile: null, excludes: [] },
  };
  const [launcher] = spec.launchers;
  return {
    spec,
    settings: DEFAULT_ENGINE_SETTINGS,
    plan: createPlan('target', inputs, ['.'], id === 'pytest'),
    tool: { start: toStart(launcher), version: null, companions: [], python: null },
    isComplete: true,
    ...change,
  };
}

function toStart(launcher: TaskSource['spec']['launchers'][number] | undefined): readonly string[] {
  switch (launcher?.kind) {
    case 'node':
      return ['/usr/bin/node', `${ROOT}/node_modules/${launcher.script}`];
    case 'python':
      return [`${ROOT}/.venv/bin/python`, '-m', launcher.module];
    case 'program':
      return [launcher.name];
    default:
      return ['./run'];
  }
}

/** A run of that engine with these findings, complete unless it says otherwise. */
export function aRunOf(tool: string, findings: readonly ParsedFinding[], change: Partial<EngineRun> = {}): EngineRun {
  return aRun({ engine: tool, findings: fingerprintFindings({ tool, findings, lineText: null }), ...change });
}

/** The findings of such a run, as tasks are planned from them. */
export function found(
  tool: string,
  findings: readonly ParsedFinding[],
  change: Partial<EngineRun> = {},
): readonly TaskFinding[] {
  return normaliseRun(aRunOf(tool, findings, change), null);
}

/** A failing test of pytest, whose own expectation was not met. */
export function aTest(file: string, name: string, change: Partial<ParsedFinding> = {}): ParsedFinding {
  const testId = `${file}::${name}`;
  return aFailingTest({ path: file, testId, identity: `AssertionError|${file}|${name}`, ...change });
}

/** What a linter says. */
export function aLint(path: string, line = 1, change: Partial<ParsedFinding> = {}): ParsedFinding {
  return aParsedFinding({ path, line, message: `line ${String(line)} is wrong`, ...change });
}

/** A file that could not be loaded. */
export function anUnloaded(file: string, message = "ModuleNotFoundError: No module named 'lib'"): ParsedFinding {
  const identity = `ModuleNotFoundError|${file}|<module>`;
  return aFailingTest({ kind: 'collection_error', severity: 'blocker', path: file, testId: file, message, identity });
}

/** What planning is given, with nothing found and nothing known. */
export function aTasksInput(change: Partial<TasksInput> = {}): TasksInput {
  return {
    findings: [],
    sources: [aSource('pytest'), aSource('eslint')],
    place: { root: ROOT, artifacts: '/out', files: [], texts: {} },
    commands: [],
    settings: DEFAULT_POLICY.tasks,
    known: [],
    base: 'base-1',
    ...change,
  };
}

/** A task that planning knows of. */
export function aKnown(change: Partial<KnownTask> = {}): KnownTask {
  return {
    ...{ fingerprint: 'known', tool: 'eslint', taskType: 'fix', worker: 'agent', status: 'blocked' },
    ...{ cause: 'RETRY_CAP', findings: [], targets: { files: [], testIds: [], modules: [] } },
    ...{ retryPolicy: { maxRetries: 2 }, attempts: 3, isOfRun: true, base: 'base-1' },
    ...change,
  };
}
