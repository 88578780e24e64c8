import { isSameLabel } from '../../core/commands/labels.ts';
import type { FixupSession, SessionOutcome } from '../../core/model/session.ts';
import type { Workspace } from '../../core/model/workspace.ts';
import type { Deps } from '../deps.ts';
import { type ReadFacts, readFacts } from '../look/read-facts.ts';
import { DECIDING_AGE_MS } from '../look/take-review-verdict.ts';

/** The ground on which a session stands, read anew; or why it stands no more. */
export type Ground =
  | { readonly kind: 'holds'; readonly facts: ReadFacts; readonly workspace: Workspace }
  | { readonly kind: 'gone'; readonly outcome: SessionOutcome & { readonly kind: 'superseded' } };

/** How old what the ground is judged by may be. */
interface GroundAges {
  readonly factsMs: number;
  readonly permissionMs: number;
}

/** Before anything is spent: the look that launched the session is as good as another, and nothing leaves the machine yet. */
export const AGES_AT_START: GroundAges = { factsMs: 15_000, permissionMs: DECIDING_AGE_MS };
const LIVE: GroundAges = { factsMs: 0, permissionMs: 0 };

/**
 * Reads the pull request again: it must be open, enabled by someone who may still write, and its head the one that the session
 * started from. Called before anything is spent and, live, as the last step before a push.
 */
export async function checkGround(
  deps: Pick<Deps, 'github' | 'settings' | 'store'>,
  session: FixupSession,
  signal: AbortSignal,
  ages: GroundAges = LIVE,
): Promise<Ground> {
  const switches = checkSwitches(deps, session);
  if (switches.kind === 'gone') return switches;
  const { workspace } = switches;
  const facts = await readFacts(deps, workspace, signal, { maxAgeMs: ages.factsMs });
  if (facts?.state !== 'open') return gone('closed', 'The pull request is not open any more.');
  if (facts.headSha !== session.fixup.headSha) {
    return gone('head_moved', `The head moved from ${session.fixup.headSha} to ${facts.headSha}.`);
  }
  const hold = findHold(facts);
  if (hold !== null) return hold;
  if (!(await mayStillWrite(deps, workspace, ages.permissionMs, signal))) {
    return gone('permission', 'Whoever enabled Ratchet here has no write permission any more.');
  }
  return { kind: 'holds', facts, workspace };
}

/** What people told us, and GitHub does not know: looked at before every effect (trap 62). */
export function checkSwitches(
  { store }: Pick<Deps, 'store'>,
  { key, fixup }: FixupSession,
): { readonly kind: 'holds'; readonly workspace: Workspace } | Extract<Ground, { readonly kind: 'gone' }> {
  const workspace = store.workspace(key);
  if (workspace?.enablement !== 'enabled') return gone('disabled', 'Ratchet was disabled on this pull request.');
  if (workspace.pause !== null) return gone('paused', 'Ratchet was paused on this pull request.');
  // A launch clears the stop: one for the same cause was said since, possibly to a process that is no more.
  if (workspace.stop?.causeKey === fixup.causeKey) return gone('stopped', workspace.stop.reason);
  return { kind: 'holds', workspace };
}

/** Whether the policy of now lets anything be pushed: it may have been changed, or broken, since the launch (trap 62). */
export function isPushAllowed({ taken: { policy, problems } }: ReadFacts): boolean {
  return problems.length === 0 && policy.mode === 'push';
}

/** What came up since the launch and forbids a push: the decision's own holds, looked at again (resolution S16; trap 62). */
function findHold(facts: ReadFacts): Ground | null {
  if (facts.fork || facts.inMergeQueue) {
    return gone('stopped', 'The pull request may not be pushed to now (fork or merge queue).');
  }
  if (facts.autoMerge && !facts.rules.dismissesStaleApprovals) {
    return gone('stopped', 'Auto-merge is on: a push could be merged without a review.');
  }
  const { labels } = facts.taken.policy;
  if (facts.labels.some((label) => isSameLabel(label, labels.hold))) return gone('paused', 'The hold label was added.');
  const [refusal] = facts.rules.pushRefusals;
  return refusal === undefined ? null : gone('stopped', refusal);
}

async function mayStillWrite(
  deps: Pick<Deps, 'github'>,
  workspace: Workspace,
  maxAgeMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  const enabler = workspace.enabledBy;
  if (enabler === null) return false;
  const { userId, permission } = await deps.github.readPermission(
    workspace.repository,
    enabler.login,
    signal,
    maxAgeMs,
  );
  return userId === enabler.id && (permission === 'write' || permission === 'admin');
}

function gone(
  why: (SessionOutcome & { kind: 'superseded' })['why'],
  detail: string,
): Extract<Ground, { readonly kind: 'gone' }> {
  return { kind: 'gone', outcome: { kind: 'superseded', why, detail } };
}
