import { toRunId } from '../../core/model/ids.ts';
import type { FixupSession } from '../../core/model/session.ts';
import type { Stop, Workspace, WorkspacePatch } from '../../core/model/workspace.ts';
import type { StoredCommand } from '../../ports/store.ts';
import type { Deps } from '../deps.ts';
import { readBeside } from '../look/read-beside.ts';
import { askForCheck, rebaseline } from '../quality/quality-commands.ts';
import { endFixup } from '../run/end-fixup.ts';
import { takeAnswer } from './answer-question.ts';

const STOPPED = 'Somebody stopped the fixup.';

type EffectDeps = Pick<Deps, 'clock' | 'log' | 'newId' | 'running' | 'store'>;

type Effect = (deps: EffectDeps, workspace: Workspace, stored: StoredCommand) => void;

/** Commands that change the stored state or end a running fixup. */
const EFFECTS: Readonly<Partial<Record<StoredCommand['command']['name'], Effect>>> = {
  enable,
  disable,
  retry,
  pause,
  resume,
  stop,
  answer,
  check: askForCheck,
  rebaseline,
};

/** Applies the effect of a command, if it has one. Idempotent. */
export function applyCommand(deps: EffectDeps, workspace: Workspace, stored: StoredCommand): void {
  EFFECTS[stored.command.name]?.(deps, workspace, stored);
}

/**
 * If already enabled, this only ends a pause and makes the author the person whose permission counts. Otherwise it resets the
 * attempt budget and the stop (S10). A working fixup may still push, so the data for its stale-CI wait stays (S11).
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

/** The person who enabled it before may have lost the permission. The next push depends on the new one. */
function takeOver(deps: EffectDeps, workspace: Workspace, stored: StoredCommand): void {
  if (workspace.enabledBy?.id === stored.author.id) return;
  const patch = { enabledBy: stored.author };
  change(deps, workspace, stored, { patch, code: 'ENABLED', reason: 'Enabled by somebody else from now on.' });
}

/** Resets the attempt budget and the stop, with a log entry (resolutions S8, S10; trap 66). The daily limit stays. */
function retry(deps: EffectDeps, workspace: Workspace, stored: StoredCommand): void {
  const reason = 'Asked to retry: the attempt budget starts anew.';
  // A stop of the others may be for the same cause. A DECLINED one is about comments of theirs.
  for (const { key, stop: other } of readBeside(deps, workspace.key)) {
    if (other !== null && other.code !== 'DECLINED') deps.store.updateWorkspace(key, { stop: null });
  }
  change(deps, workspace, stored, { patch: toFreshStart(deps, workspace), code: 'RETRIED', reason });
}

function toFreshStart(deps: Pick<Deps, 'clock' | 'store'>, workspace: Workspace): WorkspacePatch {
  const isWorking = deps.store.liveOnBranch(workspace.key).some(({ kind, status }) => {
    return kind === 'ratchet' && status === 'working';
  });
  return {
    consecutiveAttempts: 0,
    stop: null,
    waitingFor: null,
    waitingSince: null,
    freshStarts: workspace.freshStarts + 1,
    openPush: null,
    askedAt: deps.clock.now(),
    takenBack: null,
    ...(isWorking ? {} : { lastCiRunId: null, staleCiSince: null }),
  };
}

/** The agent starts again with the answer. Answering renews no budget. */
function answer(deps: EffectDeps, workspace: Workspace, stored: StoredCommand): void {
  const taken = takeAnswer(deps, workspace, stored);
  if (taken === null) return;
  const by = `@${stored.author.login}`;
  if (!deps.store.answerQuestion(taken.asked.id, { text: taken.text, by })) return;
  const reason = `The question of the agent was answered by ${by}.`;
  change(deps, workspace, stored, { patch: { stop: null }, code: 'ANSWERED', reason });
}

function disable(deps: EffectDeps, workspace: Workspace, stored: StoredCommand): void {
  if (workspace.enablement !== 'enabled') return;
  change(deps, workspace, stored, {
    patch: { enablement: 'disabled', pause: null },
    code: 'DISABLED',
    reason: 'Disabled: nothing is launched any more.',
  });
}

/** Until resumed, nothing is launched and a working fixup does not push (resolution S9). The budget is unchanged. */
function pause(deps: EffectDeps, workspace: Workspace, stored: StoredCommand): void {
  if (workspace.pause !== null || workspace.enablement !== 'enabled') return;
  const patch = { pause: { by: stored.author, at: deps.clock.now() } };
  change(deps, workspace, stored, { patch, code: 'PAUSED', reason: 'Paused: nothing is launched until resumed.' });
}

/** Resumes the whole loop, wherever it was paused. */
function resume(deps: EffectDeps, workspace: Workspace, stored: StoredCommand): void {
  const paused = readBeside(deps, workspace.key).filter(({ pause: other }) => other !== null);
  if (workspace.pause === null && paused.length === 0) return;
  for (const { key } of paused) deps.store.updateWorkspace(key, { pause: null });
  change(deps, workspace, stored, { patch: { pause: null }, code: 'RESUMED', reason: 'Resumed: Ratchet goes on.' });
}

/**
 * Stops the working fixup at once (resolution S9) and leaves a stop for its cause. A fixup that has not started is ended here. One
 * whose push is planned is not stopped; the checks before its push reject it.
 */
function stop(deps: EffectDeps, workspace: Workspace, stored: StoredCommand): void {
  for (const session of deps.store.liveOnBranch(workspace.key)) {
    if (session.fixup === null) continue;
    // Stored now, not at the end of the run: if the process ends first, the fixup must not be launched again.
    const stopped: Stop = { causeKey: session.fixup.causeKey, code: 'NEEDS_HUMAN', reason: STOPPED };
    if (session.key !== workspace.key) deps.store.updateWorkspace(session.key, { stop: stopped });
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
