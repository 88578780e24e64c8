import { toPlainText } from '../text/escape.ts';
import { MAX_REASON_LENGTH } from './limits.ts';
import type { CheckRunText } from './render-check-run.ts';
import { WAITING_TITLE } from './waiting-words.ts';

/** A look at a pull request that failed. */
export interface FailedLook {
  /** The error. May contain words of GitHub. */
  readonly why: string;
  /** Whether GitHub would refuse another look, too. */
  readonly isRefused: boolean;
}

/** The check run after a look that failed. It has no times, so that equal failures give equal texts. */
export function renderFailedLook({ why, isRefused }: FailedLook): CheckRunText {
  const reason = toPlainText(why, MAX_REASON_LENGTH);
  if (!isRefused) {
    const summary = `**GitHub could not be read: ${reason}**\n\nRatchet tries again by itself.\n`;
    return { title: WAITING_TITLE, summary, status: 'in_progress', conclusion: null, actions: [] };
  }
  const next = 'Check the permissions and repositories of the installed App, and whether it is suspended.';
  return {
    title: 'Needs a person · GitHub refuses access',
    summary: `**GitHub refuses what Ratchet needs to read: ${reason}**\n\n**What to do next:** ${next}\n`,
    status: 'completed',
    conclusion: 'action_required',
    actions: [],
  };
}

/** The reply to `status` after a look that failed. */
export function renderFailedStatus({ why, isRefused }: FailedLook): string {
  const title = isRefused ? 'GitHub refuses access' : WAITING_TITLE;
  const next = isRefused ? 'Ratchet cannot go on until the App has access again.' : 'Ratchet tries again by itself.';
  return `**${title}**\n\n${toPlainText(why, MAX_REASON_LENGTH)}\n\n${next}\n`;
}
