import { assertNever } from '../model/errors.ts';
import type { AnswerStatus } from '../model/session.ts';
import type { Tenor } from './closing-phrases.ts';

/** What a comment in a thread follows. */
export interface Context {
  /** Status of our newest answer; `unknown`: it cannot be read; null: we have not answered. */
  readonly answered: AnswerStatus | 'unknown' | null;
  /** The author of the pull request has written since. */
  readonly authorSpoke: boolean;
}

/**
 * Whether a comment of this tenor asks for nothing. Agreement may agree with a question of ours or with somebody's request, so it
 * is a request itself unless something was done or refused. "Leave it" is one unless a change was refused.
 */
export function asksNothing(tenor: Tenor, { answered, authorSpoke }: Context): boolean {
  switch (tenor) {
    case 'thanks':
    case 'approval':
      return true;
    case 'agreement':
      return answered === null ? authorSpoke : answered !== 'needs_human';
    case 'leave':
      return answered !== null && answered !== 'fixed';
    default:
      return assertNever(tenor);
  }
}

/** Whether a reviewer's comment of this tenor settles what our answer left open. Thanks answer no question of ours. */
export function settles(tenor: Tenor, answered: Context['answered']): boolean {
  return answered !== 'needs_human' || tenor === 'approval' || tenor === 'leave';
}
