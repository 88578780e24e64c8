import type { SessionId } from '../model/ids.ts';
import type { Fixup } from '../model/session.ts';

/** Trailer by which a commit of ours is recognised on the remote after a crash (fault F2). */
export const ATTEMPT_TRAILER = 'Ratchet-Attempt';

const MAX_NAMES = 10;
const MAX_NAME_LENGTH = 80;

/**
 * The message of the commit that Ratchet builds for a CI fixup. Holds no text of an agent; check names come from the pull
 * request's workflows, so control characters and what GitHub would act on (`#1`, `@name`) are taken out.
 */
export function toCommitMessage(sessionId: SessionId, fixup: Fixup, failingChecks: readonly string[]): string {
  const names = failingChecks.slice(0, MAX_NAMES).map((name) => `- ${toInertLine(name)}`);
  const rest = failingChecks.length - names.length;
  const lines = [
    'fix: make the failing checks pass',
    '',
    'Checks that failed before this commit:',
    ...names,
    ...(rest > 0 ? [`- and ${String(rest)} more`] : []),
    '',
    `Made by an agent, validated by Ratchet (attempt ${String(fixup.attempt)}).`,
    '',
    `${ATTEMPT_TRAILER}: ${sessionId}`,
  ];
  return `${lines.join('\n')}\n`;
}

function toInertLine(name: string): string {
  return name
    .replace(/[^\p{L}\p{N} _.,:/()+-]/gu, ' ')
    .replace(/ {2,}/g, ' ')
    .trim()
    .slice(0, MAX_NAME_LENGTH);
}
