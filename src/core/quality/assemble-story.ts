import type { Sight } from '../engines/create-sight.ts';
import { acceptFindings, findAcceptance } from '../findings/accept-findings.ts';
import { nextBudgets, type OverBudget, overBudget } from '../findings/budgets.ts';
import { toChangedLines } from '../findings/changed-lines.ts';
import { compareSides } from '../findings/compare-sides.ts';
import { findSuppressions } from '../findings/find-suppressions.ts';
import { leadsOut } from '../findings/leads-out.ts';
import { viewCoverage } from '../findings/view-coverage.ts';
import type { EngineRun } from '../model/engine.ts';
import type { Finding } from '../model/finding.ts';
import { toProjectKey } from '../model/project.ts';
import type { Acceptance, AcceptedFinding, BudgetSet } from '../model/quality.ts';
import type { QualityStory } from './quality-story.ts';

/** What is known once all engines have run on both sides. */
export interface StoryInput
  extends Pick<
    QualityStory,
    | 'headSha'
    | 'baseSha'
    | 'scope'
    | 'report'
    | 'unlooked'
    | 'changedConfigs'
    | 'setup'
    | 'setupProblem'
    | 'settings'
    | 'failLevel'
  > {
  /** TARGET runs of the base by `toProjectKey`; null or missing if there is none. */
  readonly bases: ReadonlyMap<string, EngineRun | null>;
  /** Files that the change touches and that the base runs took from the head. */
  readonly carried: ReadonlySet<string>;
  readonly sight: Sight;
  /** Head path to base path of renamed files. */
  readonly renames: ReadonlyMap<string, string>;
  /** Unified diff from the base to the head. */
  readonly patch: string;
  /** Whether the patch exists and contains the whole difference. */
  readonly isPatchWhole: boolean;
  readonly acceptances: readonly Acceptance[];
  /** Budgets of this pull request and this base, by base path. */
  readonly budgets: readonly BudgetSet[];
}

/** The story, and what to store of it. */
export interface AssembledStory {
  readonly story: QualityStory;
  readonly budgets: readonly BudgetSet[];
  /** What a re-baseline would accept, at most 1,000. */
  readonly newFindings: readonly AcceptedFinding[];
}

const MAX_NEW_FINDINGS = 1_000;
const MAX_KEPT_MESSAGE_LENGTH = 500;

/**
 * Assembles the result of one run: findings that are new, fixed or existing (only TARGET runs are compared, 000.R16), new
 * suppressions, accepted findings, and files over budget. Budgets start at the base's findings and fall with each complete run of
 * the head, so what the pull request has fixed must not come back.
 */
export function assembleStory(input: StoryInput): AssembledStory {
  const { bases, carried, sight, renames, patch, isPatchWhole, acceptances, budgets: stored, ...facts } = input;
  const heads = input.report.runs.filter(({ mode }) => mode === 'target');
  const changedLines = toChangedLines(patch, renames);
  const sides = { heads, bases, renames, changedLines, carried, changedConfigs: facts.changedConfigs, sight };
  const judged = compareSides(sides).map((comparison) => acceptFindings(comparison, acceptances));
  const suppressions = findSuppressions(patch, renames).map((finding) => ({
    finding,
    acceptance: findAcceptance(finding, acceptances),
  }));
  const comparisons = judged.map(({ comparison }) => comparison);
  const added = [
    ...comparisons.flatMap((comparison) => (comparison.kind === 'compared' ? comparison.added : [])),
    ...suppressions.flatMap(({ finding, acceptance }) => (acceptance === undefined ? [finding] : [])),
  ];
  const accepted = [...judged.flatMap((one) => one.accepted), ...suppressions].flatMap(({ finding, acceptance }) =>
    acceptance === undefined ? [] : [{ finding, author: acceptance.author, reason: acceptance.reason }],
  );
  const { over, budgets } = judgeBudgets({ bases, sight, renames, acceptances, budgets: stored }, heads, added);
  const coverage = heads.flatMap((head) => {
    return viewCoverage(head, bases.get(toProjectKey(head)) ?? null, isPatchWhole ? changedLines : null) ?? [];
  });
  const story = { ...facts, comparisons, added, accepted, overBudget: over, coverage, changedLines, isPatchWhole };
  return { story, budgets, newFindings: toNewFindings(added, heads, over) };
}

type BudgetInput = Pick<StoryInput, 'bases' | 'sight' | 'renames' | 'acceptances' | 'budgets'>;

/** Budgets are stored by base path, because the renames of a later head also start from the base. */
function judgeBudgets(
  { bases, sight, renames, acceptances, budgets: stored }: BudgetInput,
  heads: readonly EngineRun[],
  added: readonly Finding[],
): { readonly over: readonly OverBudget[]; readonly budgets: readonly BudgetSet[] } {
  const toHeadPath = new Map([...renames].map(([head, base]) => [base, head]));
  const over: OverBudget[] = [];
  let budgets = stored;
  for (const head of heads) {
    const run = { ...head, findings: head.findings.map((finding) => toBasePath(finding, renames)) };
    budgets = startBudgets(budgets, run, bases.get(toProjectKey(head)) ?? null);
    // A new finding is reported as new, and not also as over budget.
    over.push(
      ...overBudget(budgets, run, acceptances)
        .map((one) => ({ ...one, path: one.path === null ? null : (toHeadPath.get(one.path) ?? one.path) }))
        .filter((one) => one.count - added.filter((finding) => isOf(finding, one)).length > one.budget),
    );
    const isInScope = (basePath: string): boolean =>
      !leadsOut(basePath, toHeadPath.get(basePath) ?? basePath, (path) => sight(head, path));
    budgets = nextBudgets({ budgets, run, accepted: acceptances, isInScope });
  }
  return { over, budgets };
}

/** The first run of a signature starts from the base's findings. */
function startBudgets(budgets: readonly BudgetSet[], head: EngineRun, base: EngineRun | null): readonly BudgetSet[] {
  const isKnown = budgets.some((set) => toProjectKey(set) === toProjectKey(head) && set.signature === head.signature);
  if (isKnown || base?.signature !== head.signature) return budgets;
  return nextBudgets({ budgets, run: base, accepted: [] });
}

function toBasePath(finding: Finding, renames: ReadonlyMap<string, string>): Finding {
  return finding.path === null ? finding : { ...finding, path: renames.get(finding.path) ?? finding.path };
}

/** Whether a finding counts for a budget. */
function isOf({ tool, project, path, severity }: Finding, over: OverBudget): boolean {
  return tool === over.engine && project === over.project && path === over.path && severity === over.severity;
}

function toNewFindings(
  added: readonly Finding[],
  heads: readonly EngineRun[],
  over: readonly OverBudget[],
): readonly AcceptedFinding[] {
  const isOver = (finding: Finding): boolean => over.some((one) => isOf(finding, one));
  const excess = over.length === 0 ? [] : heads.flatMap(({ findings }) => findings.filter(isOver));
  return [...new Set([...added, ...excess])].slice(0, MAX_NEW_FINDINGS).map(toAccepted);
}

/** A coverage message holds the covered share and is short enough to be kept whole; other messages may be long. */
function toAccepted({ tool, kind, rule, severity, fingerprint, message, path, line }: Finding): AcceptedFinding {
  const kept = message.slice(0, MAX_KEPT_MESSAGE_LENGTH).toWellFormed();
  return { tool, kind, rule, severity, fingerprint, message: kept, path, line };
}
