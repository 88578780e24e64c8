import { CHECK_NAME } from '../../core/ci/own-checks.ts';
import type { Decision } from '../../core/model/decision.ts';
import { type Sha, toRunId } from '../../core/model/ids.ts';
import type { PullRequestFacts } from '../../core/model/pull-request.ts';
import type { Workspace } from '../../core/model/workspace.ts';
import { type CheckRunText, renderCheckRun, renderSupersededCheckRun } from '../../core/render/render-check-run.ts';
import { type FailedLook, renderFailedLook } from '../../core/render/render-failed-look.ts';
import type { Deps } from '../deps.ts';
import type { Look } from '../look/take-snapshot.ts';
import { forgetCheckRun, sendCheckRun } from './send-check-run.ts';

const SHOWN_SESSIONS = 5;

type ReportDeps = Pick<Deps, 'github' | 'log' | 'redact' | 'running' | 'store'>;
type SendDeps = Omit<ReportDeps, 'running'>;

/**
 * Updates the check run of the head after an iteration, and completes open ones on older heads. Unchanged content makes no call. A
 * check run that exists on GitHub but not in the database is adopted, not duplicated. Returns whether it has just succeeded.
 */
export async function report(deps: ReportDeps, look: Look, decision: Decision, signal: AbortSignal): Promise<boolean> {
  const workspace = deps.store.workspace(look.workspace.key) ?? look.workspace;
  const headSha = look.facts?.headSha ?? workspace.seenHeadSha;
  await closeOlderCheckRuns(deps, workspace, headSha, signal);
  if (headSha === null) return false;
  const { stop } = look.workspace;
  const text = renderCheckRun({
    workspace: { ...workspace, stop },
    beside: look.beside,
    facts: look.facts,
    snapshot: look.snapshot,
    decision,
    ci: look.ci,
    review: look.review,
    sessions: deps.store.endedSessions(workspace.key, SHOWN_SESSIONS),
    working: look.working,
    waiting: look.working === null ? null : deps.running.waitingOf(toRunId(look.working.id)),
    toCommitUrl: (sha) => deps.github.commitUrl(workspace.repository, sha),
  });
  // What was completed on the head of a closed pull request stays.
  if (look.facts?.state !== 'open' && !isOpenAt(deps, workspace, headSha)) return false;
  const before = deps.store.checkRun({ key: workspace.key, headSha, name: CHECK_NAME, series: '' });
  await ensureCheckRun(
    deps,
    workspace,
    { headSha, text, isUnseen: look.facts !== null && !isSeen(deps, look.facts) },
    signal,
  );
  return text.conclusion === 'success' && before?.conclusion !== 'success';
}

/**
 * Reports a look that failed on the open check run of the head that was seen last. A completed one stays as it is: what it says
 * was true, and nothing newer is known.
 */
export async function reportFailedLook(
  deps: SendDeps,
  workspace: Workspace,
  failed: FailedLook,
  signal: AbortSignal,
): Promise<void> {
  const headSha = workspace.seenHeadSha;
  if (headSha === null || !isOpenAt(deps, workspace, headSha)) return;
  await ensureCheckRun(deps, workspace, { headSha, text: renderFailedLook(failed), isUnseen: false }, signal);
}

/** Whether the head already has a check run of ours, for this pull request or another. */
function isSeen({ github }: Pick<Deps, 'github'>, { checks }: PullRequestFacts): boolean {
  return checks.some(({ appId, name }) => appId === github.appId && name === CHECK_NAME);
}

/** Makes the next report send the check run of the seen head again. */
export function forgetReport(deps: Pick<Deps, 'store'>, { key, seenHeadSha: headSha }: Workspace): void {
  if (headSha !== null) forgetCheckRun(deps, { key, headSha, name: CHECK_NAME, series: '' });
}

function isOpenAt(deps: Pick<Deps, 'store'>, workspace: Workspace, headSha: Sha): boolean {
  return deps.store.openCheckRuns(workspace.key, CHECK_NAME).some((checkRun) => checkRun.headSha === headSha);
}

async function closeOlderCheckRuns(
  deps: SendDeps,
  workspace: Workspace,
  headSha: Sha | null,
  signal: AbortSignal,
): Promise<void> {
  for (const open of deps.store.openCheckRuns(workspace.key, CHECK_NAME)) {
    if (open.headSha === headSha) continue;
    const text = renderSupersededCheckRun(headSha);
    await ensureCheckRun(deps, workspace, { headSha: open.headSha, text, isUnseen: false }, signal);
  }
}

async function ensureCheckRun(
  deps: SendDeps,
  workspace: Workspace,
  wanted: { readonly headSha: Sha; readonly text: CheckRunText; readonly isUnseen: boolean },
  signal: AbortSignal,
): Promise<void> {
  const { headSha, text, isUnseen } = wanted;
  const content = {
    name: CHECK_NAME,
    headSha,
    externalId: workspace.key,
    status: text.status,
    conclusion: text.conclusion,
    title: deps.redact(text.title),
    summary: deps.redact(text.summary),
    actions: text.actions,
  };
  await sendCheckRun(deps, { workspace, series: '', content, isUnseen }, signal);
}
