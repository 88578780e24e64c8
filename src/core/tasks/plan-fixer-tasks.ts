import { type PlannedFix, planFixes } from '../engines/plan-fixes.ts';
import { sha256 } from '../hash/sha256.ts';
import type { PlannedTask } from '../model/task.ts';
import { toCountText } from '../text/words.ts';
import type { TasksInput } from './plan-tasks.ts';
import { planEngineValidation, type TaskSource } from './plan-validation.ts';

/** A task that the tool's own fixer does, and how. */
export interface FixerTask {
  readonly task: PlannedTask;
  readonly fix: PlannedFix;
}

/** Above the priority of every task of an agent. */
const FIRST_PRIORITY = 10_000;

/**
 * What the tools' own fixers do before any agent works (001.R53): one task for each engine and project that has a fixer and findings
 * in files, to be run one after another, layout last. Each is tried once in a run. What is left afterwards shows another
 * collection; only then are the tasks of agents planned. `files`: the regular files of the repository.
 */
export function planFixerTasks(input: TasksInput, files: readonly string[]): readonly FixerTask[] {
  const { findings, sources, known } = input;
  const fixes = sources.flatMap((source) => {
    const { spec, plan } = source;
    const own = findings.filter(({ tool, meta }) => tool === spec.id && meta.project === plan.project);
    const changed = new Set(own.flatMap(({ filePath }) => (filePath === null ? [] : [filePath])));
    return planFixes({ specs: [spec], plans: [plan], mode: plan.mode, files, changed }).map((fix) => ({
      ...{ source, fix },
      findings: own
        .filter(({ filePath }) => fix.plan.targets.includes(filePath ?? ''))
        .map(({ fingerprint }) => fingerprint),
    }));
  });
  const isLast = ({ source }: (typeof fixes)[number]): boolean => source.spec.fixer?.formats === true;
  const ordered = [...fixes.filter((each) => !isLast(each)), ...fixes.filter(isLast)];
  return ordered
    .map((each, index) => ({ task: toTask(each, FIRST_PRIORITY - index, input), fix: each.fix }))
    .filter(({ task }) => !known.some(({ isOfRun, fingerprint }) => isOfRun && fingerprint === task.fingerprint));
}

function toTask(
  {
    source,
    fix,
    findings,
  }: { readonly source: TaskSource; readonly fix: PlannedFix; readonly findings: readonly string[] },
  priority: number,
  { place }: Pick<TasksInput, 'place'>,
): PlannedTask {
  const { engine, project, targets } = fix.plan;
  const count = toCountText(targets.length, 'file');
  // It may leave findings that it cannot fix, but it must not make new ones.
  const criteria = { require_exit_code_0: false, max_new_findings: 0, min_coverage_delta: null };
  return {
    fingerprint: sha256(JSON.stringify(['fixer', engine, project])),
    tool: engine,
    taskType: 'fix',
    worker: 'fixer',
    priority,
    title: `Let ${engine} fix what it can in ${count}`,
    description: targets.join('\n'),
    targets: { files: targets, testIds: [], modules: [] },
    validation: planEngineValidation(source, targets, { place, criteria }),
    retryPolicy: { maxRetries: 0 },
    dependsOn: [],
    findings: findings.toSorted(),
  };
}
