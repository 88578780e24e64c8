import type { EpochMs } from '../model/ids.ts';
import type { Policy } from '../model/policy.ts';
import type { PullRequestFacts } from '../model/pull-request.ts';
import type { CiStatus } from '../model/snapshot.ts';
import type { Workspace } from '../model/workspace.ts';
import { createNameMatcher } from '../paths/check-name-glob.ts';
import { toCountText, toDurationText, toNamesText } from '../text/words.ts';
import { isCalledOff, isRed, type Signal, toSignal } from './check-signal.ts';
import { toCiRunId } from './ci-run-id.ts';
import { type CiResult, compareText, toComparableName, toLatestResults } from './latest-results.ts';

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
  /** All red results, even while others still run. */
  readonly failing: readonly FailingCheck<Result>[];
  readonly reason: string;
  /** When a young head's missing (or green) results become final; null if time alone changes nothing. */
  readonly settlesAt: EpochMs | null;
}

/**
 * The CI verdict (002 guard 3; resolutions S3, S5, S7; traps 1 to 13). Running checks are waited for first; then a needed
 * approval, a red, an unclear or a missing result decides, in this order. Unknown values count neither as green nor as red.
 */
export function toCiVerdict<Result extends CiResult>(input: CiInput<Result>): CiVerdict<Result> {
  const latest = toLatestAtHead(input);
  const counted = toRequired(latest, input.policy.required);
  const runId = toCiRunId(input.headSha, counted);
  const failing = toFailing(counted);
  const settlesAt = toSettlesAt(input);
  const isRunning = latest.some(mayRun);
  const { status, reason } = judge(input, { latest, counted, settlesAt });
  return { status, runId, isRunning, failing, reason, settlesAt: status === 'pending' ? settlesAt : null };
}

/** "No CI" takes three facts: no workflow at the head, no result at the base, and none ever seen here (resolution S3). */
export function toNoCiProven(
  facts: Pick<PullRequestFacts, 'hasWorkflows' | 'baseHasChecks'>,
  workspace: Pick<Workspace, 'ciEverSeen'>,
): boolean {
  return !facts.hasWorkflows && !facts.baseHasChecks && !workspace.ciEverSeen;
}

function toLatestAtHead<Result extends CiResult>(input: CiInput<Result>): readonly Result[] {
  const { headSha, ownAppId, policy } = input;
  const isIgnored = createIgnored(policy.ignore);
  return toLatestResults(
    input.checks.filter((check) => check.headSha === headSha && !isOwn(check, ownAppId) && !isIgnored(check)),
  );
}

function createIgnored(globs: readonly string[]): (check: CiResult) => boolean {
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

function toRequired<Result extends CiResult>(
  latest: readonly Result[],
  required: readonly string[] | null,
): readonly Result[] {
  if (required === null) return latest;
  const wanted = new Set(required.flatMap(toWantedKeys));
  return latest.filter((check) => wanted.has(toNameKey(check)));
}

/** A required name may be that of a check run or of a commit status. */
function toWantedKeys(name: string): readonly string[] {
  return [toNameKey({ source: 'check_run', name }), toNameKey({ source: 'status', name })];
}

function toNameKey(check: Pick<CiResult, 'source' | 'name'>): string {
  return `${check.source} ${toComparableName(check)}`;
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

/** Signals that decide the verdict if one result has them, strongest first. */
const BY_STRENGTH: readonly (readonly [Signal, CiStatus, (names: readonly string[]) => string])[] = [
  ['running', 'pending', (names) => `${toNamesText(names)} ${isOrAre(names)} still running.`],
  ['blocked', 'blocked', (names) => `${toNamesText(names)} ${isOrAre(names)} waiting for the approval of a person.`],
  ['red', 'failure', (names) => `${toNamesText(names)} failed.`],
  ['waiting', 'pending', (names) => `${toNamesText(names)} ${isOrAre(names)} neither green nor red.`],
];

type Judgement = Pick<CiVerdict, 'status' | 'reason'>;

interface JudgeInput {
  readonly latest: readonly CiResult[];
  readonly counted: readonly CiResult[];
  readonly settlesAt: EpochMs | null;
}

function judge(input: CiInput, { latest, counted, settlesAt }: JudgeInput): Judgement {
  for (const [signal, status, toReason] of BY_STRENGTH) {
    const names = toNamesOf(counted, signal);
    if (names.length > 0) return { status, reason: toReason(names) };
  }
  const missing = findMissing(input.policy.required, counted);
  if (missing.length > 0) return judgeMissing(missing, toNamesOf(latest, 'blocked'));
  if (settlesAt !== null) {
    const what = counted.length === 0 ? 'There is no result yet' : 'All is green so far';
    const age = toDurationText(input.policy.settleSeconds);
    return { status: 'pending', reason: `${what}; the head is younger than ${age}.` };
  }
  if (counted.length > 0) return { status: 'success', reason: `${toCountText(counted.length, 'result')}, all green.` };
  if (input.noCiProven) return { status: 'none', reason: 'No CI is configured and none ever reported.' };
  return { status: 'pending', reason: 'There is no result yet, and no proof that there is no CI.' };
}

/** A workflow run that needs approval reports no jobs, which is why a required one is missing (trap 11). */
function judgeMissing(missing: readonly string[], blocked: readonly string[]): Judgement {
  const what = `There is no result of ${toNamesText(missing)} yet`;
  if (blocked.length === 0) return { status: 'pending', reason: `${what}.` };
  return {
    status: 'blocked',
    reason: `${what}, and ${toNamesText(blocked)} ${isOrAre(blocked)} waiting for the approval of a person.`,
  };
}

function toNamesOf(results: readonly CiResult[], signal: Signal): readonly string[] {
  return results
    .filter((check) => toSignal(check) === signal)
    .map((check) => check.name)
    .sort(compareText);
}

function findMissing(required: readonly string[] | null, counted: readonly CiResult[]): readonly string[] {
  if (required === null) return [];
  const seen = new Set(counted.map(toNameKey));
  return required.filter((name) => !toWantedKeys(name).some((key) => seen.has(key)));
}

function isOrAre(names: readonly string[]): string {
  return names.length === 1 ? 'is' : 'are';
}
