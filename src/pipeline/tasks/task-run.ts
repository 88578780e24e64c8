import type { EngineSource } from '../../core/engines/engine-source.ts';
import type { EpochMs, PullRequestKey, RunId, Sha } from '../../core/model/ids.ts';
import type { Policy } from '../../core/model/policy.ts';
import type { Mirror, SessionRepository } from '../../ports/git.ts';
import type { PreparedDependencies } from '../../ports/site.ts';
import type { TakenAgent } from '../agents/take-agent.ts';
import type { AgentAccount } from '../agents/with-model.ts';
import type { Deps } from '../deps.ts';

/** What a run of tasks needs of the outside world. */
export interface TaskDeps
  extends Pick<
    Deps,
    | 'clock'
    | 'files'
    | 'gateway'
    | 'git'
    | 'log'
    | 'newDeadline'
    | 'newId'
    | 'redact'
    | 'redactLong'
    | 'registries'
    | 'sites'
    | 'store'
    | 'testJudge'
  > {
  readonly settings: Pick<Deps['settings'], 'liveSecrets'>;
  /** What the environment says about engines. */
  readonly engineSource: EngineSource;
}

/** What does not change while a run works (001.R4). */
export interface TaskRunGround {
  readonly runId: RunId;
  /** What the ledger charges. */
  readonly key: PullRequestKey;
  readonly repositoryId: number;
  readonly mirror: Mirror;
  /** The commit that the run is bound to (001.R57). */
  readonly baseSha: Sha;
  readonly policy: Policy;
  /** null: only the tools' own fixers work. */
  readonly agent: TakenAgent | null;
  readonly account: AgentAccount;
  /** The most that the run may cost, in millionths of a USD; null: no limit. */
  readonly maxMicroUsd: number | null;
  readonly deadline: EpochMs;
}

/** A private clone of one commit, with what its commands need. */
export interface OpenedTree {
  readonly repository: SessionRepository;
  readonly tracked: readonly string[];
  readonly dependencies: PreparedDependencies | null;
  /** Why `setup` failed; null: it did not. */
  readonly setupProblem: string | null;
}
