import { parsePolicy } from '../config/policy-file.ts';
import { findAgentConfig } from '../core/agents/agent-config-paths.ts';
import { WorkspaceError } from '../core/model/errors.ts';
import type { SessionOutcome } from '../core/model/session.ts';
import { planValidation, VALIDATION_FILES } from '../core/validation/plan-validation.ts';
import { checkGround } from './check-ground.ts';
import type { Deps, Lease } from './deps.ts';
import { type FixupSession, ok, type PreparedAttempt, rejected, type Step } from './fixup-session.ts';
import { gate } from './gate.ts';
import { prepareDependencies } from './prepare-dependencies.ts';
import { runAgent } from './run-agent.ts';
import { toFailingChecks } from './take-ci-verdict.ts';

const MAX_DEFINITION_BYTES = 256 * 1024;

/**
 * One attempt: check the ground, prepare workspace and dependencies, run the agent, pass the gate, plan the push. Returns how
 * it ended, or null when a push is planned (its intent is written).
 */
export async function attemptFixup(deps: Deps, session: FixupSession, lease: Lease): Promise<SessionOutcome | null> {
  const able = await checkAbility(deps, lease.signal);
  if (able.kind === 'ended') return able.outcome;
  const ground = await checkGround(deps, session, lease.signal);
  if (ground.kind === 'gone') return ground.outcome;
  const slot = await deps.sandbox.acquireSlot(lease.signal);
  try {
    const prepared = await prepareAttempt(deps, session, { facts: ground.facts, slot }, lease.signal);
    if (prepared.kind === 'ended') return prepared.outcome;
    const agentRun = await runAgent(deps, prepared.value, lease.signal);
    if (agentRun.kind === 'ended') return agentRun.outcome;
    const passed = await gate(deps, prepared.value, agentRun.value, lease);
    return passed.kind === 'ended' ? passed.outcome : null;
  } catch (error) {
    if (error instanceof WorkspaceError) return toWorkspaceOutcome(error);
    throw error;
  } finally {
    deps.sandbox.releaseSlot(slot);
  }
}

/** What would make every attempt fail is found out before anything is fetched (faults F36, F37). */
async function checkAbility(deps: Pick<Deps, 'agent' | 'sandbox'>, signal: AbortSignal): Promise<Step<null>> {
  const sandbox = await deps.sandbox.probe(signal);
  if (sandbox.kind === 'unavailable') return rejected('SANDBOX_UNAVAILABLE', sandbox.why);
  const agent = await deps.agent.check();
  if (agent.kind === 'unavailable') return rejected('AGENT_UNAVAILABLE', agent.why);
  return ok(null);
}

async function prepareAttempt(
  deps: Deps,
  session: FixupSession,
  given: Pick<PreparedAttempt, 'facts' | 'slot'>,
  signal: AbortSignal,
): Promise<Step<PreparedAttempt>> {
  const parsed = parsePolicy(given.facts.policyText);
  if (parsed.kind === 'invalid')
    return rejected('NO_VALIDATION', 'The policy file became invalid; see its problems on the check run.');
  const { policy } = parsed;
  const failingChecks = toFailingChecks(deps, given.facts, policy).map((check) => check.name);
  if (failingChecks.length === 0) {
    return { kind: 'ended', outcome: { kind: 'superseded', why: 'cause_gone', detail: 'CI is not red any more.' } };
  }
  const repository = await openRepository(deps, session, given.facts.baseRef, signal);
  const tracked = await deps.git.listFiles(repository, signal);
  const contents = await deps.git.readFiles(
    repository,
    { treeish: session.fixup.headSha, paths: VALIDATION_FILES, maxBytes: MAX_DEFINITION_BYTES },
    signal,
  );
  const validation = planValidation(policy, tracked, contents);
  if (validation.kind === 'none') {
    return rejected('NO_VALIDATION', 'There is nothing to validate a change with, so nothing may be pushed.');
  }
  const base = { ...given, session, policy, repository, tracked };
  const dependencies = await prepareDependencies(deps, base, signal);
  if (dependencies.kind === 'ended') return dependencies;
  const masked = findAgentConfig(tracked);
  await deps.files.removeTracked(repository.workDir, masked);
  const artifacts = await deps.files.artifactsFolder(session.id);
  return ok({ ...base, validation, masked, dependencies: dependencies.value, artifacts, failingChecks });
}

/** Mirror and workspace; the token lives for the fetch only. */
async function openRepository(
  deps: Pick<Deps, 'git' | 'github' | 'store'>,
  session: FixupSession,
  baseRef: string,
  signal: AbortSignal,
): Promise<PreparedAttempt['repository']> {
  const { headSha } = session.fixup;
  const workspace = deps.store.workspace(session.key);
  if (workspace === null) throw new WorkspaceError('GIT_FAILED', 'the workspace row is gone', { retry: 'never' });
  const token = await deps.github.mintGitToken(workspace.repository, 'read', signal);
  try {
    const remote = { url: deps.github.gitUrl(workspace.repository), token };
    const want = { number: workspace.number, headSha, baseRef };
    const mirror = await deps.git.ensureMirror(workspace.repository, want, remote, signal);
    return await deps.git.prepareSession(mirror, { id: session.id, key: session.key, headSha }, signal);
  } finally {
    await deps.github.revokeGitToken(token, AbortSignal.timeout(10_000));
  }
}

function toWorkspaceOutcome(error: WorkspaceError): SessionOutcome {
  if (error.code === 'HEAD_MOVED') {
    return { kind: 'superseded', why: 'head_moved', detail: 'The head moved while the workspace was prepared.' };
  }
  if (error.retry === 'never')
    return rejected('WORKSPACE_FAILED', `The workspace could not be prepared (${error.code}).`).outcome;
  return { kind: 'died', detail: `The workspace could not be prepared (${error.code}).` };
}
