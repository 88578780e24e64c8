import { CHECK_RUN_CONCLUSIONS } from './check-run.ts';
import type { EpochMs, PullRequestKey, RunId, Sha } from './ids.ts';
import type { Actor } from './pull-request.ts';
import type { Acceptance, AcceptedFinding } from './quality.ts';

/** A request for a run of the engines, in addition to the run of each new head. The newest of a pull request counts. */
export interface QualityAsk {
  readonly key: PullRequestKey;
  /** Distinguishes it from earlier requests. */
  readonly id: string;
  /** Scope of CURRENT; null: the files that the pull request changes. */
  readonly paths: readonly string[] | null;
  /** Limit of each engine; null: the limit of policy and catalogue. */
  readonly timeoutSeconds: number | null;
  /** Whether the cache is ignored. */
  readonly refresh: boolean;
  readonly askedAt: EpochMs;
}

/** How a run ended, as on the check run. `cancelled`: the head was another one. `interrupted`: its process ended. */
export const QUALITY_CONCLUSIONS = [...CHECK_RUN_CONCLUSIONS, 'cancelled', 'interrupted'] as const;
export type QualityConclusion = (typeof QUALITY_CONCLUSIONS)[number];

export const QUALITY_RUN_STATUSES = ['running', 'reporting', 'finished'] as const;

/**
 * One run of the engines over the head of a pull request. `reporting`: the engines have ended and are not run again, but the
 * results are not reported to GitHub yet.
 */
export interface QualityRun {
  readonly id: RunId;
  readonly key: PullRequestKey;
  readonly headSha: Sha;
  /** Key of its input: head, base branch and the engines section of the policy. A run with an equal key is not repeated. */
  readonly wantKey: string;
  readonly status: (typeof QUALITY_RUN_STATUSES)[number];
  readonly conclusion: QualityConclusion | null;
  /** The new findings, cut to a fixed number: a re-baseline accepts these. */
  readonly newFindings: readonly AcceptedFinding[];
  readonly startedAt: EpochMs;
  readonly endedAt: EpochMs | null;
}

/** Findings of a pull request that a person accepted. It also applies to later heads. */
export interface QualityAcceptance {
  readonly key: PullRequestKey;
  readonly author: Actor;
  /** The head when it was accepted. */
  readonly headSha: Sha;
  readonly acceptance: Acceptance;
}
