import { createHash } from 'node:crypto';
import type { Command, Event } from '../core/model/event.ts';
import { QUALITY_CHECK_NAME } from '../core/model/quality-check-name.ts';
import type { Delivery } from '../ports/store.ts';

/** A verified delivery whose payload was mapped. */
export interface MappedDelivery extends Pick<Delivery, 'id' | 'eventName' | 'receivedAt' | 'event'> {
  readonly body: Buffer;
  readonly payload: object;
}

/** Parses the commands of a comment. Never throws. */
export type ParseCommands = (body: string) => readonly Command[];

/** Builds the row to store, with the hash of the raw body (T2) and the commands of a person's comment (T9). */
export function toDelivery({ body, payload, ...mapped }: MappedDelivery, parseCommands: ParseCommands): Delivery {
  const action: unknown = 'action' in payload ? payload.action : null;
  return {
    ...mapped,
    bodyHash: createHash('sha256')
      .update(isPress(mapped.event) ? mapped.id : '')
      .update(body)
      .digest('hex'),
    action: typeof action === 'string' ? action.slice(0, 64) : null,
    commands: toCommands(mapped.event, parseCommands),
  };
}

/** Pressing a button of a check run again sends the same body. Only the same GUID is the same press. */
function isPress(event: Event | null): boolean {
  return event?.kind === 'button_pressed' || event?.kind === 'rerun_requested';
}

/**
 * Only people give commands (T9). The policy interprets a label when the command is carried out. A Re-run is stored
 * even from a bot, because GitHub waits until the check run is updated; carrying it out refuses the bot.
 */
function toCommands(event: Event | null, parseCommands: ParseCommands): readonly Command[] {
  if (event === null || !('author' in event)) return [];
  if (event.author.kind !== 'user' && event.kind !== 'rerun_requested') return [];
  switch (event.kind) {
    case 'button_pressed':
      return [{ name: event.button, args: event.args }];
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
