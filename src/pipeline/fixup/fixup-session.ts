import type { CommitIdentity } from '../../core/model/commit-identity.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { Policy } from '../../core/model/policy.ts';
import type { CheckResult, PullRequestFacts } from '../../core/model/pull-request.ts';
import type { AcceptedFinding } from '../../core/model/quality.ts';
import type { Resolution } from '../../core/model/resolution.ts';
import type {
  AcceptOrder,
  FixupSession,
  HeldChange,
  MadeBy,
  ResolvedBy,
  ReviewAnswer,
} from '../../core/model/session.ts';
import type { ShownCheck } from '../../core/prompts/to-ci-prompt.ts';
import type { ReviewVerdict } from '../../core/reviews/review-verdict.ts';
import type { ValidationPlan } from '../../core/validation/plan-validation.ts';
import type { ImportedTree, MergeTree, SessionRepository } from '../../ports/git.ts';
import type { PreparedDependencies } from '../../ports/site.ts';

/** What a fixup has to do, read again when it starts. */
export type FixupGoal =
  | {
      readonly kind: 'ci';
      readonly failing: readonly CheckResult[];
      /** New findings of the engines at the head, where the policy has them fixed. */
      readonly findings: readonly AcceptedFinding[];
      /** CI fails in the same way as before the last pushed fixup. */
      readonly sameAsBefore: boolean;
    }
  | { readonly kind: 'review'; readonly review: ReviewVerdict }
  | { readonly kind: 'merge' }
  /** A change that a person accepted: nothing is made, and what was open is settled. */
  | { readonly kind: 'accepted'; readonly held: HeldChange; readonly by: AcceptOrder };

/** The trees that an attempt starts from. */
export interface Start {
  /** The head; for a merge, the tree of git's own merge, with conflict markers. */
  readonly treeish: Sha;
  /** Where to read manifests and validation definitions: `treeish`, or the head if some of them conflict. */
  readonly readableTreeish: Sha;
  /** The result of git's own merge; null if nothing is merged. */
  readonly merge: Extract<MergeTree, { readonly kind: 'clean' | 'conflicted' }> | null;
}

/** A proposed change: the gate judges it, and the commit is built from it. */
export interface Change {
  /** The tree and its diff against the start. */
  readonly tree: ImportedTree;
  readonly summary: string;
  readonly madeBy: MadeBy;
  /** What resolved the conflicts of a merge; empty for all others. */
  readonly resolved: readonly ResolvedBy[];
  /** Parents of the commit: the head, and for a merge the base. */
  readonly parents: readonly Sha[];
  readonly answers: readonly ReviewAnswer[];
  /** How the conflicts of a merge were resolved; missing if there were none. */
  readonly resolution?: Resolution;
}

/** A prepared attempt: the input of agent, gate and validation. */
export interface PreparedFixup {
  readonly session: FixupSession;
  /** Author and committer of the commit. */
  readonly identity: CommitIdentity;
  readonly facts: PullRequestFacts;
  readonly policy: Policy;
  readonly repository: SessionRepository;
  readonly start: Start;
  /** Paths that the start tracks. */
  readonly tracked: readonly string[];
  /** Tracked paths removed from the agent's site (threat T34). */
  readonly masked: readonly string[];
  readonly validation: ValidationPlan & { readonly kind: 'commands' };
  /** null: the policy has no `setup`. */
  readonly dependencies: PreparedDependencies | null;
  readonly goal: FixupGoal;
  /** Of failing CI: what the agent gets to read about it. */
  readonly evidence: readonly ShownCheck[];
  /** The result of the merge tool did not pass the gate: it is not used again. */
  readonly skipsMergeTool: boolean;
}
