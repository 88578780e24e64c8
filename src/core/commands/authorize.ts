import type { Command } from '../model/event.ts';
import type { Actor, Permission } from '../model/pull-request.ts';
import { findCommand } from './command-names.ts';

/** Who gives the command. `permission` is read live when the command is carried out, never taken from the webhook. */
export interface Speaker {
  readonly actor: Actor;
  readonly permission: Permission;
  readonly isPrAuthor: boolean;
}

export type Authorization =
  | { readonly kind: 'allowed' }
  | { readonly kind: 'refused'; readonly why: 'bot' | 'needs_write' };

const ALLOWED: Authorization = { kind: 'allowed' };

/**
 * Whether the command may be carried out. Everything except status, why and help needs write permission, but the pull request's
 * author may always stop and pause (T7). Bots may give no commands, even with write permission (T9). A line without
 * a command changes nothing, so anyone may get its reply.
 */
export function authorize(command: Command, { actor, permission, isPrAuthor }: Speaker): Authorization {
  if (actor.kind === 'bot') return { kind: 'refused', why: 'bot' };
  if (permission === 'write' || permission === 'admin') return ALLOWED;
  const audience = 'args' in command ? findCommand(command.name)?.audience : 'anyone';
  if (audience === 'anyone' || (audience === 'author' && isPrAuthor)) return ALLOWED;
  return { kind: 'refused', why: 'needs_write' };
}
