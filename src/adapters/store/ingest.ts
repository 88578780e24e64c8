import { LOOK_SPACING_MS } from '../../core/merge/plan-sweep.ts';
import { assertNever, toError } from '../../core/model/errors.ts';
import type { Event } from '../../core/model/event.ts';
import type { PullRequestKey } from '../../core/model/ids.ts';
import type { RepositoryRef } from '../../core/model/pull-request.ts';
import { EVALUATE_QUEUE, SWEEP_QUEUE } from '../../core/model/queues.ts';
import type { Log } from '../../ports/log.ts';
import type { Delivery, IngestOutcome, StoredCommand, WakeupStore } from '../../ports/store.ts';
import type { CommandWriter } from './commands.ts';
import { type Database, inTransaction } from './database.ts';
import type { DeliveryWriter } from './deliveries.ts';
import type { RepositoryWriter } from './repositories.ts';
import type { WorkspaceWriter } from './workspaces.ts';

/** Dependencies of `ingestDeliveries`. */
export interface IngestDeps {
  readonly db: Database;
  readonly deliveries: DeliveryWriter;
  readonly repositories: RepositoryWriter;
  readonly workspaces: WorkspaceWriter;
  readonly commands: CommandWriter;
  readonly wakeups: Pick<WakeupStore, 'markWakeup'>;
  readonly log: Log | null;
}

/**
 * Stores a batch in one transaction and returns the outcomes in input order. If the content of a delivery breaks a
 * constraint, logs the delivery and rolls back only its writes, so that a redelivery is tried again.
 * @throws the database's error if nothing can be stored (disk full, locked); the whole batch is rolled back.
 */
export function ingestDeliveries(deps: IngestDeps, batch: readonly Delivery[]): readonly IngestOutcome[] {
  try {
    return inTransaction(deps.db, () => batch.map((delivery) => storeDelivery(deps, delivery)));
  } catch (error) {
    if (isDatabaseFailure(error)) throw error;
    return inTransaction(deps.db, () => batch.map((delivery) => storeAlone(deps, delivery)));
  }
}

/** Stores a delivery in its own savepoint, so that its failure rolls back only its own writes. */
function storeAlone(deps: IngestDeps, delivery: Delivery): IngestOutcome {
  try {
    return inTransaction(deps.db, () => storeDelivery(deps, delivery));
  } catch (error) {
    if (isDatabaseFailure(error)) throw error;
    const fields = { deliveryId: delivery.id, eventName: delivery.eventName, action: delivery.action };
    deps.log?.error({ ...fields, error: toError(error) }, 'delivery could not be stored and was left out');
    return { kind: 'ignored' };
  }
}

function storeDelivery(deps: IngestDeps, delivery: Delivery): IngestOutcome {
  if (!deps.deliveries.addDelivery(delivery)) return { kind: 'duplicate' };
  const { event } = delivery;
  if (event === null) return { kind: 'ignored' };
  const wakes = applyEvent(deps, event, delivery);
  const sweeps = toSweeps(deps, event);
  const later = lookAgain(deps, event, delivery);
  if (wakes === null && sweeps.length === 0 && later === 0) return { kind: 'ignored' };
  for (const key of wakes ?? []) deps.wakeups.markWakeup(EVALUATE_QUEUE, key, null);
  for (const key of sweeps) deps.wakeups.markWakeup(SWEEP_QUEUE, key, null);
  return { kind: 'accepted', wakes: wakes ?? [], sweeps };
}

/** A push to a base branch affects all its pull requests. One row wakes the sweep, which finds them. */
function toSweeps({ workspaces }: IngestDeps, event: Event): readonly string[] {
  if (event.kind !== 'branch_pushed' || !workspaces.isBase(event.repository.repositoryId, event.branch)) return [];
  return [`${String(event.repository.repositoryId)}:${event.branch}`];
}

/** Wakes the pull requests that an event on their base concerns, one after the other. Returns their number. */
function lookAgain(deps: IngestDeps, event: Event, { receivedAt }: Delivery): number {
  const keys = toLookAgain(deps, event);
  for (const [nth, key] of keys.entries()) {
    deps.wakeups.markWakeup(EVALUATE_QUEUE, key, receivedAt + nth * LOOK_SPACING_MS);
  }
  return keys.length;
}

/**
 * A push that changes the policy file also affects pull requests that nobody enabled: the new policy may configure
 * engines. The end of CI on a base may be its repair.
 */
function toLookAgain({ workspaces }: IngestDeps, event: Event): readonly PullRequestKey[] {
  if (event.kind === 'branch_pushed' && event.changesPolicy === true) {
    return workspaces.reopenHints(event.repository.repositoryId, event.branch);
  }
  if (event.kind !== 'ci_changed' || event.ended !== true || event.headRef === null) return [];
  return workspaces.redWithBase(event.repository.repositoryId, event.headRef);
}

/** Returns the keys that the event wakes; null if it concerns no known pull request. */
function applyEvent(deps: IngestDeps, event: Event, delivery: Delivery): readonly PullRequestKey[] | null {
  switch (event.kind) {
    case 'pull_request_changed': {
      const key = ensureNumbered(deps, event, delivery);
      deps.workspaces.saveHint(key, event);
      return [key];
    }
    case 'comment_created': {
      const key = ensureNumbered(deps, event, delivery);
      const { comment, author } = event;
      addCommands(deps, { key, author, comment: { kind: comment.kind, id: comment.id } }, delivery);
      return [key];
    }
    case 'button_pressed': {
      const key = ensureNumbered(deps, event, delivery);
      addCommands(deps, { key, author: event.author, comment: { kind: 'check_run', id: event.checkRunId } }, delivery);
      return [key];
    }
    case 'label_changed': {
      const key = ensureNumbered(deps, event, delivery);
      deps.workspaces.saveHint(key, event);
      addCommands(deps, { key, author: event.author, comment: { kind: 'label', id: 0 } }, delivery);
      return [key];
    }
    case 'review_changed':
      return [ensureNumbered(deps, event, delivery)];
    case 'ci_changed':
      deps.repositories.ensureRepository(event.repository);
      return noneToNull(deps.workspaces.withHead(event.repository.repositoryId, event.headSha, event.headRef));
    case 'rerun_requested':
      return applyRerun(deps, event, delivery);
    case 'branch_pushed':
      deps.repositories.ensureRepository(event.repository);
      return noneToNull(deps.workspaces.withHeadBranch(event.repository.repositoryId, event.branch));
    case 'installation_changed':
      return applyInstallation(deps, event);
    default:
      return assertNever(event);
  }
}

/** GitHub's own Re-run button on Ratchet's check run acts like the Retry button, with the same authorisation. */
function applyRerun(
  deps: IngestDeps,
  event: Event & { readonly kind: 'rerun_requested' },
  delivery: Delivery,
): readonly PullRequestKey[] | null {
  deps.repositories.ensureRepository(event.repository);
  const keys = deps.workspaces.withHead(event.repository.repositoryId, event.headSha, event.headRef);
  const { author, checkRunId } = event;
  for (const key of keys) addCommands(deps, { key, author, comment: { kind: 'rerun', id: checkRunId } }, delivery);
  return noneToNull(keys);
}

function ensureNumbered(
  deps: IngestDeps,
  event: { readonly repository: RepositoryRef; readonly number: number },
  { receivedAt }: Delivery,
): PullRequestKey {
  deps.repositories.ensureRepository(event.repository);
  return deps.workspaces.ensureRow(event, receivedAt);
}

function addCommands(
  deps: IngestDeps,
  given: Pick<StoredCommand, 'key' | 'author' | 'comment'>,
  { commands, receivedAt }: Delivery,
): void {
  for (const command of commands) {
    const pressed = { ...given, command, receivedAt };
    if (!isPress(given) || !deps.commands.isPressed(pressed)) deps.commands.addCommand(pressed);
  }
}

function isPress({ comment }: Pick<StoredCommand, 'comment'>): boolean {
  return comment.kind === 'check_run' || comment.kind === 'rerun';
}

/** Also wakes enabled pull requests: their runs must end if the installation is gone. */
function applyInstallation(
  { repositories, workspaces }: IngestDeps,
  event: Event & { readonly kind: 'installation_changed' },
): readonly PullRequestKey[] {
  repositories.applyInstallationChange(event);
  return workspaces.enabledOf(event.installationId);
}

function noneToNull(keys: readonly PullRequestKey[]): readonly PullRequestKey[] | null {
  return keys.length === 0 ? null : keys;
}

/** Whether the database failed. A violated constraint is the content's fault. */
function isDatabaseFailure(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return false;
  return error.code.startsWith('SQLITE_') && !error.code.startsWith('SQLITE_CONSTRAINT');
}
