import { planRerun, type RerunPlan } from '../../core/ci/plan-rerun.ts';
import type { RerunEffect } from '../../core/model/ask.ts';
import { InvariantError } from '../../core/model/errors.ts';
import { toNamesText } from '../../core/text/words.ts';
import type { Look } from '../look/take-snapshot.ts';
import { type AskDeps, askOnce } from './ask-once.ts';

/** FIX_CI by `rerun`: asks GitHub to re-run the failed jobs, once per CI result and once per job of a head (resolution S7). */
export async function rerunJobs(deps: AskDeps, look: Look, signal: AbortSignal): Promise<void> {
  const { key, repository } = look.workspace;
  const { plan, effect } = toPlannedRerun(look);
  const { workflowRunIds } = plan;
  const calls = workflowRunIds.map((id) => () => deps.github.rerunFailedJobs(repository, id, signal));
  const refusals = await askOnce(deps, { key, effect, calls, describe: (whys) => describe(plan, whys) });
  deps.log.info({ key, runs: workflowRunIds.length, refused: refusals.length }, 'failed jobs asked to run again');
}

function toPlannedRerun({ workspace, asked, facts, ci }: Look): {
  readonly plan: RerunPlan;
  readonly effect: RerunEffect;
} {
  const ciRunId = ci?.runId ?? null;
  if (facts === null || ci === null || ciRunId === null) throw new InvariantError('a re-run was decided without CI');
  const { headSha } = facts;
  const flaky = workspace.diagnosis?.ciRunId === ciRunId ? workspace.diagnosis.flaky : [];
  const failing = ci.failing.map(({ check }) => check);
  const plan = planRerun(failing, { headSha, flaky, rerun: asked.rerun });
  if (plan === null) throw new InvariantError('a re-run was decided that may not be asked for');
  const { freshStarts: freshStart } = workspace;
  return { plan, effect: { kind: 'rerun', freshStart, headSha, ciRunId, names: plan.names } };
}

function describe({ names, workflowRunIds }: RerunPlan, refusals: readonly string[]): string {
  const what = toNamesText(names);
  const [first] = refusals;
  if (first === undefined) return `GitHub was asked to run again: ${what}.`;
  if (refusals.length < workflowRunIds.length)
    return `GitHub was asked to run again: ${what}; it refused ${String(refusals.length)} of ${String(workflowRunIds.length)} runs: ${first}`;
  return `GitHub refused to run again ${what}: ${first}`;
}
