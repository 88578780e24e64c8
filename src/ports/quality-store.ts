import type { EngineRun } from '../core/model/engine.ts';
import type { EpochMs, PullRequestKey, RunId, Sha } from '../core/model/ids.ts';
import type { AcceptedFinding, BudgetSet } from '../core/model/quality.ts';
import type { QualityAcceptance, QualityAsk, QualityConclusion, QualityRun } from '../core/model/quality-run.ts';
import type { StoredInvocation } from './engine-cache.ts';
import type { CheckAnnotation, CheckRunContent } from './github.ts';

/** What GitHub is yet to be told of a run that has ended. */
export interface QualityReport {
  readonly content: CheckRunContent;
  /** All of them, in the order in which they are sent. */
  readonly annotations: readonly CheckAnnotation[];
}

/** How a run ended. */
export interface QualityEnd {
  readonly conclusion: QualityConclusion;
  readonly newFindings: readonly AcceptedFinding[];
  readonly at: EpochMs;
  /** null: there is nothing to tell. */
  readonly report: QualityReport | null;
  /** The ask that it answers: settled with it; null: nobody asked. */
  readonly askId: string | null;
}

/**
 * Where the TARGET run of one content is kept. By pull request: dependencies are made by its own code, so what ran under them
 * says nothing to another one.
 */
export interface StoredRunKey {
  readonly key: PullRequestKey;
  /** Tree that it ran over: files of the base, configuration and manifests of the head. */
  readonly treeSha: Sha;
  readonly engine: string;
  readonly signature: string;
}

/** Runs of the engines on pull requests, and what is remembered of them. */
export interface QualityStore {
  /** Replaces an earlier one that nobody took up. */
  readonly askQuality: (ask: QualityAsk) => void;
  readonly qualityAsk: (key: PullRequestKey) => QualityAsk | null;
  /** Forgets the ask of that id; another one, made meanwhile, stays. */
  readonly settleQualityAsk: (key: PullRequestKey, id: string) => void;
  readonly beginQualityRun: (run: QualityRun) => void;
  readonly nameQualityCheck: (id: RunId, checkRunId: number) => void;
  /**
   * Ends a run that is running, in one transaction with the ask that it answers; false when it has ended before. Without a report it
   * is finished at once.
   */
  readonly endQualityRun: (id: RunId, end: QualityEnd) => boolean;
  /** What a run that is `reporting` still has to tell; null for any other. */
  readonly qualityReport: (id: RunId) => QualityReport | null;
  /** It was told: its annotations are forgotten, for GitHub keeps them. */
  readonly settleQualityReport: (id: RunId) => void;
  /** A finished run is `reporting` once more, with no annotations; false for any other, and for one that had nothing to tell. */
  readonly reopenQualityReport: (id: RunId) => boolean;
  /** Newest first. */
  readonly qualityRuns: (key: PullRequestKey, limit: number) => readonly QualityRun[];
  /** Ids of all runs that have not ended: their folders stay. */
  readonly runningQualityRuns: () => readonly RunId[];
  readonly storedRun: (of: StoredRunKey, now: EpochMs) => EngineRun | null;
  /** One that is too long is not kept. */
  readonly saveStoredRun: (of: StoredRunKey, run: EngineRun, now: EpochMs) => void;
  readonly cachedInvocation: (key: PullRequestKey, cacheKey: string, now: EpochMs) => StoredInvocation | null;
  /** One that is too long is not kept. */
  readonly cacheInvocation: (key: PullRequestKey, cacheKey: string, stored: StoredInvocation, now: EpochMs) => void;
  readonly budgets: (of: StoredRunKey, now: EpochMs) => BudgetSet | null;
  readonly saveBudgets: (of: StoredRunKey, budgets: BudgetSet, now: EpochMs) => void;
  readonly addAcceptance: (acceptance: QualityAcceptance) => void;
  /** Oldest first. */
  readonly acceptances: (key: PullRequestKey) => readonly QualityAcceptance[];
  /** Forgets runs that ended, and stored results that nobody used, before `before`; and of the latter all beyond a fixed number. */
  readonly pruneQuality: (before: EpochMs) => number;
}
