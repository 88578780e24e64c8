import type { EngineRun } from '../model/engine.ts';
import { type Finding, type FindingKind, SEVERITIES, type Severity } from '../model/finding.ts';
import { toProjectKey } from '../model/project.ts';
import type { Acceptance, AppliedAcceptance, BudgetSet, FileBudget } from '../model/quality.ts';
import { findAcceptance } from './accept-findings.ts';
import { isConclusive } from './is-conclusive.ts';
import { sortByKey } from './order-findings.ts';

export interface BudgetInput {
  /** All sets of a base branch. */
  readonly budgets: readonly BudgetSet[];
  /** A run on that branch. */
  readonly run: EngineRun;
  /** Acceptances that were given on the way into that branch. */
  readonly accepted: readonly Acceptance[];
  /** Whether the engine checks a file. Default: it checks every file. */
  readonly isInScope?: (path: string) => boolean;
}

/** A file with more findings of one severity than its budget. */
export interface OverBudget {
  readonly engine: string;
  readonly project: string;
  readonly path: string | null;
  readonly severity: Severity;
  readonly count: number;
  readonly budget: number;
}

/** Failing tests are tracked by id and coverage by share, not by a count per file. A skipped test would also lower the count. */
const BUDGETED_KINDS: ReadonlySet<FindingKind> = new Set(['lint', 'type', 'format', 'parse_error', 'suppression']);
/** Most sets of one engine and project, and most acceptances that one set remembers. The oldest are dropped. */
const MAX_SETS = 100;
const MAX_APPLIED = 10_000;

type Counts = Readonly<Record<Severity, number>>;
type CountsByPath = ReadonlyMap<string | null, Counts>;

/**
 * The budgets after one more run of the base branch. Each file's new budget is the smaller of its budget and its count, so
 * budgets only fall. A finding that a person accepted raises them once. Deleted and clean files lose their budget. The first run of a signature starts a new set and leaves the others unchanged. A run that is inconclusive or not
 * TARGET changes nothing: the same sets are returned.
 */
export function nextBudgets({ budgets, run, accepted, isInScope = () => true }: BudgetInput): readonly BudgetSet[] {
  if (run.mode !== 'target' || !isConclusive(run)) return budgets;
  const old = findSet(budgets, run);
  const applying = toApplying(run, accepted, old?.applied ?? []);
  const found = countByPath(run.findings);
  const counts = old === undefined ? found : toLowered({ old, found, applying, isInScope });
  const newlyApplied = applying.map(({ finding: { fingerprint }, acceptance: { at } }) => ({ fingerprint, at }));
  const next: BudgetSet = {
    engine: run.engine,
    project: run.project,
    signature: run.signature,
    files: toFileBudgets(counts),
    applied: [...(old?.applied ?? []), ...newlyApplied].slice(-MAX_APPLIED),
  };
  const others = budgets.filter((set) => set !== old);
  const isOwn = (set: BudgetSet): boolean => toProjectKey(set) === toProjectKey(run);
  const own = [...others.filter(isOwn), next].slice(-MAX_SETS);
  return [...others.filter((set) => !isOwn(set)), ...own];
}

/**
 * Files of a run with more findings than their budgets, which acceptances that were not applied yet raise. Sorted by path, then
 * worst severity first. Sets are found by engine and signature, never by mode, so a run that stands for both modes has a budget
 * too. Empty if no complete run of this signature exists yet. An incomplete run can prove a file over its budget, but not within.
 */
export function overBudget(
  budgets: readonly BudgetSet[],
  run: EngineRun,
  accepted: readonly Acceptance[] = [],
): readonly OverBudget[] {
  const set = findSet(budgets, run);
  if (set === undefined) return [];
  const allowed = toCountsByPath(set);
  const raised = countByPath(toApplying(run, accepted, set.applied).map(({ finding }) => finding));
  const over = [...countByPath(run.findings)].flatMap(([path, found]) =>
    SEVERITIES.map((severity) => ({
      engine: run.engine,
      project: run.project,
      path,
      severity,
      count: found[severity],
      budget: toCount(allowed, path, severity) + toCount(raised, path, severity),
    })).filter(({ count, budget }) => count > budget),
  );
  return sortByKey(over, ({ path, severity }) => [path, SEVERITIES.indexOf(severity)]);
}

function findSet(budgets: readonly BudgetSet[], run: EngineRun): BudgetSet | undefined {
  return budgets.find((set) => toProjectKey(set) === toProjectKey(run) && set.signature === run.signature);
}

interface Applying {
  readonly finding: Finding;
  readonly acceptance: Acceptance;
}

/** Accepted findings of the run that have not raised a budget yet. */
function toApplying(
  run: EngineRun,
  accepted: readonly Acceptance[],
  applied: readonly AppliedAcceptance[],
): readonly Applying[] {
  const done = new Set(applied.map(toAppliedKey));
  return run.findings.filter(isBudgeted).flatMap((finding) => {
    const pending = accepted.filter(({ at }) => !done.has(toAppliedKey({ fingerprint: finding.fingerprint, at })));
    const acceptance = findAcceptance(finding, pending);
    return acceptance === undefined ? [] : [{ finding, acceptance }];
  });
}

function toAppliedKey({ fingerprint, at }: AppliedAcceptance): string {
  return `${String(at)} ${fingerprint}`;
}

function isBudgeted({ kind }: Finding): boolean {
  return BUDGETED_KINDS.has(kind);
}

function countByPath(findings: readonly Finding[]): CountsByPath {
  const groups = Map.groupBy(findings.filter(isBudgeted), ({ path }) => path);
  return new Map([...groups].map(([path, group]) => [path, toCounts((severity) => countOf(group, severity))]));
}

function countOf(findings: readonly Finding[], severity: Severity): number {
  return findings.filter((finding) => finding.severity === severity).length;
}

function toCounts(toNumber: (severity: Severity) => number): Counts {
  return { blocker: toNumber('blocker'), high: toNumber('high'), medium: toNumber('medium'), low: toNumber('low') };
}

function toCount(counts: CountsByPath, path: string | null, severity: Severity): number {
  return counts.get(path)?.[severity] ?? 0;
}

interface LowerInput extends Required<Pick<BudgetInput, 'isInScope'>> {
  readonly old: BudgetSet;
  readonly found: CountsByPath;
  readonly applying: readonly Applying[];
}

/** A file that the engine no longer checks keeps its budget, because finding nothing there proves nothing. */
function toLowered({ old, found, applying, isInScope }: LowerInput): CountsByPath {
  const allowed = toCountsByPath(old);
  const raised = countByPath(applying.map(({ finding }) => finding));
  const paths = new Set([...allowed.keys(), ...raised.keys()]);
  const toNext = (path: string | null): Counts => {
    const isSeen = path === null || isInScope(path);
    return toCounts((severity) => {
      const most = toCount(allowed, path, severity) + toCount(raised, path, severity);
      return isSeen ? Math.min(most, toCount(found, path, severity)) : most;
    });
  };
  return new Map([...paths].map((path) => [path, toNext(path)]));
}

function toCountsByPath({ files }: BudgetSet): CountsByPath {
  return new Map(files.map(({ path, counts }) => [path, counts]));
}

function toFileBudgets(counts: CountsByPath): readonly FileBudget[] {
  const files = [...counts].map(([path, of]) => ({ path, counts: of }));
  const listed = files.filter(({ counts: of }) => SEVERITIES.some((severity) => of[severity] > 0));
  return sortByKey(listed, ({ path }) => [path]);
}
