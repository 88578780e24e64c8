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

/** The re-runs at one head, as one: the newest one's CI result, and the jobs of all of them. */
export interface Rerun {
  readonly headSha: Sha;
  readonly ciRunId: string;
  readonly names: readonly string[];
  /** Since when it is waited for; 0 where GitHub refused: that wait is over. */
  readonly at: EpochMs;
}

/** The newest update of the branch. */
export interface BranchUpdate extends Pick<UpdateEffect, 'headSha' | 'baseSha' | 'ciRunId'> {
  /** As with `Rerun`. */
  readonly at: EpochMs;
}

/** What GitHub was asked for, and what still counts of it. */
export interface Asked {
  readonly rerun: Rerun | null;
  readonly branchUpdate: BranchUpdate | null;
}
