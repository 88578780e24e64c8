import { createHash } from 'node:crypto';
import { CHECK_NAME } from '../../core/ci/own-checks.ts';
import type { Decision } from '../../core/model/decision.ts';
import { type Sha, toRunId } from '../../core/model/ids.ts';
import type { PullRequestFacts } from '../../core/model/pull-request.ts';
import type { Workspace } from '../../core/model/workspace.ts';
import { type CheckRunText, renderCheckRun, renderSupersededCheckRun } from '../../core/render/render-check-run.ts';
import { type FailedLook, renderFailedLook } from '../../core/render/render-failed-look.ts';
import type { CheckRunContent } from '../../ports/github.ts';
import type { Deps } from '../deps.ts';
import type { Look } from '../look/take-snapshot.ts';

const SHOWN_SESSIONS = 5;

type ReportDeps = Pick<Deps, 'github' | 'log' | 'redact' | 'running' | 'store'>;
type SendDeps = Omit<ReportDeps, 'running'>;

/**
 * Updates the check run of the head after an iteration, and completes open ones on older heads. Unchanged content makes no call. A
 * check run that exists on GitHub but not in the database is adopted, not duplicated.
 */
export async function report(deps: ReportDeps, look: Look, decision: Decision, signal: AbortSignal): Promise<void> {
  const workspace = deps.store.workspace(look.workspace.key) ?? look.workspace;
  const headSha = look.facts?.headSha ?? workspace.seenHeadSha;
  await closeOlderCheckRuns(deps, workspace, headSha, signal);
  if (headSha === null) return;
  const text = renderCheckRun({
    workspace,
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
  if (look.facts === null && !isOpenAt(deps, workspace, headSha)) return;
  await ensureCheckRun(
    deps,
    workspace,
    { headSha, text, isUnseen: look.facts !== null && !isSeen(deps, look.facts) },
    signal,
  );
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

/** Makes the next report send the check run again, even if unchanged. GitHub's Re-run button makes its suite wait for an update. */
export function forgetCheckRun({ store }: Pick<Deps, 'store'>, { key, seenHeadSha }: Workspace): void {
  const stored = seenHeadSha === null ? null : store.checkRun(key, seenHeadSha, CHECK_NAME);
  if (stored !== null) store.saveCheckRun({ ...stored, contentHash: null });
}

function isOpenAt(deps: Pick<Deps, 'store'>, workspace: Workspace, headSha: Sha): boolean {
  return deps.store.openCheckRuns(workspace.key).some((checkRun) => checkRun.headSha === headSha);
}

async function closeOlderCheckRuns(
  deps: SendDeps,
  workspace: Workspace,
  headSha: Sha | null,
  signal: AbortSignal,
): Promise<void> {
  for (const open of deps.store.openCheckRuns(workspace.key)) {
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
  const redact = deps.redact;
  const content: CheckRunContent = {
    name: CHECK_NAME,
    headSha,
    externalId: workspace.key,
    status: text.status,
    conclusion: text.conclusion,
    title: redact(text.title),
    summary: redact(text.summary),
    actions: text.actions,
  };
  const contentHash = createHash('sha256').update(JSON.stringify(content)).digest('hex');
  const stored = deps.store.checkRun(workspace.key, headSha, CHECK_NAME);
  if (stored?.contentHash === contentHash) return;
  const row = { key: workspace.key, headSha, name: CHECK_NAME };
  // Stored before the check run is created: after a crash in between, the row makes the next attempt search for it.
  if (stored === null) deps.store.saveCheckRun({ ...row, checkRunId: null, contentHash: null, completed: false });
  const isFirst = stored === null && isUnseen;
  const checkRunId = await sendCheckRun(
    deps,
    workspace,
    { content, checkRunId: stored?.checkRunId ?? null, isFirst },
    signal,
  );
  deps.store.saveCheckRun({ ...row, checkRunId, contentHash, completed: content.status === 'completed' });
  deps.log.info(
    {
      key: workspace.key,
      headSha,
      checkRunId,
      status: content.status,
      conclusion: content.conclusion,
      title: content.title,
    },
    'check run updated',
  );
}

async function sendCheckRun(
  deps: SendDeps,
  workspace: Workspace,
  send: { readonly content: CheckRunContent; readonly checkRunId: number | null; readonly isFirst: boolean },
  signal: AbortSignal,
): Promise<number> {
  const { content, checkRunId, isFirst } = send;
  if (checkRunId === null) return deps.github.createCheckRun(workspace.repository, content, signal, isFirst);
  await deps.github.updateCheckRun(workspace.repository, checkRunId, content, signal);
  return checkRunId;
}
