import { createScopeMatcher } from '../engines/canonical-scope.ts';
import type { CommandSpec, SuccessCriteria } from '../model/agent-contract.ts';
import type { Policy } from '../model/policy.ts';
import type { PlannedTask, TaskFinding, TaskTargets, ValidationSpec } from '../model/task.ts';
import { describeGroup } from './describe-group.ts';
import { type FindingGroup, groupFindings } from './group-findings.ts';
import { planEngineValidation, type TaskSource, type ValidationPlace } from './plan-validation.ts';
import { findGone, isOpen, type KnownTask, toHeldFindings } from './task-history.ts';

export interface TasksInput {
  /** Normalised, of all engines and of CI. */
  readonly findings: readonly TaskFinding[];
  /** The engines that ran, each in each of its projects. */
  readonly sources: readonly TaskSource[];
  readonly place: ValidationPlace;
  /** The commands of the policy that validate any change; empty: there are none. */
  readonly commands: readonly CommandSpec[];
  readonly settings: Policy['tasks'];
  /** Tasks of this run, and of earlier ones. */
  readonly known: readonly KnownTask[];
  /** See `KnownTask.base`. */
  readonly base: string;
}

/** Why findings do not become a task now. Stable names. */
export const UNPLANNED = [
  /** A task of theirs is open or blocked. */
  'HELD_BACK',
  /** Coverage, but tests fail or did not all run, so nobody knows what is covered. */
  'TESTS_FIRST',
  /** Coverage that is not below the limit of the policy. */
  'COVERED_ENOUGH',
  /** Nothing could show that they are repaired. */
  'NO_VALIDATION',
  /** Their task succeeded before, and has no attempt left. */
  'RETRY_CAP',
  /** The run has as many tasks as it may have. */
  'MAX_TASKS',
] as const;
export type Unplanned = (typeof UNPLANNED)[number];

export interface TasksPlan {
  /** New tasks, in the order of their priority. */
  readonly tasks: readonly PlannedTask[];
  /** Fingerprints of ended tasks of the run whose findings are back: they are queued again. */
  readonly reopened: readonly string[];
  /** Fingerprints of queued tasks whose findings are gone: they are abandoned. */
  readonly gone: readonly string[];
  /** Every finding that no task is about, with the reason. */
  readonly unplanned: readonly { readonly finding: TaskFinding; readonly why: Unplanned }[];
}

/** What is said of a group: its task, or why there is none. */
type Said = { readonly group: FindingGroup } & (
  | { readonly kind: 'task'; readonly task: PlannedTask }
  | { readonly kind: 'reopened' }
  | { readonly kind: 'unplanned'; readonly why: Unplanned }
);

/**
 * The tasks for what was found (001.R3, R6, R22, R27): one for each file, systemic ones that others wait for, coverage after the tests
 * pass. It asks the history, so planning again neither revives what is blocked nor repeats what is open. Equal input gives equal
 * plans, in any order of the findings.
 */
export function planTasks(input: TasksInput): TasksPlan {
  const { findings, sources, known, base, settings } = input;
  const held = toHeldFindings(known, base);
  const early = findings.map((finding) => ({ finding, why: findObstacle(finding, held, input) }));
  const groups = groupFindings(
    early.flatMap(({ finding, why }) => (why === null ? [finding] : [])),
    settings.systemicFiles,
  );
  const room = Math.max(
    0,
    settings.maxTasks - known.filter(({ isOfRun, worker }) => isOfRun && worker === 'agent').length,
  );
  const said = limit(
    groups.map((group) => plan(group, input)),
    room,
  );
  const tasks = said.flatMap((each) => (each.kind === 'task' ? [each] : []));
  return {
    tasks: tasks.map(({ task, group }) => ({ ...task, dependsOn: findDependencies(group, tasks, input) })),
    reopened: said.flatMap((each) => (each.kind === 'reopened' ? [each.group.fingerprint] : [])),
    gone: findGone(known, findings, (tool) => hasSeenAll(tool, sources)),
    unplanned: [
      ...early.flatMap(({ finding, why }) => (why === null ? [] : [{ finding, why }])),
      ...said.flatMap((each) =>
        each.kind === 'unplanned' ? each.group.findings.map((finding) => ({ finding, why: each.why })) : [],
      ),
    ],
  };
}

function findObstacle(finding: TaskFinding, held: ReadonlySet<string>, input: TasksInput): Unplanned | null {
  if (held.has(finding.fingerprint)) return 'HELD_BACK';
  if (finding.kind !== 'coverage_gap' && finding.kind !== 'coverage_threshold') return null;
  const source = findSource(finding.tool, finding.meta.project, input);
  if (source?.isComplete !== true || hasOpenTests(input)) return 'TESTS_FIRST';
  const isEnough = finding.kind === 'coverage_gap' && (finding.meta.percent ?? 0) >= input.settings.coverageBelow;
  return isEnough ? 'COVERED_ENOUGH' : null;
}

/** An engine looked at everything if it did so in each of its projects. */
function hasSeenAll(tool: string, sources: readonly TaskSource[]): boolean {
  const own = sources.filter(({ spec }) => spec.id === tool);
  return own.length > 0 && own.every(({ isComplete }) => isComplete);
}

function hasOpenTests({ known, sources }: TasksInput): boolean {
  const tests = new Set(sources.flatMap(({ spec }) => (spec.kind === 'test' ? [spec.id] : [])));
  return known.some((task) => isOpen(task) && tests.has(task.tool));
}

function findSource(tool: string, project: string, { sources }: TasksInput): TaskSource | undefined {
  return sources.find(({ spec, plan: { project: own } }) => spec.id === tool && own === project);
}

function plan(group: FindingGroup, input: TasksInput): Said {
  const { known, settings } = input;
  const maxRetries = group.taskType === 'refactor' ? settings.systemicRetries : settings.retries;
  const same = known.find(({ isOfRun, fingerprint }) => isOfRun && fingerprint === group.fingerprint);
  // It is not held, so it has ended without being blocked.
  if (same !== undefined) {
    return same.attempts <= maxRetries ? { kind: 'reopened', group } : { kind: 'unplanned', group, why: 'RETRY_CAP' };
  }
  const validation = planValidation(group, input);
  if (validation === null) return { kind: 'unplanned', group, why: 'NO_VALIDATION' };
  const { tool, taskType, priority, fingerprint, findings } = group;
  const task: PlannedTask = {
    ...{ fingerprint, tool, taskType, priority, validation },
    worker: 'agent',
    ...describeGroup(group),
    targets: toTargets(group),
    retryPolicy: { maxRetries },
    dependsOn: [],
    findings: findings.map(({ fingerprint: own }) => own).toSorted(),
  };
  return { kind: 'task', group, task };
}

/** The most urgent tasks that there is room for. */
function limit(said: readonly Said[], room: number): readonly Said[] {
  let left = room;
  return said.map((each): Said => {
    if (each.kind !== 'task') return each;
    left -= 1;
    return left >= 0 ? each : { kind: 'unplanned', group: each.group, why: 'MAX_TASKS' };
  });
}

/** null: nothing can be run that would show whether it is repaired. */
function planValidation(group: FindingGroup, input: TasksInput): ValidationSpec | null {
  const source = findSource(group.tool, group.project, input);
  if (source !== undefined) {
    const paths = source.spec.kind === 'coverage' ? [] : group.files;
    return planEngineValidation(source, paths, { place: input.place, criteria: toCriteria(group, input) });
  }
  if (input.commands.length === 0) return null;
  const successCriteria = { require_exit_code_0: true, max_new_findings: null, min_coverage_delta: null };
  return { commands: input.commands, check: null, successCriteria };
}

/**
 * Other findings of the same files may stay, and make the tool fail; those are counted instead. What hid other findings (a file that
 * did not load) may show them once it is repaired.
 */
function toCriteria({ taskType, tool, project, files, findings }: FindingGroup, input: TasksInput): SuccessCriteria {
  if (taskType === 'add_test') {
    return { require_exit_code_0: false, max_new_findings: null, min_coverage_delta: input.settings.coverageDelta };
  }
  if (findings.some(({ severity }) => severity === 'blocker')) {
    return { require_exit_code_0: false, max_new_findings: null, min_coverage_delta: null };
  }
  const isSeen = files.length === 0 ? () => true : createScopeMatcher(files);
  const seen = input.findings.filter(
    (finding) => finding.tool === tool && finding.meta.project === project && isSeen(finding.filePath ?? '.'),
  );
  return { require_exit_code_0: seen.length === findings.length, max_new_findings: 0, min_coverage_delta: null };
}

function toTargets({ taskType, files, findings }: FindingGroup): TaskTargets {
  const testIds = findings.flatMap(({ kind, testId }) => (kind === 'test_failure' && testId !== null ? [testId] : []));
  return {
    files,
    testIds: [...new Set(testIds)].toSorted(),
    modules: taskType === 'add_test' ? files : [],
  };
}

/** A file's own tasks wait for a systemic one that changes it, and coverage for all tests. */
function findDependencies(
  group: FindingGroup,
  planned: readonly { readonly task: PlannedTask; readonly group: FindingGroup }[],
  { known, sources }: TasksInput,
): readonly string[] {
  if (group.taskType === 'refactor') return [];
  const isTest = (tool: string): boolean => sources.some(({ spec }) => spec.id === tool && spec.kind === 'test');
  const shares = (files: readonly string[]): boolean => files.some((file) => group.files.includes(file));
  const open = known.filter((task) => isOpen(task));
  return [...planned.map(({ task }) => task), ...open]
    .filter(
      ({ taskType, tool, targets }) =>
        (taskType === 'refactor' && shares(targets.files)) || (group.taskType === 'add_test' && isTest(tool)),
    )
    .map(({ fingerprint }) => fingerprint)
    .toSorted();
}
