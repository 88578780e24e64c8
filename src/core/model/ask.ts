import type { EpochMs, Sha } from './ids.ts';

/** GitHub is asked to run the failed jobs of a CI result again (resolution S7). */
export interface RerunEffect {
  readonly kind: 'rerun';
  /** `Workspace.freshStarts` when it was asked for: what was asked for before the last fresh start counts no more. */
  readonly freshStart: number;
  readonly headSha: Sha;
  readonly ciRunId: string;
  /** Names of the jobs. */
  readonly names: readonly string[];
}

/** GitHub is asked to merge the base into the head. */
export interface UpdateEffect {
  readonly kind: 'update_branch';
  readonly freshStart: number;
  readonly headSha: Sha;
  readonly baseSha: Sha;
  /** The CI result at that head; null: there was none. */
  readonly ciRunId: string | null;
}

/** What GitHub is asked for, and must not be asked for twice. */
export type AskEffect = RerunEffect | UpdateEffect;

/** An intent of such an effect, as the core reads it. */
export interface Ask {
  readonly effect: AskEffect;
  readonly createdAt: EpochMs;
  /** null: the call is being made, or a crash cut it off. `refused`: GitHub does not do it. */
  readonly outcome: string | null;
}

/** What GitHub was asked for, and what still counts of it. `at`: since when it is waited for; 0 where GitHub refused. */
export interface Asked {
  /** The re-runs at one head, as one: the newest one's CI result, and the jobs of all of them. */
  readonly rerun: (Omit<RerunEffect, 'kind' | 'freshStart'> & { readonly at: EpochMs }) | null;
  /** The newest update of the branch. */
  readonly branchUpdate: (Omit<UpdateEffect, 'kind' | 'freshStart'> & { readonly at: EpochMs }) | null;
}
