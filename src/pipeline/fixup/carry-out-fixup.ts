import { findAgentConfig } from '../../core/agents/agent-config-paths.ts';
import { RepositoryError } from '../../core/model/errors.ts';
import { toRunId } from '../../core/model/ids.ts';
import type { FixupSession, SessionOutcome } from '../../core/model/session.ts';
import type { Workspace } from '../../core/model/workspace.ts';
import { isOutage } from '../../core/runs/github-trouble.ts';
import { MAX_DEFINITION_BYTES, planValidation, VALIDATION_FILES } from '../../core/validation/plan-validation.ts';
import type { Deps, Lease } from '../deps.ts';
import type { ReadFacts } from '../look/read-facts.ts';
import { openRepository } from '../prepare/open-repository.ts';
import { type OrEnded, ok, rejected, superseded } from '../prepare/or-ended.ts';
import { goOn } from '../run/wait-for-github.ts';
import { AGES_AT_START, checkGround } from './check-ground.ts';
import type { PreparedFixup, Start } from './fixup-session.ts';
import { gate } from './gate.ts';
import { makeChange } from './make-change.ts';
import { prepareForFixup } from './prepare-for-fixup.ts';
import { isMadeByTool } from './resolve-conflict.ts';
import { startMerge } from './start-merge.ts';
import { takeAgent } from './take-agent.ts';
import { takeGoal } from './take-goal.ts';

const CAUSE_GONE = 'What the fixup was launched for is no more.';

/**
 * One attempt: checks the ground, prepares repository and dependencies, makes the change, runs the gate, plans the push. Returns
 * how it ended, or null if a push is planned (its intent is written).
 */
export async function carryOutFixup(deps: Deps, session: FixupSession, lease: Lease): Promise<SessionOutcome | null> {
  const able = await checkAbility(deps, session, lease.signal);
  if (able.kind === 'ended') return able.outcome;
  const ground = await checkGround(deps, session, lease.signal, AGES_AT_START);
  if (ground.kind === 'ended') return ground.outcome;
  try {
    const given = { facts: ground.value.facts, workspace: ground.value.workspace };
    const prepared = await prepareFixup(deps, session, given, lease.signal);
    if (prepared.kind === 'ended') return prepared.outcome;
    return await makeAndJudge(deps, prepared.value, lease);
  } catch (error) {
    if (error instanceof RepositoryError && !isOutage(error)) return toWorkspaceOutcome(error);
    throw error;
  }
}

/**
 * Makes the change and judges it. What a merge tool made and the gate refuses is made again without the tool: it would give the
 * same result in every attempt.
 */
async function makeAndJudge(deps: Deps, prepared: PreparedFixup, lease: Lease): Promise<SessionOutcome | null> {
  const change = await makeChange(deps, prepared, lease.signal);
  if (change.kind === 'ended') return change.outcome;
  const passed = await gate(deps, prepared, change.value, lease);
  if (passed.kind !== 'ended') return null;
  const { outcome } = passed;
  const isRemade = outcome.kind === 'rejected' && prepared.goal.kind !== 'accepted' && isMadeByTool(change.value);
  if (!isRemade) return outcome;
  const { id: sessionId, key } = prepared.session;
  deps.log.info({ sessionId, key, code: outcome.code }, 'the merge by structure was refused');
  return makeAndJudge(deps, { ...prepared, skipsMergeTool: true }, lease);
}

/**
 * Checks sandbox and agent before anything is fetched: without them every attempt would fail (faults F36, F37). A merge may need
 * no agent, so it checks for one later. An accepted change needs none.
 */
async function checkAbility(
  deps: Pick<Deps, 'agents' | 'gateway' | 'log' | 'sites'>,
  { fixup }: FixupSession,
  signal: AbortSignal,
): Promise<OrEnded<null>> {
  const probe = await deps.sites.probe(signal);
  if (probe.kind === 'unavailable') return rejected('SANDBOX_UNAVAILABLE', probe.why);
  if (fixup.action === 'FIX_MERGE_CONFLICT' || fixup.accept !== undefined) return ok(null);
  const agent = await takeAgent(deps, fixup.agent);
  return agent.kind === 'ended' ? agent : ok(null);
}

async function prepareFixup(
  deps: Deps,
  session: FixupSession,
  given: { readonly facts: ReadFacts; readonly workspace: Workspace },
  signal: AbortSignal,
): Promise<OrEnded<PreparedFixup>> {
  const { facts, workspace } = given;
  const { policy, problems } = facts.taken;
  if (problems.length > 0)
    return rejected('NO_VALIDATION', 'The policy file became invalid; see its problems on the check run.');
  const goal = await takeGoal(deps, session, { facts, workspace, policy }, signal);
  if (goal === null) return superseded('cause_gone', CAUSE_GONE);
  // Without it nothing can be pushed, so an agent would work in vain.
  const identity = await deps.github.readCommitIdentity(workspace.repository, signal);
  const { headSha, baseSha } = session.fixup;
  const { headRef, baseRef, fork } = facts;
  const want = { id: toRunId(session.id), headSha, headRef: fork ? null : headRef, baseRef, alsoKeep: [baseSha] };
  const repository = await openRepository(deps, workspace, want, signal);
  goOn(deps, session);
  const start = await takeStart(deps, { session, goal, repository, policy }, signal);
  if (start.kind === 'ended') return start;
  return prepareGround(deps, { facts, session, identity, policy, repository, goal, start: start.value }, signal);
}

/** A merge starts from the tree that git's own merge makes, everything else from the head. */
async function takeStart(
  deps: Deps,
  given: Pick<PreparedFixup, 'session' | 'goal' | 'repository' | 'policy'>,
  signal: AbortSignal,
): Promise<OrEnded<Start>> {
  const { action, headSha } = given.session.fixup;
  if (action === 'FIX_MERGE_CONFLICT') return startMerge(deps, given, signal);
  return ok({ treeish: headSha, readableTreeish: headSha, merge: null });
}

/** Prepares what agent and validation need: validation commands, dependencies, and the agent configuration to mask. */
async function prepareGround(
  deps: Deps,
  given: Pick<PreparedFixup, 'facts' | 'session' | 'identity' | 'policy' | 'repository' | 'goal' | 'start'>,
  signal: AbortSignal,
): Promise<OrEnded<PreparedFixup>> {
  const { policy, repository, start } = given;
  const tracked = await deps.git.listFiles(repository, signal, start.treeish);
  const contents = await deps.git.readFiles(
    repository,
    { treeish: start.readableTreeish, paths: VALIDATION_FILES, maxBytes: MAX_DEFINITION_BYTES },
    signal,
  );
  const validation = planValidation(policy, tracked, contents);
  if (validation.kind === 'none') {
    return rejected('NO_VALIDATION', 'There is nothing to validate a change with, so nothing may be pushed.');
  }
  const base = { ...given, tracked };
  const dependencies = await prepareForFixup(deps, base, start.readableTreeish, signal);
  if (dependencies.kind === 'ended') return dependencies;
  const masked = findAgentConfig(tracked);
  return ok({ ...base, validation, masked, dependencies: dependencies.value, skipsMergeTool: false });
}

/** The end of a run whose repository could not be prepared. */
export function toWorkspaceOutcome(error: RepositoryError): SessionOutcome {
  const detail = `The workspace could not be prepared (${error.code}).`;
  return error.retry === 'never' ? rejected('WORKSPACE_FAILED', detail).outcome : { kind: 'died', detail };
}
