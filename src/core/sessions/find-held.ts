import type { PullRequestKey } from '../model/ids.ts';
import type { FixupSession, HeldChange, Session } from '../model/session.ts';
import type { Workspace } from '../model/workspace.ts';

/** A change that waits for a person, and the session that made it. */
export interface Held {
  readonly session: FixupSession;
  readonly outcome: HeldChange;
}

/**
 * The change that waits on a branch: the newest that a stop of one of its pull requests is about. null: none waits. `workspaces`: those
 * of the branch, the asked one first; `ended`: its sessions, newest first.
 */
export function findHeld(
  workspaces: readonly Pick<Workspace, 'key' | 'stop'>[],
  ended: readonly Session[],
): Held | null {
  const stops = new Map<PullRequestKey, string>(
    workspaces.flatMap(({ key, stop }) => (stop?.code === 'HELD' ? [[key, stop.causeKey] as const] : [])),
  );
  for (const session of ended) {
    const { key, fixup, outcome } = session;
    if (outcome?.kind === 'held' && fixup !== null && stops.get(key) === fixup.causeKey) {
      return { session: { ...session, fixup }, outcome };
    }
  }
  return null;
}

/** Why an accepted change is not pushed to a head, or null. */
export function findOtherHead({ session }: Held, headSha: string): string | null {
  const { headSha: madeFor } = session.fixup;
  if (headSha === madeFor) return null;
  return `the change was made for ${madeFor}, and the head is ${headSha} now. Nothing was pushed`;
}
