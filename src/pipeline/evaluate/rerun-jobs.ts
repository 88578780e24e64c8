import { planRerun, type RerunPlan } from '../../core/ci/plan-rerun.ts';
import { GitHubError, InvariantError } from '../../core/model/errors.ts';
import { EVALUATE_QUEUE } from '../../core/model/queues.ts';
import type { Rerun, Workspace } from '../../core/model/workspace.ts';
import type { Deps } from '../deps.ts';
import type { Look } from '../look/take-snapshot.ts';

type RerunDeps = Pick<Deps, 'clock' | 'github' | 'log' | 'store'>;

/** An instant from which every wait is over: a re-run that GitHub refused is not waited for. */
const NOT_AWAITED = 0;
const MAX_NAMED = 5;
const MAX_NAME_LENGTH = 80;

/**
 * FIX_CI by `rerun`: asks GitHub to run the failed jobs again, once for each CI result and once for each job of a head
 * (resolution S7). The row is written before the call: a crash in between costs the re-run, never a second one. Where GitHub
 * refuses for good, `rerun.at` is set so far back that its wait is over, and the pull request is looked at again at once: the
 * next look goes on to the agent. A rate limit is thrown, with the row as it was before, for nothing was asked.
 */
export async function rerunJobs(deps: RerunDeps, look: Look, signal: AbortSignal): Promise<void> {
  const { workspace } = look;
  const { plan, rerun } = toPlannedRerun(deps, look);
  deps.store.updateWorkspace(workspace.key, { rerun });
  const refusals: string[] = [];
  for (const workflowRunId of plan.workflowRunIds) {
    const why = await askOnce(deps, { workspace, rerun, workflowRunId }, signal);
    if (why !== null) refusals.push(why);
  }
  const isRefused = refusals.length === plan.workflowRunIds.length;
  deps.store.appendTransition({
    key: workspace.key,
    action: 'EFFECT',
    code: isRefused ? 'RERUN_REFUSED' : 'RERUN_ASKED',
    reason: describe(plan, refusals),
    snapshot: null,
    createdAt: deps.clock.now(),
  });
  deps.log.info(
    { key: workspace.key, runs: plan.workflowRunIds.length, refused: refusals.length },
    'failed jobs asked to run again',
  );
  if (!isRefused) return;
  deps.store.updateWorkspace(workspace.key, { rerun: { ...rerun, at: NOT_AWAITED } });
  deps.store.markWakeup(EVALUATE_QUEUE, workspace.key, null);
}

function toPlannedRerun(
  { clock }: Pick<Deps, 'clock'>,
  { workspace, facts, ci }: Look,
): { readonly plan: RerunPlan; readonly rerun: Rerun } {
  const ciRunId = ci?.runId ?? null;
  if (facts === null || ci === null || ciRunId === null) throw new InvariantError('a re-run was decided without CI');
  const { headSha } = facts;
  const before = workspace.rerun;
  const flaky = workspace.diagnosis?.ciRunId === ciRunId ? workspace.diagnosis.flaky : [];
  const plan = planRerun(
    ci.failing.map(({ check }) => check),
    { headSha, flaky, rerun: before },
  );
  if (plan === null) throw new InvariantError('a re-run was decided that may not be asked for');
  const namesBefore = before?.headSha === headSha ? before.names : [];
  return { plan, rerun: { headSha, ciRunId, names: [...namesBefore, ...plan.names], at: clock.now() } };
}

/** Why it was refused; null: it was asked, or nobody knows, which is treated as asked: the call must not be made twice. */
async function askOnce(
  deps: RerunDeps,
  ask: { readonly workspace: Workspace; readonly rerun: Rerun; readonly workflowRunId: number },
  signal: AbortSignal,
): Promise<string | null> {
  const { workspace, workflowRunId } = ask;
  try {
    const result = await deps.github.rerunFailedJobs(workspace.repository, workflowRunId, signal);
    return result.kind === 'refused' ? result.why : null;
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error;
    if (error.code === 'RATE_LIMITED') {
      deps.store.updateWorkspace(workspace.key, { rerun: workspace.rerun });
      throw error;
    }
    deps.log.warn({ key: workspace.key, error, code: error.code }, 'a re-run was asked for without an answer');
    return null;
  }
}

function describe({ names, workflowRunIds }: RerunPlan, refusals: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMED).map((name) => JSON.stringify(name.slice(0, MAX_NAME_LENGTH).toWellFormed()));
  const more = names.length > shown.length ? ` and ${String(names.length - shown.length)} more` : '';
  const what = `${shown.join(', ')}${more}`;
  const [first] = refusals;
  if (first === undefined) return `GitHub was asked to run again: ${what}.`;
  if (refusals.length < workflowRunIds.length)
    return `GitHub was asked to run again: ${what}; it refused ${String(refusals.length)} of ${String(workflowRunIds.length)} runs: ${first}`;
  return `GitHub refused to run again ${what}: ${first}`;
}
