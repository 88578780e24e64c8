import type { Sha } from '../model/ids.ts';

/** What a stop was about (resolution S8). */
export interface Cause {
  readonly headSha: Sha;
  readonly ciRunId: string | null;
  /** Only of a conflicted pull request: a moved base is a new conflict there, and nothing new elsewhere. */
  readonly baseShaWhenConflicted: Sha | null;
  readonly newestActionableCommentId: string | null;
}

/** A stable text that is equal exactly when the cause is: nothing is launched again for an equal one. */
export function toCauseKey(cause: Cause): string {
  const parts: readonly (readonly [string, string | null])[] = [
    ['head', cause.headSha],
    ['ci', cause.ciRunId],
    ['base', cause.baseShaWhenConflicted],
    ['comment', cause.newestActionableCommentId],
  ];
  return parts.map(([name, value]) => `${name}=${value === null ? '-' : encodeURIComponent(value)}`).join('&');
}
