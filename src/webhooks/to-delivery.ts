import { createHash } from 'node:crypto';
import type { Command, Event } from '../core/model/event.ts';
import type { DeliveryId, EpochMs } from '../core/model/ids.ts';
import type { Delivery } from '../ports/store.ts';

/** What is known of a verified delivery once its payload was mapped. */
export interface MappedDelivery {
  readonly id: DeliveryId;
  readonly eventName: string;
  readonly body: Buffer;
  readonly payload: object;
  readonly receivedAt: EpochMs;
  /** null for a delivery that wakes nothing. */
  readonly event: Event | null;
}

/** Finds the commands of a comment. Never throws. */
export type ParseCommands = (body: string) => readonly Command[];

/** The delivery to store: with the hash of its raw body (T2) and, for a comment by a person, its commands (T9). */
export function toDelivery(mapped: MappedDelivery, parseCommands: ParseCommands): Delivery {
  const action: unknown = 'action' in mapped.payload ? mapped.payload.action : null;
  return {
    id: mapped.id,
    bodyHash: createHash('sha256').update(mapped.body).digest('hex'),
    eventName: mapped.eventName,
    action: typeof action === 'string' ? action.slice(0, 64) : null,
    receivedAt: mapped.receivedAt,
    event: mapped.event,
    commands: toCommands(mapped.event, parseCommands),
  };
}

function toCommands(event: Event | null, parseCommands: ParseCommands): readonly Command[] {
  if (event?.kind === 'button_pressed') return event.author.kind === 'user' ? [{ name: event.button, args: [] }] : [];
  if (event?.kind !== 'comment_created' || event.author.kind !== 'user') return [];
  return parseCommands(event.comment.body);
}
