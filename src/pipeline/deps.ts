import type { AgentProgress } from '../core/model/agent-progress.ts';
import type { EpochMs, PullRequestKey, RunId, Sha } from '../core/model/ids.ts';
import type { SupersededBy } from '../core/model/session.ts';
import type { SpendLimits } from '../core/model/spend.ts';
import type { WaitForGitHub } from '../core/model/wait-for-github.ts';
import type { OperatorPolicy } from '../core/policy/operator-policy.ts';
import type { Story } from '../core/render/story.ts';
import type { SpendList } from '../core/spend/may-spend.ts';
import type { Agents } from '../ports/agent.ts';
import type { Clock, NewId } from '../ports/clock.ts';
import type { Git } from '../ports/git.ts';
import type { GitHub } from '../ports/github.ts';
import type { Log } from '../ports/log.ts';
import type { MergeTool } from '../ports/merge-tool.ts';
import type { ModelGateway } from '../ports/model-gateway.ts';
import type { Queue } from '../ports/queue.ts';
import type { Registries } from '../ports/registries.ts';
import type { SessionFiles } from '../ports/session-files.ts';
import type { Sites } from '../ports/site.ts';
import type { Store } from '../ports/store.ts';
import type { TestJudge } from '../ports/test-judge.ts';

/** The ports and settings of the pipeline. Each function takes only those that it needs. */
export interface Deps {
  readonly agents: Agents;
  readonly clock: Clock;
  readonly evaluateQueue: Pick<Queue, 'announce'>;
  readonly files: SessionFiles;
  /** null: no agent has a model. */
  readonly gateway: ModelGateway | null;
  readonly fixupQueue: Pick<Queue, 'announce'>;
  readonly git: Git;
  readonly github: GitHub;
  readonly log: Log;
  /** null: the operator has none. */
  readonly mergeTool: MergeTool | null;
  /** Returns a signal that fires after this many milliseconds. */
  readonly newDeadline: (ms: number) => AbortSignal;
  readonly newId: NewId;
  readonly qualityQueue: Pick<Queue, 'announce'>;
  /** Removes secrets from a text. All text that leaves the process goes through it. */
  readonly redact: (text: string) => string;
  /** The same for a text of any length. Others have their turn meanwhile. */
  readonly redactLong: (text: string) => Promise<string>;
  /** null: `setup` has no network on this machine. */
  readonly registries: Registries | null;
  readonly running: RunRegistry;
  readonly settings: Settings;
  readonly sites: Sites;
  readonly store: Store;
  readonly testJudge: TestJudge;
}

/** The working runs of this process, so that an evaluation can stop one. */
export interface RunRegistry {
  /** Registers a run while it works. The signal fires when the run should stop. */
  readonly open: (id: RunId) => {
    readonly signal: AbortSignal;
    readonly stoppedBy: () => SupersededBy | null;
    readonly close: () => void;
  };
  /** Asks a run to stop; false if it is not working in this process. */
  readonly stop: (id: RunId, why: SupersededBy) => boolean;
  readonly isRunning: (id: RunId) => boolean;
  /** Why a run waits for GitHub, also between its tries; null if it does not. Known to this process only. */
  readonly waitingOf: (id: RunId) => WaitForGitHub | null;
  readonly setWaiting: (id: RunId, waiting: WaitForGitHub | null) => void;
  /** What the agent of a run does; null if none runs in this process. */
  readonly progressOf: (id: RunId) => AgentProgress | null;
  readonly setProgress: (id: RunId, progress: AgentProgress | null) => void;
  /** The last report about a pull request whose session works in this process. */
  readonly toldOf: (key: PullRequestKey) => Told | null;
  readonly setTold: (key: PullRequestKey, told: Told | null) => void;
}

/** What agents may spend. */
export interface SpendRules {
  /** Where agents that cost money may work. It is known completely only when GitHub has named the App's own account. */
  readonly list: () => SpendList;
  /** The operator's limits. */
  readonly limits: SpendLimits;
}

/** A report about a pull request, kept so that progress can be reported without another look. */
export interface Told {
  readonly story: Story;
  readonly headSha: Sha;
  /** When the next look is due. */
  readonly nextCheckAt: EpochMs;
}

/** Settings of the operator for the pipeline. */
export interface Settings {
  /** Longest time between two looks at a watched pull request without a wake-up. */
  readonly recheckMs: number;
  /** Secrets of this process. A pushed change must not contain any of them. */
  readonly liveSecrets: () => readonly string[];
  /** Whether commits are signed off (Developer Certificate of Origin). */
  readonly signsOff: boolean;
  /** Defaults of the operator for every repository, and limits that no repository can raise. */
  readonly operatorPolicy: OperatorPolicy;
  readonly spend: SpendRules;
  /** A `user` session without a heartbeat for this long becomes idle and blocks nothing. */
  readonly userSessionIdleMs: number;
}

/** The lease of one run of a key. */
export interface Lease {
  readonly leaseId: string;
  readonly signal: AbortSignal;
  /** The key runs because its next check is due; nothing woke it. */
  readonly isTimed?: boolean;
}
