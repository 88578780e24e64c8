import { toPlainText } from '../text/escape.ts';
import { MAX_REASON_LENGTH } from './limits.ts';
import { maintainer, renderNextStep } from './reader-words.ts';
import type { CheckRunText } from './render-check-run.ts';
import { WAITING_TITLE } from './waiting-words.ts';

/** A look at a pull request that failed. */
export interface FailedLook {
  /** The error. May contain words of GitHub. */
  readonly why: string;
  /** Whether GitHub would refuse another look, too. */
  readonly isRefused: boolean;
}

const REFUSED_STEP = maintainer(
  'Check the permissions and repositories of the installed App, and whether it is suspended.',
);

/** The check run after a look that failed. It has no times, so that equal failures give equal texts. */
export function renderFailedLook({ why, isRefused }: FailedLook): CheckRunText {
  const reason = toPlainText(why, MAX_REASON_LENGTH);
  if (!isRefused) {
    const summary = `**Ratchet could not read the pull request from GitHub: ${reason}**\n\nRatchet tries again by itself.\n`;
    return { title: WAITING_TITLE, summary, status: 'in_progress', conclusion: null, actions: [] };
  }
  const next = renderNextStep(REFUSED_STEP);
  return {
    title: 'GitHub refuses access',
    summary: `**GitHub does not let Ratchet read the pull request: ${reason}**\n\n${next}\n`,
    status: 'completed',
    conclusion: 'action_required',
    actions: [],
  };
}

/** The reply to `status` after a look that failed. */
export function renderFailedStatus({ why, isRefused }: FailedLook): string {
  const title = isRefused ? 'GitHub refuses access' : WAITING_TITLE;
  const next = isRefused ? renderNextStep(REFUSED_STEP) : 'Ratchet tries again by itself.';
  return `**${title}**\n\n${toPlainText(why, MAX_REASON_LENGTH)}\n\n${next}\n`;
}
