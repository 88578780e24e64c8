import type { Workspace, WorkspacePatch } from '../core/model/workspace.ts';
import type { StoredCommand } from '../ports/store.ts';
import type { Deps } from './deps.ts';

type EffectDeps = Pick<Deps, 'clock' | 'log' | 'store'>;

/** The effect of a command that changes what is remembered of a pull request; any other command has none. Idempotent. */
export function applyCommand(deps: EffectDeps, workspace: Workspace, stored: StoredCommand): void {
  if (stored.command.name === 'enable') enable(deps, workspace, stored);
  if (stored.command.name === 'disable') disable(deps, workspace, stored);
  if (stored.command.name === 'retry') retry(deps, workspace, stored);
}

/**
 * Enabling what is enabled changes nothing; after a disable (or for the first time) the budget is fresh and no stop holds (S10).
 * A fixup that works on meanwhile may still push: what its stale wait is measured by stays (S11).
 */
function enable(deps: EffectDeps, workspace: Workspace, stored: StoredCommand): void {
  if (workspace.enablement === 'enabled') return;
  const patch: WorkspacePatch = {
    ...toFreshStart(deps, workspace),
    enablement: 'enabled',
    enabledBy: stored.author,
  };
  change(deps, workspace, stored, { patch, code: 'ENABLED', reason: 'Enabled: the attempt budget starts anew.' });
}

/** A fresh, logged budget, and no stop (resolutions S8, S10; trap 66). The limit of a day stays: only time lifts that one. */
function retry(deps: EffectDeps, workspace: Workspace, stored: StoredCommand): void {
  const reason = 'Asked to retry: the attempt budget starts anew.';
  change(deps, workspace, stored, { patch: toFreshStart(deps, workspace), code: 'RETRIED', reason });
}

function toFreshStart(deps: Pick<Deps, 'store'>, workspace: Workspace): WorkspacePatch {
  const isWorking = deps.store.liveSessions(workspace.key).some(({ status }) => status === 'working');
  return {
    consecutiveAttempts: 0,
    stop: null,
    waitingFor: null,
    waitingSince: null,
    ...(isWorking ? {} : { lastCiRunId: null, staleCiSince: null }),
  };
}

function disable(deps: EffectDeps, workspace: Workspace, stored: StoredCommand): void {
  if (workspace.enablement !== 'enabled') return;
  change(deps, workspace, stored, {
    patch: { enablement: 'disabled' },
    code: 'DISABLED',
    reason: 'Disabled: nothing is launched any more.',
  });
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
    { key: workspace.key, command: stored.command.name, authorId: stored.author.id },
    'command carried out',
  );
}
