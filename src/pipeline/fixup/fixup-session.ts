import type { Sha } from '../../core/model/ids.ts';
import type { Policy } from '../../core/model/policy.ts';
import type { CheckResult, PullRequestFacts } from '../../core/model/pull-request.ts';
import type { Resolution } from '../../core/model/resolution.ts';
import type { FixupSession, MadeBy, ReviewAnswer } from '../../core/model/session.ts';
import type { ReviewVerdict } from '../../core/reviews/review-verdict.ts';
import type { ValidationPlan } from '../../core/validation/plan-validation.ts';
import type { ImportedTree, MergeTree, SessionRepository } from '../../ports/git.ts';
import type { PreparedDependencies } from '../../ports/site.ts';

/** What a fixup is to do, read afresh when it starts. */
export type FixupGoal =
  | {
      readonly kind: 'ci';
      readonly failing: readonly CheckResult[];
      /** CI fails as it did before the last fixup was pushed. */
      readonly sameAsBefore: boolean;
    }
  | { readonly kind: 'review'; readonly review: ReviewVerdict }
  | { readonly kind: 'merge' };

/** What an attempt works from. */
export interface Start {
  /** The head; of a merge the tree that git makes of it, with markers where it is in conflict. */
  readonly treeish: Sha;
  /** Where manifests and definitions can be read: `treeish`, or the head where some of them are in conflict. */
  readonly readableTreeish: Sha;
  /** What git makes of the merge; null where nothing is merged. */
  readonly merge: Extract<MergeTree, { readonly kind: 'clean' | 'conflicted' }> | null;
}

/** A change that is proposed: what the gate judges, and what the commit is built from. */
export interface Change {
  /** The tree, and how it differs from the start. */
  readonly tree: ImportedTree;
  readonly summary: string;
  readonly madeBy: MadeBy;
  /** Parents of the commit: the head, and for a merge the base. */
  readonly parents: readonly Sha[];
  readonly answers: readonly ReviewAnswer[];
  /** How the conflicts of a merge were resolved; missing where there were none. */
  readonly resolution?: Resolution;
}

/** Everything that an attempt was prepared with; agent, gate and validation work on this. */
export interface PreparedAttempt {
  readonly session: FixupSession;
  readonly facts: PullRequestFacts;
  readonly policy: Policy;
  readonly repository: SessionRepository;
  readonly start: Start;
  /** Paths that the start tracks. */
  readonly tracked: readonly string[];
  /** Tracked paths that were taken out of the agent's site (threat T34). */
  readonly masked: readonly string[];
  readonly validation: ValidationPlan & { readonly kind: 'commands' };
  /** null: the policy has no `setup`. */
  readonly dependencies: PreparedDependencies | null;
  readonly goal: FixupGoal;
}
