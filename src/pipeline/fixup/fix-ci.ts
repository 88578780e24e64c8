import type { CheckResult } from '../../core/model/pull-request.ts';
import type { Diagnosis } from '../../core/model/workspace.ts';
import { toCiPrompt } from '../../core/prompts/to-ci-prompt.ts';
import type { Deps } from '../deps.ts';
import { type OrEnded, ok } from '../prepare/or-ended.ts';
import type { Change, FixupGoal, PreparedFixup } from './fixup-session.ts';
import { toAgentOrder, toPromptBase } from './prompt-agent.ts';
import { runFixupAgent } from './run-agent.ts';

/** FIX_CI: the agent gets annotations and logs of the failing checks, and new findings of the engines, and changes the tree. */
export async function fixCi(
  deps: Deps,
  prepared: PreparedFixup & { readonly goal: FixupGoal & { readonly kind: 'ci' } },
  signal: AbortSignal,
): Promise<OrEnded<Change>> {
  const { session, goal } = prepared;
  const base = await toPromptBase(deps, prepared);
  const prompt = toCiPrompt({
    ...base,
    failing: prepared.evidence,
    ...toOthers(deps.store.workspace(session.key)?.diagnosis ?? null, goal.failing),
    findings: goal.findings,
    sameAsBefore: goal.sameAsBefore,
  });
  const against = session.fixup.headSha;
  const order = toAgentOrder(deps, prepared, { tool: 'ci', prompt, targetFiles: [], against });
  const run = await runFixupAgent(deps, prepared, order, signal);
  if (run.kind === 'ended') return run;
  const { tree, summary } = run.value;
  return ok({ tree, summary, madeBy: 'agent', resolved: [], parents: [against], answers: [] });
}

/** From the closer look: checks red on the base that are not in the goal, and flaky checks that are. */
function toOthers(
  diagnosis: Diagnosis | null,
  failing: readonly CheckResult[],
): { readonly redOnBase: readonly string[]; readonly flaky: readonly string[] } {
  const inGoal = new Set(failing.map(({ name }) => name));
  return {
    redOnBase: (diagnosis?.redOnBase ?? []).filter((name) => !inGoal.has(name)),
    flaky: (diagnosis?.flaky ?? []).filter((name) => inGoal.has(name)),
  };
}
