import type { EpochMs } from '../model/ids.ts';
import type { Policy } from '../model/policy.ts';
import type { PullRequestFacts } from '../model/pull-request.ts';
import type { CiStatus, MissingCheck } from '../model/snapshot.ts';
import type { Workspace } from '../model/workspace.ts';
import { createNameMatcher } from '../paths/check-name-glob.ts';
import { isCalledOff, isRed, toSignal } from './check-signal.ts';
import { toCiRunId } from './ci-run-id.ts';
import { judgeResults } from './judge-results.ts';
import { type CiResult, compareText, toComparableName, toLatestResults } from './latest-results.ts';
import { toRequired } from './required-checks.ts';

/** The part of the policy that the verdict uses. */
export type CiPolicy = Pick<Policy['ci'], 'settleSeconds' | 'required' | 'ignore'>;

/** Everything that was read about CI: of any head, in any order, history included. */
export interface CiInput<Result extends CiResult = CiResult> {
  readonly headSha: string;
  readonly headPushedAt: EpochMs;
  readonly now: EpochMs;
  /** Id of our own App. Its check run waits for the verdict and must not be part of it. */
  readonly ownAppId: number | null;
  readonly checks: readonly Result[];
  readonly policy: CiPolicy;
  /** From `toNoCiProven`: having no results is then an answer. */
  readonly noCiProven: boolean;
  /** Names of the checks that were asked to run again at this head. GitHub withdraws their old results for some seconds. */
  readonly rerun?: readonly string[];
}

/** A red result, with its name and conclusion. */
export interface FailingCheck<Result extends CiResult = CiResult> {
  readonly name: string;
  readonly conclusion: string;
  readonly check: Result;
}

/** One verdict over all results of one head. */
export interface CiVerdict<Result extends CiResult = CiResult> {
  readonly status: CiStatus;
  readonly runId: string | null;
  /** Whether a check that is not ignored runs, required or not. A check with an unknown value may be running. */
  readonly isRunning: boolean;
  /** A workflow run waits for an approval, without which the code may not run anywhere (trap 12). */
  readonly isUnapproved: boolean;
  /** Required checks without a result, if that is what the verdict waits for. */
  readonly missing: readonly MissingCheck[];
  /** All red results, even while others still run. */
  readonly failing: readonly FailingCheck<Result>[];
  readonly reason: string;
  /** When a young head's missing (or green) results become final; null if time alone changes nothing. */
  readonly settlesAt: EpochMs | null;
}

/** The CI verdict (002 guard 3; resolutions S3, S5, S7; traps 1 to 13). `judgeResults` has the order of the signals. */
export function toCiVerdict<Result extends CiResult>(input: CiInput<Result>): CiVerdict<Result> {
  const isIgnored = createIgnored(input.policy.ignore);
  const atHead = toLatestResults(input.checks.filter(({ headSha }) => headSha === input.headSha));
  const latest = atHead.filter((check) => !isOwn(check, input.ownAppId) && !isIgnored(check));
  const counted = toRequired(latest, input.policy.required);
  const withdrawn = findWithdrawn(input, atHead, isIgnored);
  const settlesAt = toSettlesAt(input);
  const { status, reason, missing, isUnapproved } = judgeResults({
    ...{ latest, counted, withdrawn, settlesAt },
    policy: input.policy,
    noCiProven: input.noCiProven,
  });
  return {
    status,
    runId: toCiRunId(input.headSha, counted),
    isRunning: latest.some(mayRun) || withdrawn.length > 0,
    isUnapproved,
    missing,
    failing: toFailing(counted),
    reason,
    settlesAt: status === 'pending' ? settlesAt : null,
  };
}

/** "No CI" takes three facts: no workflow at the head, no result at the base, and none ever seen here (resolution S3). */
export function toNoCiProven(
  facts: Pick<PullRequestFacts, 'hasWorkflows' | 'baseHasChecks'>,
  workspace: Pick<Workspace, 'ciEverSeen'>,
): boolean {
  return !facts.hasWorkflows && !facts.baseHasChecks && !workspace.ciEverSeen;
}

type IsIgnored = (check: Pick<CiResult, 'source' | 'name'>) => boolean;

function createIgnored(globs: readonly string[]): IsIgnored {
  const isIgnoredName = createNameMatcher(globs);
  const isIgnoredContext = createNameMatcher(globs.map((glob) => glob.toLowerCase()));
  return (check) => {
    const name = toComparableName(check);
    return check.source === 'status' ? isIgnoredContext(name) : isIgnoredName(name);
  };
}

function mayRun(check: CiResult): boolean {
  const signal = toSignal(check);
  return signal === 'running' || (signal === 'waiting' && !isCalledOff(check));
}

/** Names of re-run checks that count and have no result at all. Without this, what is left would look green. */
function findWithdrawn(
  { rerun = [], policy: { required } }: CiInput,
  atHead: readonly CiResult[],
  isIgnored: IsIgnored,
): readonly string[] {
  const seen = new Set(atHead.map(({ name }) => name));
  return rerun.filter(
    (name) =>
      !seen.has(name) && !isIgnored({ source: 'check_run', name }) && (required === null || required.includes(name)),
  );
}

function isOwn(check: CiResult, ownAppId: number | null): boolean {
  return ownAppId !== null && check.source === 'check_run' && check.appId === ownAppId;
}

function toFailing<Result extends CiResult>(counted: readonly Result[]): readonly FailingCheck<Result>[] {
  return counted
    .flatMap((check) => {
      const { name, conclusion } = check;
      return conclusion !== null && isRed(check) ? [{ name, conclusion, check }] : [];
    })
    .sort((a, b) => compareText(a.name, b.name) || a.check.id - b.check.id);
}

function toSettlesAt({ headPushedAt, now, policy }: CiInput): EpochMs | null {
  const settlesAt = headPushedAt + policy.settleSeconds * 1000;
  return now < settlesAt ? settlesAt : null;
}
