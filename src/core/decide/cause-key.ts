import type { Sha } from '../model/ids.ts';

/** The situation that a stop applies to (resolution S8). */
export interface Cause {
  readonly headSha: Sha;
  readonly ciRunId: string | null;
  /** null unless the pull request conflicts. Only then does a moved base make a new situation. */
  readonly baseShaWhenConflicted: Sha | null;
  readonly newestActionableCommentId: string | null;
  /** Names the new findings of the engines that are to be fixed; null: there are none. */
  readonly findings: string | null;
}

/** A stable text, equal exactly for equal causes. Nothing is launched again for the key of a stop. */
export function toCauseKey(cause: Cause): string {
  const parts: readonly (readonly [string, string | null])[] = [
    ['head', cause.headSha],
    ['ci', cause.ciRunId],
    ['base', cause.baseShaWhenConflicted],
    ['comment', cause.newestActionableCommentId],
    // Keys of stops that have none stay what they were.
    ...(cause.findings === null ? [] : [['findings', cause.findings] as const]),
  ];
  return parts.map(([name, value]) => `${name}=${value === null ? '-' : encodeURIComponent(value)}`).join('&');
}
