import type { Finding, Severity } from './finding.ts';

/** The maximum number of findings per severity in one file. */
export interface FileBudget {
  /** null: findings without a file. */
  readonly path: string | null;
  readonly counts: Readonly<Record<Severity, number>>;
}

/** A finding for which an acceptance raised a budget. Recorded so that it does so only once. */
export interface AppliedAcceptance {
  readonly fingerprint: string;
  /** `at` of the acceptance, epoch milliseconds. */
  readonly at: number;
}

/**
 * Budgets of one engine and project on a base branch, for runs of one signature. Only an acceptance raises them. A file that is not listed
 * has a budget of 0.
 */
export interface BudgetSet {
  readonly engine: string;
  readonly project: string;
  readonly signature: string;
  /** Sorted by path, null first. Files whose counts are all 0 are omitted. */
  readonly files: readonly FileBudget[];
  readonly applied: readonly AppliedAcceptance[];
}

/** The fields of a `Finding` that an acceptance stores. */
export type AcceptedFinding = Pick<
  Finding,
  'tool' | 'kind' | 'rule' | 'severity' | 'fingerprint' | 'message' | 'path' | 'line'
>;

/** A person's intended re-baseline: these findings are accepted. Never removed or changed. */
export interface Acceptance {
  /** Login of the person. */
  readonly author: string;
  readonly reason: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly findings: readonly AcceptedFinding[];
}
