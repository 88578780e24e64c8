import type { CheckAnnotation } from '../core/model/check-run.ts';
import type { EngineRun } from '../core/model/engine.ts';
import type { EpochMs, PullRequestKey, RunId, Sha } from '../core/model/ids.ts';
import type { AcceptedFinding, BudgetSet } from '../core/model/quality.ts';
import type { QualityAcceptance, QualityAsk, QualityConclusion, QualityRun } from '../core/model/quality-run.ts';
import type { StoredInvocation } from './engine-cache.ts';
import type { CheckRunContent } from './github.ts';

/** The check run content and annotations to send to GitHub after a run has ended. */
export interface QualityReport {
  readonly content: CheckRunContent;
  /** In sending order. */
  readonly annotations: readonly CheckAnnotation[];
}

/** How a run ended. */
export interface QualityEnd {
  readonly conclusion: QualityConclusion;
  readonly newFindings: readonly AcceptedFinding[];
  readonly at: EpochMs;
  /** null: there is nothing to report. */
  readonly report: QualityReport | null;
  /** The ask that this run answers; settled in the same transaction. null: nobody asked. */
  readonly askId: string | null;
}

/**
 * Key of a stored TARGET run. It includes the pull request: dependencies are built by its code, so results under them are not
 * valid for another pull request.
 */
export interface StoredRunKey {
  readonly key: PullRequestKey;
  /** The tree that was checked: files of the base, configuration and manifests of the head. */
  readonly treeSha: Sha;
  readonly engine: string;
  readonly signature: string;
}

/** Engine runs on pull requests, and results kept from them. */
export interface QualityStore {
  /** Replaces an earlier ask that is still open. */
  readonly askQuality: (ask: QualityAsk) => void;
  readonly qualityAsk: (key: PullRequestKey) => QualityAsk | null;
  /** Deletes the ask with that id. A newer one stays. */
  readonly settleQualityAsk: (key: PullRequestKey, id: string) => void;
  readonly beginQualityRun: (run: QualityRun) => void;
  /**
   * Ends a running run in one transaction with the ask that it answers; false if it had already ended. Its status becomes
   * `reporting`, or `finished` if there is no report.
   */
  readonly endQualityRun: (id: RunId, end: QualityEnd) => boolean;
  /** The report of a run that is `reporting`; null for any other. */
  readonly qualityReport: (id: RunId) => QualityReport | null;
  /** Marks the report as sent. */
  readonly settleQualityReport: (id: RunId) => void;
  /** Sets a finished run back to `reporting`. False if it is not finished or had no report. */
  readonly reopenQualityReport: (id: RunId) => boolean;
  /** Newest first. */
  readonly qualityRuns: (key: PullRequestKey, limit: number) => readonly QualityRun[];
  /** Ids of all runs that have not ended. Their folders must be kept. */
  readonly runningQualityRuns: () => readonly RunId[];
  readonly storedRun: (of: StoredRunKey, now: EpochMs) => EngineRun | null;
  /** Ignores an entry that is too long. */
  readonly saveStoredRun: (of: StoredRunKey, run: EngineRun, now: EpochMs) => void;
  readonly cachedInvocation: (key: PullRequestKey, cacheKey: string, now: EpochMs) => StoredInvocation | null;
  /** Ignores an entry that is too long. */
  readonly cacheInvocation: (key: PullRequestKey, cacheKey: string, stored: StoredInvocation, now: EpochMs) => void;
  readonly budgets: (of: StoredRunKey, now: EpochMs) => BudgetSet | null;
  readonly saveBudgets: (of: StoredRunKey, budgets: BudgetSet, now: EpochMs) => void;
  readonly addAcceptance: (acceptance: QualityAcceptance) => void;
  /** Oldest first. */
  readonly acceptances: (key: PullRequestKey) => readonly QualityAcceptance[];
  /** Deletes runs that ended, and stored results last used, before `before`. Also deletes stored results beyond a fixed number. */
  readonly pruneQuality: (before: EpochMs) => number;
}
