import type { Sight } from '../../core/engines/create-sight.ts';
import type { EngineSpec, ModeRequest } from '../../core/model/engine.ts';
import type { EnginesReport } from '../../core/model/engine-report.ts';
import type { PullRequestKey, Sha } from '../../core/model/ids.ts';
import type { EnginesPolicy } from '../../core/model/policy.ts';
import type { EngineCache } from '../../ports/engine-cache.ts';
import type { SessionRepository } from '../../ports/git.ts';
import type { PreparedDependencies } from '../../ports/site.ts';

/** A tree to run engines over: the head, or the base it is compared with. */
export interface Side {
  readonly key: PullRequestKey;
  readonly repository: SessionRepository;
  readonly name: 'head' | 'base';
  readonly treeSha: Sha;
  /** null: the policy has no `setup`, or it failed. */
  readonly dependencies: PreparedDependencies | null;
  readonly isSetupFailed: boolean;
  /** Cached engine results of this pull request. */
  readonly cache: EngineCache;
}

export interface SideRequest {
  readonly policy: EnginesPolicy;
  readonly mode: ModeRequest;
  /** Ids of the engines to run. null: all that policy and repository select. */
  readonly only: readonly string[] | null;
  /** Paths for the mode CURRENT. null: unknown. */
  readonly paths: readonly string[] | null;
  readonly timeoutSeconds: number | null;
  readonly refresh: boolean;
}

export interface SideResult {
  readonly report: EnginesReport;
  /** The engines that policy and repository select. */
  readonly specs: readonly Pick<EngineSpec, 'id' | 'configFiles'>[];
  readonly sight: Sight;
}

/** Checks a side out and runs the engines over it. */
export type RunSide = (side: Side, request: SideRequest, signal: AbortSignal) => Promise<SideResult>;
