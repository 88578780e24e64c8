import type { RunId } from '../core/model/ids.ts';
import type { SupersededBy } from '../core/model/session.ts';
import type { OperatorPolicy } from '../core/policy/operator-policy.ts';
import type { Agent } from '../ports/agent.ts';
import type { Clock, NewId } from '../ports/clock.ts';
import type { Git } from '../ports/git.ts';
import type { GitHub } from '../ports/github.ts';
import type { Log } from '../ports/log.ts';
import type { Queue } from '../ports/queue.ts';
import type { SessionFiles } from '../ports/session-files.ts';
import type { Sites } from '../ports/site.ts';
import type { Store } from '../ports/store.ts';

/** Everything that the flow reaches the world through. A function takes the few of them that it needs. */
export interface Deps {
  readonly agent: Agent;
  readonly clock: Clock;
  readonly evaluateQueue: Pick<Queue, 'announce'>;
  readonly files: SessionFiles;
  readonly fixupQueue: Pick<Queue, 'announce'>;
  readonly git: Git;
  readonly github: GitHub;
  readonly log: Log;
  /** Fires after so many milliseconds. */
  readonly newDeadline: (ms: number) => AbortSignal;
  readonly newId: NewId;
  readonly qualityQueue: Pick<Queue, 'announce'>;
  /** Removes secrets from a text: everything that leaves the process in words goes through it. */
  readonly redact: (text: string) => string;
  readonly running: RunRegistry;
  readonly settings: Settings;
  readonly sites: Sites;
  readonly store: Store;
}

/** The runs of this process that work right now, so that an evaluation can end one early. */
export interface RunRegistry {
  /** Registers a run while it works; the signal fires when it is to end early. */
  readonly open: (id: RunId) => {
    readonly signal: AbortSignal;
    readonly stoppedBy: () => SupersededBy | null;
    readonly close: () => void;
  };
  /** Asks a run to end; false when it does not work here. */
  readonly stop: (id: RunId, why: SupersededBy) => boolean;
  readonly isRunning: (id: RunId) => boolean;
}

/** What the operator sets for the flow. */
export interface Settings {
  /** Longest time between two looks at a watched pull request that nothing woke. */
  readonly recheckMs: number;
  /** Secrets of this process: none of them may be part of a pushed change. */
  readonly liveSecrets: readonly string[];
  /** What the operator sets for every repository, and what no repository can raise. */
  readonly operatorPolicy: OperatorPolicy;
  /** A `user` session without a heartbeat for so long is idle, and blocks nothing. */
  readonly userSessionIdleMs: number;
}

/** One run of a key on a queue, as the flow sees it. */
export interface Lease {
  readonly leaseId: string;
  readonly signal: AbortSignal;
  /** Nothing woke the key: its next check has come. */
  readonly isTimed?: boolean;
}
