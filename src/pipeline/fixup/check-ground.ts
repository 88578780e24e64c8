import { findPushHold, findSwitchHold, type PushFacts, type SwitchFacts } from '../../core/decide/holds.ts';
import { toHeldPullRequest } from '../../core/decide/to-held-pull-request.ts';
import type { FixupSession } from '../../core/model/session.ts';
import type { Workspace } from '../../core/model/workspace.ts';
import { toDecisionPolicy } from '../../core/policy/to-decision-policy.ts';
import type { Deps } from '../deps.ts';
import { type ReadFacts, readFacts } from '../look/read-facts.ts';
import { type OrEnded, ok, superseded } from '../prepare/or-ended.ts';
import { disarmAutoMerge } from './disarm-auto-merge.ts';

/** The ground on which a session stands, read anew. */
export interface Ground {
  readonly facts: ReadFacts;
  readonly workspace: Workspace;
  /** Why the policy of now lets nothing be pushed; null: it does. It may have been changed, or broken, since the launch (trap 62). */
  readonly unpushed: string | null;
}

/** Reads the pull request again before anything is spent on it. */
export async function checkGround(
  deps: Pick<Deps, 'github' | 'settings' | 'store'>,
  session: FixupSession,
  signal: AbortSignal,
): Promise<OrEnded<Ground>> {
  const read = await readGround(deps, session, signal);
  return read.kind === 'ended' ? read : ok(read.value);
}

/**
 * Reads it again as the last step before a push. Where the policy has auto-merge turned off before a fixup, somebody may have
 * turned it on since: it is turned off again. A read that lags behind the first time costs a call, and stops nothing.
 */
export async function checkGroundBeforePush(
  deps: Pick<Deps, 'github' | 'log' | 'settings' | 'store'>,
  session: FixupSession,
  signal: AbortSignal,
): Promise<OrEnded<Ground>> {
  const read = await readGround(deps, session, signal);
  if (read.kind === 'ended' || read.value.unpushed !== null) return read;
  const refusal = await disarmAutoMerge(deps, read.value.workspace, read.value.held, signal);
  return refusal === null
    ? read
    : superseded('stopped', `Auto-merge is on, and GitHub does not turn it off: ${refusal}`);
}

/** It must be open, enabled by someone who may still write, its head the one that the session started from, and not held. */
async function readGround(
  deps: Pick<Deps, 'github' | 'settings' | 'store'>,
  session: FixupSession,
  signal: AbortSignal,
): Promise<OrEnded<Ground & { readonly held: PushFacts }>> {
  const switches = checkSwitches(deps, session);
  if (switches.kind === 'ended') return switches;
  const workspace = switches.value;
  const { fixup } = session;
  const facts = await readFacts(deps, workspace, signal);
  if (facts?.state !== 'open') return superseded('closed', 'The pull request is not open any more.');
  if (facts.headSha !== fixup.headSha) {
    return superseded('head_moved', `The head moved from ${fixup.headSha} to ${facts.headSha}.`);
  }
  const { policy, problems } = facts.taken;
  const pullRequest = toHeldPullRequest(facts, policy);
  const rules = { pullRequest, policyErrors: problems, policy: toDecisionPolicy(policy) };
  const held = { ...toSwitchFacts(workspace, session), ...rules };
  const hold = findPushHold(held, fixup);
  if (hold !== null && hold.ends !== 'unpushed') return superseded(hold.ends, hold.detail);
  if (!(await mayStillWrite(deps, workspace, signal))) {
    return superseded('permission', 'Whoever enabled Ratchet here has no write permission any more.');
  }
  return ok({ facts, workspace, held, unpushed: hold?.detail ?? null });
}

/** What people told us, and GitHub does not know: looked at before every effect (trap 62). */
export function checkSwitches({ store }: Pick<Deps, 'store'>, session: FixupSession): OrEnded<Workspace> {
  const workspace = store.workspace(session.key);
  if (workspace === null) return superseded('disabled', 'The pull request is not known any more.');
  const hold = findSwitchHold(toSwitchFacts(workspace, session), session.fixup);
  if (hold === null) return ok(workspace);
  return superseded(hold.ends, hold.ends === 'stopped' ? (workspace.stop?.reason ?? hold.detail) : hold.detail);
}

function toSwitchFacts({ enablement, pause, stop }: Workspace, { fixup }: FixupSession): SwitchFacts {
  const ratchet = { enabled: enablement === 'enabled', paused: pause !== null, stoppedFor: stop?.causeKey ?? null };
  return { causeKey: fixup.causeKey, ratchet };
}

async function mayStillWrite(deps: Pick<Deps, 'github'>, workspace: Workspace, signal: AbortSignal): Promise<boolean> {
  const enabler = workspace.enabledBy;
  if (enabler === null) return false;
  const { userId, permission } = await deps.github.readPermission(workspace.repository, enabler.login, signal);
  return userId === enabler.id && (permission === 'write' || permission === 'admin');
}
