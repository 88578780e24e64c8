import { CHECK_RUN_CONCLUSIONS } from './check-run.ts';
import type { EpochMs, PullRequestKey, RunId, Sha } from './ids.ts';
import type { Actor } from './pull-request.ts';
import type { Acceptance, AcceptedFinding } from './quality.ts';

/** Somebody asked for a run of the engines beside the one that each new head gets; the newest of a pull request counts. */
export interface QualityAsk {
  readonly key: PullRequestKey;
  /** Tells it from the ones before it. */
  readonly id: string;
  /** Scope of the mode CURRENT; null: what the pull request changes. */
  readonly paths: readonly string[] | null;
  /** Limit of each engine; null: that of policy and catalogue. */
  readonly timeoutSeconds: number | null;
  /** Nothing is taken from the cache. */
  readonly refresh: boolean;
  readonly askedAt: EpochMs;
}

/** How a run ended: as the check run says it. `interrupted`: the process that ran it is no more. */
export const QUALITY_CONCLUSIONS = [...CHECK_RUN_CONCLUSIONS, 'interrupted'] as const;
export type QualityConclusion = (typeof QUALITY_CONCLUSIONS)[number];

export const QUALITY_RUN_STATUSES = ['running', 'reporting', 'finished'] as const;

/**
 * One run of the engines over the head of a pull request. `reporting`: it has ended, and GitHub is yet to be told; from then on
 * nothing of it is run again.
 */
export interface QualityRun {
  readonly id: RunId;
  readonly key: PullRequestKey;
  readonly headSha: Sha;
  /** What it was run for: head, base branch and what the policy says of engines. Equal: no other run is needed. */
  readonly wantKey: string;
  readonly status: (typeof QUALITY_RUN_STATUSES)[number];
  readonly checkRunId: number | null;
  readonly conclusion: QualityConclusion | null;
  /** What it told of as new, cut at a fixed number: what a re-baseline accepts. */
  readonly newFindings: readonly AcceptedFinding[];
  readonly startedAt: EpochMs;
  readonly endedAt: EpochMs | null;
}

/** Findings that somebody accepted on purpose, of a pull request: it holds for its later heads, too. */
export interface QualityAcceptance {
  readonly key: PullRequestKey;
  readonly author: Actor;
  /** Head that it was said of. */
  readonly headSha: Sha;
  readonly acceptance: Acceptance;
}
