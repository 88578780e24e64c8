import { sortByKey } from '../findings/order-findings.ts';
import { sha256 } from '../hash/sha256.ts';
import { SEVERITIES } from '../model/finding.ts';
import type { PlannedTask, TaskFinding } from '../model/task.ts';

/** Findings that one task is about. */
export interface FindingGroup extends Pick<PlannedTask, 'tool' | 'taskType' | 'priority' | 'fingerprint'> {
  readonly project: string;
  /** The first by place. */
  readonly head: TaskFinding;
  /** Sorted; empty if no finding is in a file. */
  readonly files: readonly string[];
  /** At least one, sorted by place. */
  readonly findings: readonly TaskFinding[];
}

/** In the order of the findings. */
interface Gathered {
  readonly head: TaskFinding;
  readonly members: readonly TaskFinding[];
}

/** Blockers come first, and among equals what other tasks wait for; coverage comes last. */
const SEVERITY_STEP = 100;
const SYSTEMIC = 50;
const SKIPPED_TEST: readonly string[] = ['new-suppression/skipped-test', 'new-suppression/skipped-file'];

/**
 * Findings by what is repaired together, the most urgent first (001.R22, R27): one group for each file, or file of tests, or source
 * file whose coverage is low; but those with one signature in at least `systemicFiles` files are one group by themselves. The order
 * of the findings does not matter.
 */
export function groupFindings(given: readonly TaskFinding[], systemicFiles: number): readonly FindingGroup[] {
  const findings = sortByKey(given, ({ filePath, line, column, symbol, message, fingerprint }) => [
    ...[filePath, line, column, symbol, message, fingerprint],
  ]);
  const bySignature = gather(
    findings.filter(({ meta }) => meta.signature !== null),
    ({ tool, meta: { project, signature } }) => [tool, project, signature],
  );
  const systemic = bySignature.filter(({ members }) => toFiles(members).length >= systemicFiles);
  const taken = new Set(systemic.flatMap(({ members }) => members));
  const others = gather(
    findings.filter((finding) => !taken.has(finding)),
    toFileKey,
  );
  const groups = [
    ...systemic.map((gathered) => toGroup(gathered, 'refactor')),
    ...others.map((gathered) => toGroup(gathered, toTaskType(gathered.head))),
  ];
  return sortByKey(groups, ({ priority, tool, project, files: [file = null], fingerprint }) => [
    -priority,
    ...[tool, project, file, fingerprint],
  ]);
}

function gather(
  findings: readonly TaskFinding[],
  toKey: (finding: TaskFinding) => readonly (string | null)[],
): readonly Gathered[] {
  const byKey = new Map<string, { readonly head: TaskFinding; readonly members: TaskFinding[] }>();
  for (const finding of findings) {
    const key = JSON.stringify(toKey(finding));
    const known = byKey.get(key);
    if (known === undefined) byKey.set(key, { head: finding, members: [finding] });
    else known.members.push(finding);
  }
  return [...byKey.values()];
}

/** A skipped test needs other work than what else is in its file. */
function toFileKey(finding: TaskFinding): readonly (string | null)[] {
  const { tool, filePath, meta } = finding;
  return [tool, meta.project, filePath, toTaskType(finding)];
}

function toTaskType({ kind, symbol }: TaskFinding): PlannedTask['taskType'] {
  if (kind === 'coverage_gap' || kind === 'coverage_threshold') return 'add_test';
  return kind === 'suppression' && SKIPPED_TEST.some((rule) => rule === symbol) ? 'remove_skip' : 'fix';
}

function toGroup({ head, members }: Gathered, taskType: PlannedTask['taskType']): FindingGroup {
  const worst = Math.min(...members.map(({ severity }) => SEVERITIES.indexOf(severity)));
  const urgency = SEVERITY_STEP * (SEVERITIES.length - worst) + (taskType === 'refactor' ? SYSTEMIC : 0);
  const { tool, meta } = head;
  const fingerprints = members.map(({ fingerprint }) => fingerprint).toSorted();
  return {
    ...{ tool, taskType, head, findings: members },
    project: meta.project,
    files: toFiles(members),
    priority: taskType === 'add_test' ? 0 : urgency,
    fingerprint: sha256(JSON.stringify(['task', taskType, tool, meta.project, fingerprints])),
  };
}

function toFiles(findings: readonly TaskFinding[]): readonly string[] {
  return [...new Set(findings.flatMap(({ filePath }) => (filePath === null ? [] : [filePath])))].toSorted();
}
