import { CHECK_NAME } from '../../core/ci/own-checks.ts';
import type { Decision } from '../../core/model/decision.ts';
import { type EpochMs, type PullRequestKey, type Sha, toRunId } from '../../core/model/ids.ts';
import type { PullRequestFacts } from '../../core/model/pull-request.ts';
import type { Workspace } from '../../core/model/workspace.ts';
import { type CheckRunText, renderCheckRun, renderSupersededCheckRun } from '../../core/render/render-check-run.ts';
import { type FailedLook, renderFailedLook } from '../../core/render/render-failed-look.ts';
import { renderRestart } from '../../core/render/render-restart.ts';
import type { Story } from '../../core/render/story.ts';
import type { Deps } from '../deps.ts';
import { readSteps, toAgentPlace } from '../look/read-steps.ts';
import type { Look } from '../look/take-snapshot.ts';
import { forgetCheckRun, sendCheckRun } from './send-check-run.ts';

const SHOWN_SESSIONS = 5;

type ReportDeps = Pick<Deps, 'github' | 'log' | 'redact' | 'running' | 'store'>;
type SendDeps = Omit<ReportDeps, 'running'>;

/** What a report says, and about which head. */
export interface Reported {
  readonly story: Story;
  readonly headSha: Sha;
  /** Whether the check run has just succeeded. */
  readonly hasSucceeded: boolean;
}

/**
 * Updates the check run of the head after an iteration, and completes open ones on older heads. Unchanged content makes no call. A
 * check run that exists on GitHub but not in the database is adopted, not duplicated. null: there is no head to report on.
 */
export async function report(
  deps: ReportDeps,
  look: Look,
  decision: Decision,
  signal: AbortSignal,
): Promise<Reported | null> {
  const workspace = deps.store.workspace(look.workspace.key) ?? look.workspace;
  const headSha = look.facts?.headSha ?? workspace.seenHeadSha;
  await closeOlderCheckRuns(deps, workspace, headSha, signal);
  if (headSha === null) return null;
  const story = toStory(deps, look, { workspace, decision });
  const text = renderCheckRun(story);
  // What was completed on the head of a closed pull request stays.
  if (look.facts?.state !== 'open' && !isOpenAt(deps, workspace, headSha)) return null;
  const before = deps.store.checkRun({ key: workspace.key, headSha, name: CHECK_NAME, series: '' });
  const isUnseen = look.facts !== null && !isSeen(deps, look.facts);
  await ensureCheckRun(deps, workspace, { headSha, text, isUnseen }, signal);
  return { story, headSha, hasSucceeded: text.conclusion === 'success' && before?.conclusion !== 'success' };
}

function toStory(
  { github, running, store }: ReportDeps,
  look: Look,
  { workspace, decision }: { readonly workspace: Workspace; readonly decision: Decision },
): Story {
  const { beside, clamped, facts, snapshot, ci, review, working } = look;
  const runId = working === null ? null : toRunId(working.id);
  const sessions = store.endedSessions(workspace.key, SHOWN_SESSIONS);
  const ids = sessions.map(({ id }) => id);
  return {
    ...{ beside, clamped, facts, snapshot, decision, ci, review, working },
    workspace: { ...workspace, stop: look.workspace.stop },
    sessions,
    steps: readSteps({ store }, workspace.key, ids),
    agentSteps: readSteps({ store }, workspace.key, ids, toAgentPlace),
    waiting: runId === null ? null : running.waitingOf(runId),
    progress: runId === null ? null : running.progressOf(runId),
    toCommitUrl: (sha) => github.commitUrl(workspace.repository, sha),
    toFileUrl: (place) => github.fileUrl(workspace.repository, place),
  };
}

/**
 * Reports the progress of an agent without another look at GitHub. Returns when that look is due; null if it is due now, or no
 * agent runs. Only for the holder of the pull request's lease, so no other report is sent meanwhile.
 */
export async function reportProgress(
  deps: ReportDeps & Pick<Deps, 'clock'>,
  key: PullRequestKey,
  signal: AbortSignal,
): Promise<EpochMs | null> {
  const told = deps.running.toldOf(key);
  const workspace = deps.store.workspace(key);
  const working = told?.story.working ?? null;
  if (told === null || workspace === null || working === null || told.nextCheckAt <= deps.clock.now()) return null;
  const progress = deps.running.progressOf(toRunId(working.id));
  if (progress === null) return null;
  const text = renderCheckRun({ ...told.story, progress });
  await ensureCheckRun(deps, workspace, { headSha: told.headSha, text, isUnseen: false }, signal);
  return told.nextCheckAt;
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

/** Reports on the open check run of the head that was seen last that the service interrupts its work, and continues after its next start. */
export async function reportRestart(deps: SendDeps, workspace: Workspace, signal: AbortSignal): Promise<void> {
  const headSha = workspace.seenHeadSha;
  if (headSha === null || !isOpenAt(deps, workspace, headSha)) return;
  await ensureCheckRun(deps, workspace, { headSha, text: renderRestart(), isUnseen: false }, signal);
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
