import { createHash } from 'node:crypto';
import type { Command, Event } from '../core/model/event.ts';
import type { DeliveryId, EpochMs } from '../core/model/ids.ts';
import { QUALITY_CHECK_NAME } from '../core/model/quality-check-name.ts';
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

/**
 * Only people give commands (T9). What a label means is for the policy to say, when the command is carried out. Of a Re-run GitHub
 * waits for the check run to be told anew, whoever asked: a bot's is taken down too, and refused where it is carried out.
 */
function toCommands(event: Event | null, parseCommands: ParseCommands): readonly Command[] {
  if (event === null || !('author' in event)) return [];
  if (event.author.kind !== 'user' && event.kind !== 'rerun_requested') return [];
  switch (event.kind) {
    case 'button_pressed':
      return [{ name: event.button, args: [] }];
    case 'rerun_requested':
      return toRerun(event.checkName ?? null);
    case 'label_changed':
      return [{ name: event.change === 'added' ? 'enable' : 'disable', args: [event.label] }];
    case 'comment_created':
      return parseCommands(event.comment.body);
  }
}

/** null: all check runs of the head. */
function toRerun(checkName: string | null): readonly Command[] {
  const retry: Command = { name: 'retry', args: [] };
  const check: Command = { name: 'check', args: [] };
  if (checkName === null) return [retry, check];
  return checkName === QUALITY_CHECK_NAME ? [check] : [retry];
}
