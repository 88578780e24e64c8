import { toRunId } from '../../core/model/ids.ts';
import type { FixupSession } from '../../core/model/session.ts';
import type { Stop, Workspace, WorkspacePatch } from '../../core/model/workspace.ts';
import type { StoredCommand } from '../../ports/store.ts';
import type { Deps } from '../deps.ts';
import { askForCheck, rebaseline } from '../quality/quality-commands.ts';
import { endFixup } from '../run/end-fixup.ts';

const STOPPED = 'Somebody stopped the fixup.';

type EffectDeps = Pick<Deps, 'clock' | 'log' | 'newId' | 'running' | 'store'>;

type Effect = (deps: EffectDeps, workspace: Workspace, stored: StoredCommand) => void;

/** Commands that change what is remembered of a pull request, or end what is at work on it. */
const EFFECTS: Readonly<Partial<Record<StoredCommand['command']['name'], Effect>>> = {
  enable,
  disable,
  retry,
  pause,
  resume,
  stop,
  check: askForCheck,
  rebaseline,
};

/** The effect of a command; any other command has none. Idempotent. */
export function applyCommand(deps: EffectDeps, workspace: Workspace, stored: StoredCommand): void {
  EFFECTS[stored.command.name]?.(deps, workspace, stored);
}

/**
 * Enabling what is enabled ends a pause and makes whoever says it the one whose permission counts, nothing more; after a disable
 * (or for the first time) the budget is fresh and no stop holds (S10). A fixup that works on meanwhile may still push: what its
 * stale wait is measured by stays (S11).
 */
function enable(deps: EffectDeps, workspace: Workspace, stored: StoredCommand): void {
  if (workspace.enablement === 'enabled') {
    takeOver(deps, workspace, stored);
    resume(deps, workspace, stored);
    return;
  }
  const patch: WorkspacePatch = {
    ...toFreshStart(deps, workspace),
    enablement: 'enabled',
    enabledBy: stored.author,
    pause: null,
  };
  change(deps, workspace, stored, { patch, code: 'ENABLED', reason: 'Enabled: the attempt budget starts anew.' });
}

/** Who enabled it first may have lost the permission since: whoever says it again answers for the next push. */
function takeOver(deps: EffectDeps, workspace: Workspace, stored: StoredCommand): void {
  if (workspace.enabledBy?.id === stored.author.id) return;
  const patch = { enabledBy: stored.author };
  change(deps, workspace, stored, { patch, code: 'ENABLED', reason: 'Enabled by somebody else from now on.' });
}

/** A fresh, logged budget, and no stop (resolutions S8, S10; trap 66). The limit of a day stays: only time lifts that one. */
function retry(deps: EffectDeps, workspace: Workspace, stored: StoredCommand): void {
  const reason = 'Asked to retry: the attempt budget starts anew.';
  change(deps, workspace, stored, { patch: toFreshStart(deps, workspace), code: 'RETRIED', reason });
}

function toFreshStart(deps: Pick<Deps, 'store'>, workspace: Workspace): WorkspacePatch {
  const isWorking = deps.store.liveSessions(workspace.key).some(({ kind, status }) => {
    return kind === 'ratchet' && status === 'working';
  });
  return {
    consecutiveAttempts: 0,
    stop: null,
    waitingFor: null,
    waitingSince: null,
    freshStarts: workspace.freshStarts + 1,
    ...(isWorking ? {} : { lastCiRunId: null, staleCiSince: null }),
  };
}

function disable(deps: EffectDeps, workspace: Workspace, stored: StoredCommand): void {
  if (workspace.enablement !== 'enabled') return;
  change(deps, workspace, stored, {
    patch: { enablement: 'disabled', pause: null },
    code: 'DISABLED',
    reason: 'Disabled: nothing is launched any more.',
  });
}

/** Holds until resumed: nothing is launched, and what is at work is not pushed (resolution S9). The budget stays as it is. */
function pause(deps: EffectDeps, workspace: Workspace, stored: StoredCommand): void {
  if (workspace.pause !== null || workspace.enablement !== 'enabled') return;
  const patch = { pause: { by: stored.author, at: deps.clock.now() } };
  change(deps, workspace, stored, { patch, code: 'PAUSED', reason: 'Paused: nothing is launched until resumed.' });
}

function resume(deps: EffectDeps, workspace: Workspace, stored: StoredCommand): void {
  if (workspace.pause === null) return;
  change(deps, workspace, stored, { patch: { pause: null }, code: 'RESUMED', reason: 'Resumed: Ratchet goes on.' });
}

/**
 * Ends the fixup that is at work, at once (resolution S9); what it was launched for stays stopped. One that still waits for its run
 * is ended here; one whose push is planned is not at work any more, and its push finds the ground taken away.
 */
function stop(deps: EffectDeps, workspace: Workspace, stored: StoredCommand): void {
  for (const session of deps.store.liveSessions(workspace.key)) {
    if (session.fixup === null) continue;
    // At once, and not with the end of the run: a process that ends before its run has must not launch it again.
    const stopped: Stop = { causeKey: session.fixup.causeKey, code: 'NEEDS_HUMAN', reason: STOPPED };
    change(deps, workspace, stored, { patch: { stop: stopped }, code: 'STOPPED', reason: STOPPED });
    if (deps.running.stop(toRunId(session.id), 'stopped')) continue;
    endUnstarted(deps, { ...session, fixup: session.fixup });
  }
}

function endUnstarted(deps: EffectDeps, session: FixupSession): void {
  const isUnstarted = deps.store.openIntents(session.id).some(({ effect }) => effect.kind === 'launch');
  if (!isUnstarted) return;
  endFixup(deps, session, { kind: 'superseded', why: 'stopped', detail: 'It was stopped before it began.' });
}

function change(
  deps: EffectDeps,
  workspace: Workspace,
  stored: StoredCommand,
  made: { readonly patch: WorkspacePatch; readonly code: string; readonly reason: string },
): void {
  const createdAt = deps.clock.now();
  deps.store.updateWorkspace(workspace.key, made.patch);
  deps.store.appendTransition({
    key: workspace.key,
    action: 'COMMAND',
    code: made.code,
    reason: made.reason,
    snapshot: null,
    createdAt,
  });
  deps.log.info(
    { key: workspace.key, command: stored.command.name, authorId: stored.author.id, place: stored.comment.kind },
    'command carried out',
  );
}
