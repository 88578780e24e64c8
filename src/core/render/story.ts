import type { CiVerdict } from '../ci/ci-verdict.ts';
import type { AgentProgress } from '../model/agent-progress.ts';
import type { Decision } from '../model/decision.ts';
import type { SessionId } from '../model/ids.ts';
import type { PullRequestFacts } from '../model/pull-request.ts';
import type { Session } from '../model/session.ts';
import type { ShownStep } from '../model/shown-step.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { WaitForGitHub } from '../model/wait-for-github.ts';
import type { Workspace } from '../model/workspace.ts';
import type { ReviewVerdict } from '../reviews/review-verdict.ts';
import type { ToFileUrl } from './render-failures.ts';
import type { ToCommitUrl } from './render-fixup.ts';

/** Everything known in one evaluation that a reader may want to see. */
export interface Story {
  readonly workspace: Pick<Workspace, 'stop' | 'pause' | 'diagnosis' | 'flakes' | 'lastPushSha'>;
  readonly facts: Pick<PullRequestFacts, 'number' | 'headSha' | 'baseRef' | 'merge' | 'rules'> | null;
  readonly snapshot: Snapshot;
  readonly decision: Decision;
  readonly ci: CiVerdict | null;
  readonly review: Pick<ReviewVerdict, 'ignored'> | null;
  /** Ended `ratchet` sessions, newest first. */
  readonly sessions: readonly Session[];
  /** The live session, if any. */
  readonly working: Session | null;
  /** The other pull requests with the same head branch for which Ratchet is enabled. */
  readonly beside: readonly Pick<Workspace, 'number' | 'state'>[];
  /** Why the live session waits for GitHub; null or absent: it does not. */
  readonly waiting?: WaitForGitHub | null;
  /** What the agent of the live session does; null or absent: none runs, or not in this process. */
  readonly progress?: AgentProgress | null;
  /** One line for each setting of the policy that is above what the operator allows; absent: none. */
  readonly clamped?: readonly string[];
  /** Of the newest sessions, by id: their own, and those of the plans of their agents. */
  readonly steps?: ReadonlyMap<SessionId, readonly ShownStep[]>;
  readonly agentSteps?: ReadonlyMap<SessionId, readonly ShownStep[]>;
  readonly toCommitUrl: ToCommitUrl;
  readonly toFileUrl: ToFileUrl;
}
