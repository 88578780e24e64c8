import { findPushHold, findSwitchHold, type PushFacts, type SwitchFacts } from '../../core/decide/holds.ts';
import { toHeldPullRequest } from '../../core/decide/to-held-pull-request.ts';
import type { Fixup, FixupKind, FixupSession } from '../../core/model/session.ts';
import type { Workspace } from '../../core/model/workspace.ts';
import { toDecisionPolicy } from '../../core/policy/to-decision-policy.ts';
import type { Deps } from '../deps.ts';
import { findPausedBeside, readBeside } from '../look/read-beside.ts';
import { type ReadFacts, readFacts } from '../look/read-facts.ts';
import { DECIDING_AGE_MS } from '../look/take-review-verdict.ts';
import { type OrEnded, ok, superseded } from '../prepare/or-ended.ts';
import { disarmAutoMerge } from './disarm-auto-merge.ts';

/** The state of the pull request that a session depends on, just read. */
export interface Ground {
  readonly facts: ReadFacts;
  readonly workspace: Workspace;
  readonly held: PushFacts;
  /** Why the policy forbids a push now, or null. It may have changed or become invalid since the launch (trap 62). */
  readonly unpushed: string | null;
}

/** Maximum age of cached reads that the ground may be judged by. */
interface GroundAges {
  readonly factsMs: number;
  readonly permissionMs: number;
}

/** At the start, the reads of the look that launched the session are fresh enough: nothing leaves the machine yet. */
export const AGES_AT_START: GroundAges = { factsMs: 15_000, permissionMs: DECIDING_AGE_MS };
const LIVE: GroundAges = { factsMs: 0, permissionMs: 0 };

/**
 * `checkGround` as the last step before a push, with live reads. If the policy asks to disarm auto-merge, Ratchet turns it off
 * again, because someone may have turned it on since the launch. A stale read that still shows it on costs only one call.
 */
export async function checkGroundBeforePush(
  deps: Pick<Deps, 'github' | 'log' | 'settings' | 'store'>,
  session: FixupSession,
  signal: AbortSignal,
): Promise<OrEnded<Ground>> {
  const ground = await checkGround(deps, session, signal);
  if (ground.kind === 'ended' || ground.value.unpushed !== null) return ground;
  const why = await disarmAutoMerge(deps, ground.value.workspace, ground.value.held, signal);
  return why === null ? ground : superseded('stopped', `Auto-merge is on, and GitHub does not turn it off: ${why}`);
}

/**
 * Reads the pull request again. It must be open, at the head that the session started from, not held, and enabled by someone who
 * still has write permission. Otherwise returns a superseded outcome.
 */
export async function checkGround(
  deps: Pick<Deps, 'github' | 'settings' | 'store'>,
  session: FixupSession,
  signal: AbortSignal,
  ages: GroundAges = LIVE,
): Promise<OrEnded<Ground>> {
  const switches = checkSwitches(deps, session);
  if (switches.kind === 'ended') return switches;
  const workspace = switches.value;
  const { fixup } = session;
  const facts = await readFacts(deps, workspace, signal, { maxAgeMs: ages.factsMs });
  if (facts?.state !== 'open') return superseded('closed', 'The pull request is not open any more.');
  if (facts.headSha !== fixup.headSha) {
    return superseded('head_moved', `The head moved from ${fixup.headSha} to ${facts.headSha}.`);
  }
  const { policy, problems } = facts.taken;
  const held: PushFacts = {
    ...toSwitchFacts(deps, workspace, session),
    ...{ pullRequest: toHeldPullRequest(facts, policy), policyErrors: problems, policy: toDecisionPolicy(policy) },
  };
  const hold = findPushHold(held, toHeldAction(fixup));
  if (hold !== null && hold.ends !== 'unpushed') return superseded(hold.ends, hold.detail);
  if (!(await mayStillWrite(deps, { workspace, fixup }, ages.permissionMs, signal))) {
    return superseded('permission', toLostPermission(fixup));
  }
  return ok({ facts, workspace, held, unpushed: hold?.detail ?? null });
}

/** Checks the holds that come from commands of people and need no call to GitHub. Runs before every effect (trap 62). */
export function checkSwitches({ store }: Pick<Deps, 'store'>, session: FixupSession): OrEnded<Workspace> {
  const workspace = store.workspace(session.key);
  if (workspace === null) return superseded('disabled', 'The pull request is not known any more.');
  const hold = findSwitchHold(toSwitchFacts({ store }, workspace, session), toHeldAction(session.fixup));
  if (hold === null) return ok(workspace);
  return superseded(hold.ends, hold.ends === 'stopped' ? (workspace.stop?.reason ?? hold.detail) : hold.detail);
}

/** What the policy says of a kind of fixup is no reason against taking one back: an undo is held by what holds every push. */
function toHeldAction({ action, undo }: Fixup): FixupKind {
  return undo === undefined ? action : 'FIX_CI';
}

function toSwitchFacts(
  deps: Pick<Deps, 'store'>,
  { key, enablement, pause, stop }: Workspace,
  { fixup }: FixupSession,
): SwitchFacts {
  const enabled = enablement === 'enabled';
  // The stop of a change that is held keeps back everything but its own push.
  const stoppedFor = fixup.accept !== undefined && stop?.code === 'HELD' ? null : (stop?.causeKey ?? null);
  const pausedBeside = findPausedBeside(readBeside(deps, key));
  return {
    causeKey: fixup.causeKey,
    ratchet: { enabled, paused: pause !== null, pausedBeside, stoppedFor },
  };
}

function toLostPermission({ undo, accept }: Fixup): string {
  const isAsked = undo !== undefined && undo.by !== null;
  const asked = isAsked ? 'asked for the undo' : 'enabled Ratchet here';
  return `Whoever ${accept === undefined ? asked : 'accepted the change'} has no write permission any more.`;
}

/** Of whoever accepted a change or asked for an undo; otherwise of whoever enabled Ratchet. */
async function mayStillWrite(
  deps: Pick<Deps, 'github'>,
  { workspace, fixup }: { readonly workspace: Workspace; readonly fixup: Fixup },
  maxAgeMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  const by = fixup.accept?.by ?? fixup.undo?.by ?? workspace.enabledBy;
  if (by === null) return false;
  const { userId, permission } = await deps.github.readPermission(workspace.repository, by.login, signal, maxAgeMs);
  return userId === by.id && (permission === 'write' || permission === 'admin');
}
