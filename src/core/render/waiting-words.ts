import type { WaitForGitHub } from '../model/wait-for-github.ts';
import { toPlainText } from '../text/escape.ts';
import { toUtcMinute } from '../text/words.ts';
import { MAX_REASON_LENGTH } from './limits.ts';

/** The title while GitHub is in trouble. */
export const WAITING_TITLE = 'Waiting for GitHub';

/** One sentence about work that waits for GitHub. */
export function toWaitingText({ why, since }: WaitForGitHub): string {
  return `Ratchet has been waiting for GitHub since ${toUtcMinute(since)} and tries again by itself: ${toPlainText(why, MAX_REASON_LENGTH)}`;
}
