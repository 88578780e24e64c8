import { findInstallation, rowOf } from '../find.ts';
import { entriesOf, type JsonObject, toObject } from '../json.ts';
import { type AppEvent, renderUser } from '../render/accounts.ts';
import { renderInstallation, renderRepository } from '../render/repositories.ts';
import type { Installation } from '../state.ts';
import type { WorldContext } from '../world-context.ts';
import { overlay } from './examples.ts';

/** An event in a repository. */
export type WorldEvent = {
  readonly event: AppEvent;
  readonly action: string | null;
  readonly repositoryId: number;
  readonly senderLogin: string;
  /** The keys specific to this event, e.g. `{ pull_request: … }`. */
  readonly body: JsonObject;
};

/** Merges our values into a recorded payload, key by key. Top-level keys that we do not set are not sent. */
function toPayload(world: WorldContext, event: string, ours: JsonObject): JsonObject {
  const action = ours['action'];
  const recorded = world.gates.exampleOf(event, typeof action === 'string' ? action : null);
  return toObject(entriesOf(ours).map(([key, value]) => [key, overlay(recorded[key], value)] as const));
}

function send(world: WorldContext, event: string, ours: JsonObject): void {
  const payload = toPayload(world, event, ours);
  world.violations.push(...world.gates.webhook(event, payload));
  world.deliveries.enqueue({ event, payload });
}

/** Queues the event's webhook if the App is installed on the repository and not suspended. */
export function emit(world: WorldContext, worldEvent: WorldEvent): void {
  const installation = findInstallation(world.state, worldEvent.repositoryId);
  world.changed();
  if (installation === null || installation.suspendedAt !== null) return;
  send(world, worldEvent.event, {
    ...(worldEvent.action === null ? {} : { action: worldEvent.action }),
    ...worldEvent.body,
    repository: renderRepository(world, rowOf(world.state.repositories, worldEvent.repositoryId)),
    sender: renderUser(world, worldEvent.senderLogin),
    installation: { id: installation.id, node_id: `I_${installation.id}` },
  });
}

/** Queues an `installation` webhook. GitHub sends it for suspended and deleted installations, too. */
export function emitInstallation(
  world: WorldContext,
  installation: Installation,
  action: 'created' | 'deleted' | 'suspend' | 'unsuspend',
): void {
  send(world, 'installation', {
    action,
    installation: renderInstallation(world, installation),
    repositories: [...installation.repositoryIds].map((id) => renderInstallationRepository(world, id)),
    sender: renderUser(world, installation.accountLogin),
  });
}

/** Queues an `installation_repositories` webhook. */
export function emitInstallationRepositories(
  world: WorldContext,
  installation: Installation,
  change: { readonly action: 'added' | 'removed'; readonly repositoryId: number },
): void {
  const changed = [renderInstallationRepository(world, change.repositoryId)];
  send(world, 'installation_repositories', {
    action: change.action,
    installation: renderInstallation(world, installation),
    repository_selection: 'selected',
    repositories_added: change.action === 'added' ? changed : [],
    repositories_removed: change.action === 'removed' ? changed : [],
    requester: null,
    sender: renderUser(world, installation.accountLogin),
  });
}

function renderInstallationRepository(world: WorldContext, id: number): JsonObject {
  const { name, node_id, full_name, private: isPrivate } = renderRepository(world, rowOf(world.state.repositories, id));
  return { id, node_id, name, full_name, private: isPrivate };
}
