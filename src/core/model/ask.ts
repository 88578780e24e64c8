import type { EpochMs, Sha } from './ids.ts';

/** A request to GitHub to re-run the failed jobs of a CI result (resolution S7). */
export interface RerunEffect {
  readonly kind: 'rerun';
  /** `Workspace.freshStarts` at the time of the request. Requests from before the last fresh start no longer count. */
  readonly freshStart: number;
  readonly headSha: Sha;
  readonly ciRunId: string;
  /** Names of the jobs. */
  readonly names: readonly string[];
}

/** A request to GitHub to merge the base into the head. */
export interface UpdateEffect {
  readonly kind: 'update_branch';
  readonly freshStart: number;
  readonly headSha: Sha;
  readonly baseSha: Sha;
  /** The CI result at `headSha`; null: there was none. */
  readonly ciRunId: string | null;
}

/** A request that must not be sent to GitHub twice. */
export type AskEffect = RerunEffect | UpdateEffect;

/** The intent of a request, as the core reads it. */
export interface Ask {
  readonly effect: AskEffect;
  readonly createdAt: EpochMs;
  /** null: the call is in progress, or a crash interrupted it. `refused`: GitHub refused it. */
  readonly outcome: string | null;
}

/** The requests to GitHub that still count. `at`: when the wait for the result began; 0 if GitHub refused. */
export interface Asked {
  /** All re-runs at the head, combined: the CI result of the newest, and the jobs of all. */
  readonly rerun: (Omit<RerunEffect, 'kind' | 'freshStart'> & { readonly at: EpochMs }) | null;
  /** The newest update of the branch. */
  readonly branchUpdate: (Omit<UpdateEffect, 'kind' | 'freshStart'> & { readonly at: EpochMs }) | null;
}
