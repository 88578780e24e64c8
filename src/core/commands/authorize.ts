import type { Command } from '../model/event.ts';
import type { Actor, Permission } from '../model/pull-request.ts';
import { findCommand } from './command-names.ts';

/** Who gives the command. `permission` is read live at the moment it is carried out, never taken from the comment. */
export interface Speaker {
  readonly actor: Actor;
  readonly permission: Permission;
  readonly isPrAuthor: boolean;
}

/** Whether a command may be carried out. */
export type Authorization =
  | { readonly kind: 'allowed' }
  | { readonly kind: 'refused'; readonly why: 'bot' | 'needs_write' };

const ALLOWED: Authorization = { kind: 'allowed' };

/**
 * Write permission for everything but status, why and help; the pull request's author may always stop and pause (T7). No bot
 * may give commands, whatever its permission (T9). An unknown name changes nothing: it is answered like help.
 */
export function authorize(command: Command, { actor, permission, isPrAuthor }: Speaker): Authorization {
  if (actor.kind === 'bot') return { kind: 'refused', why: 'bot' };
  if (permission === 'write' || permission === 'admin') return ALLOWED;
  const audience = command.name === 'unknown' ? 'anyone' : findCommand(command.name)?.audience;
  if (audience === 'anyone' || (audience === 'author' && isPrAuthor)) return ALLOWED;
  return { kind: 'refused', why: 'needs_write' };
}
