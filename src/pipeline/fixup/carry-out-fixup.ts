import { findAgentConfig } from '../../core/agents/agent-config-paths.ts';
import { RepositoryError } from '../../core/model/errors.ts';
import { toRunId } from '../../core/model/ids.ts';
import type { FixupSession, SessionOutcome } from '../../core/model/session.ts';
import { isOutage } from '../../core/runs/github-trouble.ts';
import { MAX_DEFINITION_BYTES, planValidation, VALIDATION_FILES } from '../../core/validation/plan-validation.ts';
import type { SessionRepository } from '../../ports/git.ts';
import { takeAgent } from '../agents/take-agent.ts';
import type { Deps, Lease } from '../deps.ts';
import type { WorkStep } from '../execution/run-work.ts';
import { openRepository } from '../prepare/open-repository.ts';
import { type OrEnded, ok, rejected, superseded } from '../prepare/or-ended.ts';
import { goOn } from '../run/wait-for-github.ts';
import { AGES_AT_START, checkGround, type Ground } from './check-ground.ts';
import { collectEvidence } from './collect-evidence.ts';
import type { Change, FixupGoal, PreparedFixup, Start } from './fixup-session.ts';
import { type FixupStep, runFixupSteps, toFixupStep } from './fixup-steps.ts';
import { gate } from './gate.ts';
import { makeChange } from './make-change.ts';
import { prepareForFixup } from './prepare-for-fixup.ts';
import { toEvidenceBudget } from './prompt-agent.ts';
import { isMadeByTool } from './resolve-conflict.ts';
import { startMerge } from './start-merge.ts';
import { takeGoal } from './take-goal.ts';

const CAUSE_GONE = 'What the fixup was launched for is no more.';

/**
 * One attempt, as steps of a plan: preparation (side by side as far as nothing waits for another), change, gate. The gate is straight
 * code, in its fixed order. Returns how it ended, or null if a push is planned (its intent is written).
 */
export async function carryOutFixup(deps: Deps, session: FixupSession, lease: Lease): Promise<SessionOutcome | null> {
  try {
    return await runFixupSteps(deps, session, toSteps(deps, session, lease), lease);
  } catch (error) {
    if (error instanceof RepositoryError && !isOutage(error)) return toWorkspaceOutcome(error);
    throw error;
  }
}

function toSteps(deps: Deps, session: FixupSession, lease: Lease): Parameters<typeof runFixupSteps>[2] {
  const preparation = toPreparation(deps, session);
  const { prepared } = preparation;
  const change = toFixupStep(deps, session, {
    ...{ id: 'change', actionType: 'change', description: 'Make the change', after: preparation.last },
    work: (signal) => makeChange(deps, prepared(), signal),
  });
  const gated = toFixupStep(deps, session, {
    ...{ id: 'gate', actionType: 'integrate', description: 'Judge, validate and prove the change', after: [change] },
    work: (signal) => judgeOrMakeAnew(deps, prepared(), change.made(), { ...lease, signal }),
  });
  return { steps: [...preparation.steps, change, gated], last: gated };
}

/**
 * Judges a change. What a merge tool made and the gate refuses is made again without the tool: it would give the same result in
 * every attempt.
 */
async function judgeOrMakeAnew(
  deps: Deps,
  prepared: PreparedFixup,
  change: Change,
  lease: Lease,
): Promise<OrEnded<null>> {
  const passed = await gate(deps, prepared, change, lease);
  if (passed.kind !== 'ended') return passed;
  const { outcome } = passed;
  const isRemade = outcome.kind === 'rejected' && prepared.goal.kind !== 'accepted' && isMadeByTool(change);
  if (!isRemade) return passed;
  const { id: sessionId, key } = prepared.session;
  deps.log.info({ sessionId, key, code: outcome.code }, 'the merge by structure was refused');
  const without = { ...prepared, skipsMergeTool: true };
  const anew = await makeChange(deps, without, lease.signal);
  return anew.kind === 'ended' ? anew : judgeOrMakeAnew(deps, without, anew.value, lease);
}

interface Preparation {
  readonly steps: readonly WorkStep[];
  /** All that the change waits for. */
  readonly last: readonly WorkStep[];
  /** Once these have completed. */
  readonly prepared: () => PreparedFixup;
}

/** What has to be there before the change, each as a step that waits for no more than it needs. */
function toPreparation(deps: Deps, session: FixupSession): Preparation {
  const step = <Value>(
    id: string,
    description: string,
    after: readonly WorkStep[],
    work: (signal: AbortSignal) => Promise<OrEnded<Value>>,
  ): FixupStep<Value> => toFixupStep(deps, session, { id, actionType: 'prepare', description, after, work });
  const ability = step('ability', 'Check sandbox and agent', [], (signal) => checkAbility(deps, session, signal));
  const ground = step('ground', 'Read the pull request', [ability], (signal) =>
    checkGround(deps, session, signal, AGES_AT_START),
  );
  const goal = step('goal', 'Find what is to be done', [ground], (signal) =>
    readGoal(deps, session, ground.made(), signal),
  );
  // Without it nothing can be pushed, so an agent would work in vain.
  const identity = step('identity', 'Read who makes the commit', [goal], async (signal) =>
    ok(await deps.github.readCommitIdentity(ground.made().workspace.repository, signal)),
  );
  const repository = step('repository', 'Fetch the repository', [goal], async (signal) =>
    ok(await fetchRepository(deps, session, ground.made(), signal)),
  );
  const given = (): Given => {
    const { facts } = ground.made();
    return { facts, policy: facts.taken.policy, session, goal: goal.made(), repository: repository.made() };
  };
  const start = step('start', 'Find the tree to start from', [repository], (signal) =>
    takeStart(deps, given(), signal),
  );
  const validation = step('validation', 'Find the validation commands', [start], (signal) =>
    findValidation(deps, given(), start.made(), signal),
  );
  const started = (): Given & Pick<PreparedFixup, 'tracked'> => ({ ...given(), tracked: validation.made().tracked });
  const dependencies = step('dependencies', 'Prepare dependencies', [validation], async (signal) =>
    prepareForFixup(deps, started(), start.made().readableTreeish, signal),
  );
  const evidence = step('evidence', 'Read logs and annotations', [validation], async (signal) =>
    ok(await readEvidence(deps, started(), signal)),
  );
  return {
    steps: [ability, ground, goal, identity, repository, start, validation, dependencies, evidence],
    last: [identity, dependencies, evidence],
    prepared: () => ({
      ...{ ...given(), ...validation.made(), start: start.made(), identity: identity.made() },
      ...{ dependencies: dependencies.made(), evidence: evidence.made(), skipsMergeTool: false },
    }),
  };
}

type Given = Pick<PreparedFixup, 'facts' | 'session' | 'policy' | 'repository' | 'goal'>;

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

async function readGoal(
  deps: Deps,
  session: FixupSession,
  { facts, workspace }: Ground,
  signal: AbortSignal,
): Promise<OrEnded<FixupGoal>> {
  const { policy, problems } = facts.taken;
  if (problems.length > 0)
    return rejected('NO_VALIDATION', 'The policy file became invalid; see its problems on the check run.');
  const goal = await takeGoal(deps, session, { facts, workspace, policy }, signal);
  return goal === null ? superseded('cause_gone', CAUSE_GONE) : ok(goal);
}

async function fetchRepository(
  deps: Deps,
  session: FixupSession,
  { facts, workspace }: Ground,
  signal: AbortSignal,
): Promise<SessionRepository> {
  const { headSha, baseSha } = session.fixup;
  const { headRef, baseRef, fork } = facts;
  const want = { id: toRunId(session.id), headSha, headRef: fork ? null : headRef, baseRef, alsoKeep: [baseSha] };
  const repository = await openRepository(deps, workspace, want, signal);
  goOn(deps, session);
  return repository;
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

/** The validation commands, the paths that the start tracks, and the agent configuration to mask. */
async function findValidation(
  deps: Pick<Deps, 'git'>,
  { policy, repository }: Given,
  start: Start,
  signal: AbortSignal,
): Promise<OrEnded<Pick<PreparedFixup, 'validation' | 'tracked' | 'masked'>>> {
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
  return ok({ validation, tracked, masked: findAgentConfig(tracked) });
}

/** Read while dependencies are prepared, which takes longer. */
async function readEvidence(
  deps: Deps,
  given: Given & Pick<PreparedFixup, 'tracked'>,
  signal: AbortSignal,
): Promise<PreparedFixup['evidence']> {
  const { goal, session } = given;
  if (goal.kind !== 'ci') return [];
  const { fileBytes: maxBytes } = toEvidenceBudget(deps, session);
  return collectEvidence(deps, given, { failing: goal.failing, maxBytes }, signal);
}

/** The end of a run whose repository could not be prepared. */
export function toWorkspaceOutcome(error: RepositoryError): SessionOutcome {
  const detail = `The workspace could not be prepared (${error.code}).`;
  return error.retry === 'never' ? rejected('WORKSPACE_FAILED', detail).outcome : { kind: 'died', detail };
}
