import type { Finding, Severity } from './finding.ts';

/** What is known of one file in a budget: how many findings of each severity it may have at most. */
export interface FileBudget {
  /** null: findings without a file. */
  readonly path: string | null;
  readonly counts: Readonly<Record<Severity, number>>;
}

/** A finding that an acceptance raised a budget for, so that it never does so twice. */
export interface AppliedAcceptance {
  readonly fingerprint: string;
  /** `at` of the acceptance, epoch milliseconds. */
  readonly at: number;
}

/**
 * Budgets of one engine on a base branch, for runs of one signature. They only fall, but by an acceptance. A file that is not
 * listed has a budget of nothing.
 */
export interface BudgetSet {
  readonly engine: string;
  readonly signature: string;
  /** Sorted by path, the one without a path first; none whose counts are all 0. */
  readonly files: readonly FileBudget[];
  readonly applied: readonly AppliedAcceptance[];
}

/** A finding as an acceptance names it; a `Finding` is one. */
export type AcceptedFinding = Pick<
  Finding,
  'tool' | 'kind' | 'rule' | 'severity' | 'fingerprint' | 'message' | 'path' | 'line'
>;

/** A person's word that findings are meant to be there: an intended re-baseline. Never removed, never changed. */
export interface Acceptance {
  /** Login of who accepted. */
  readonly author: string;
  readonly reason: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly findings: readonly AcceptedFinding[];
}
