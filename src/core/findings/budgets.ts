import type { EngineRun } from '../model/engine.ts';
import { type Finding, type FindingKind, SEVERITIES, type Severity } from '../model/finding.ts';
import type { Acceptance, AppliedAcceptance, BudgetSet, FileBudget } from '../model/quality.ts';
import { findAcceptance } from './accept-findings.ts';
import { isConclusive } from './is-conclusive.ts';
import { sortByKey } from './order-findings.ts';

export interface BudgetInput {
  /** All sets of a base branch. */
  readonly budgets: readonly BudgetSet[];
  /** A run of that branch. */
  readonly run: EngineRun;
  /** What was accepted on the way into that branch. */
  readonly accepted: readonly Acceptance[];
  /** Path now to path when the budgets were made, of files that were renamed since. */
  readonly renames?: ReadonlyMap<string, string>;
  /** Whether the engine looks at a file; by default it looks at all. */
  readonly isInScope?: (path: string) => boolean;
}

/** A file that has more findings of one severity than it may. */
export interface OverBudget {
  readonly path: string | null;
  readonly severity: Severity;
  readonly budget: number;
  readonly found: number;
}

export type BudgetVerdict =
  /** `over`: by path, then the worst severity; also an incomplete run may be over budget, but proves none kept. */
  | { readonly kind: 'judged'; readonly over: readonly OverBudget[] }
  /** No complete run of this signature was seen yet, so nothing is known to be too much. */
  | { readonly kind: 'no_budget' };

/**
 * A failing test is found again by its id and coverage by its share; neither is a number of findings in a file, and a test that is
 * skipped would lower it.
 */
const BUDGETED_KINDS: ReadonlySet<FindingKind> = new Set(['lint', 'type', 'format', 'parse_error', 'suppression']);
/** Most sets of one engine, and most acceptances that one set remembers; the oldest leave. */
const MAX_SETS = 100;
const MAX_APPLIED = 10_000;

type Counts = Readonly<Record<Severity, number>>;
type CountsByPath = ReadonlyMap<string | null, Counts>;

/**
 * The budgets after one more run of the base branch: for each file the smaller one of what it may have and what it has, so they only
 * fall. The very findings that a person accepted raise them, once each. Renamed files keep their budget, files that are gone or
 * clean leave. The first run of a signature starts a set of its own and leaves the others as they are. A run that is not conclusive
 * or no TARGET run changes nothing: the same sets are returned.
 */
export function nextBudgets({
  budgets,
  run,
  accepted,
  renames = new Map<string, string>(),
  isInScope = () => true,
}: BudgetInput): readonly BudgetSet[] {
  if (run.mode !== 'target' || !isConclusive(run)) return budgets;
  const old = findSet(budgets, run);
  const applying = toApplying(run, accepted, old?.applied ?? []);
  const found = countByPath(run.findings);
  const counts = old === undefined ? found : toLowered({ old, found, applying, renames, isInScope });
  const next: BudgetSet = {
    engine: run.engine,
    signature: run.signature,
    files: toFileBudgets(counts),
    applied: [...(old?.applied ?? []), ...applying.map(toApplied)].slice(-MAX_APPLIED),
  };
  const others = budgets.filter((set) => set !== old);
  const own = [...others.filter(({ engine }) => engine === run.engine), next].slice(-MAX_SETS);
  return [...others.filter(({ engine }) => engine !== run.engine), ...own];
}

/**
 * Which files of a run have more findings than their budgets, an acceptance that was not applied yet included. Compared by engine
 * and signature alone, never by mode: a run that stands for both modes has its budget, too.
 */
export function overBudget(
  budgets: readonly BudgetSet[],
  run: EngineRun,
  { renames = new Map<string, string>(), accepted = [] }: Partial<Pick<BudgetInput, 'renames' | 'accepted'>> = {},
): BudgetVerdict {
  const set = findSet(budgets, run);
  if (set === undefined) return { kind: 'no_budget' };
  const allowed = toAllowed(set, renames);
  const raised = countByPath(toApplying(run, accepted, set.applied).map(({ finding }) => finding));
  const over = [...countByPath(run.findings)].flatMap(([path, found]) =>
    SEVERITIES.map((severity) => ({
      path,
      severity,
      budget: toCount(allowed, path, severity) + toCount(raised, path, severity),
      found: found[severity],
    })).filter(({ budget, found: count }) => count > budget),
  );
  return { kind: 'judged', over: sortByKey(over, ({ path, severity }) => [path, SEVERITIES.indexOf(severity)]) };
}

function findSet(budgets: readonly BudgetSet[], run: EngineRun): BudgetSet | undefined {
  return budgets.find(({ engine, signature }) => engine === run.engine && signature === run.signature);
}

interface Applying {
  readonly finding: Finding;
  readonly acceptance: Acceptance;
}

/** Findings of the run that were accepted and raised nothing yet. */
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

function toApplied({ finding, acceptance }: Applying): AppliedAcceptance {
  return { fingerprint: finding.fingerprint, at: acceptance.at };
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

interface LowerInput extends Required<Pick<BudgetInput, 'renames' | 'isInScope'>> {
  readonly old: BudgetSet;
  readonly found: CountsByPath;
  readonly applying: readonly Applying[];
}

/** A file that the engine does not look at any more keeps its budget: that nothing is found there says nothing. */
function toLowered({ old, found, applying, renames, isInScope }: LowerInput): CountsByPath {
  const allowed = toAllowed(old, renames);
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

/** Budgets by the paths of now. What another file was renamed to has that file's budget, not the one of its name before. */
function toAllowed({ files }: BudgetSet, renames: ReadonlyMap<string, string>): CountsByPath {
  const toNow = new Map([...renames].map(([now, before]) => [before, now]));
  const moved = files.map(({ path, counts }) => ({
    path: path === null ? null : (toNow.get(path) ?? path),
    counts,
    before: path,
  }));
  const kept = moved.filter(({ path, before }) => path !== before || path === null || !renames.has(path));
  return new Map(kept.map(({ path, counts }) => [path, counts]));
}

function toFileBudgets(counts: CountsByPath): readonly FileBudget[] {
  const files = [...counts].map(([path, of]) => ({ path, counts: of }));
  const listed = files.filter(({ counts: of }) => SEVERITIES.some((severity) => of[severity] > 0));
  return sortByKey(listed, ({ path }) => [path]);
}
