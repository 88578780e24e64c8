import { toAgentRequest } from '../../core/agents/to-agent-request.ts';
import { TOLD_SESSIONS } from '../../core/evidence/prompt-parts.ts';
import { toCiPrompt } from '../../core/evidence/to-ci-prompt.ts';
import type { CheckResult } from '../../core/model/pull-request.ts';
import type { Diagnosis } from '../../core/model/workspace.ts';
import type { Deps } from '../deps.ts';
import { type OrEnded, ok } from '../prepare/or-ended.ts';
import { collectEvidence } from './collect-evidence.ts';
import type { Change, FixupGoal, PreparedFixup } from './fixup-session.ts';
import { runAgent } from './run-agent.ts';

/** FIX_CI: the agent gets annotations and logs of the failing checks, and changes the tree. */
export async function fixCi(
  deps: Deps,
  prepared: PreparedFixup & { readonly goal: FixupGoal & { readonly kind: 'ci' } },
  signal: AbortSignal,
): Promise<OrEnded<Change>> {
  const { session, facts, policy, validation, goal } = prepared;
  const evidence = await collectEvidence(deps, prepared, goal.failing, signal);
  const prompt = toCiPrompt({
    facts,
    failing: evidence.files,
    validationCommands: validation.commands,
    attempt: session.fixup.attempt,
    previous: deps.store.endedSessions(session.key, TOLD_SESSIONS),
    ...toOthers(deps.store.workspace(session.key)?.diagnosis ?? null, goal.failing),
    sameAsBefore: goal.sameAsBefore,
    delimiter: deps.newId(),
  });
  const request = toAgentRequest({
    ...{ sessionId: session.id, tool: 'ci', prompt, targetFiles: [], policy, validation },
    evidence: evidence.files.map(({ path }) => path),
    workspacePath: deps.sites.layout.root,
  });
  const against = session.fixup.headSha;
  const run = await runAgent(deps, prepared, { request, evidence: evidence.texts, against }, signal);
  if (run.kind === 'ended') return run;
  const { tree, summary } = run.value;
  return ok({ tree, summary, madeBy: 'agent', parents: [session.fixup.headSha], answers: [] });
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
