import type { Clock, NewId } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { GitLimits } from './git-limits.ts';
import type { KeyedLock } from './keyed-lock.ts';
import type { Layout } from './layout.ts';
import type { RunGit } from './run-git.ts';
import type { TreeListings } from './tree-listings.ts';

/** Dependencies shared by the git adapter's functions. */
export interface GitContext {
  readonly layout: Layout;
  readonly limits: GitLimits;
  readonly clock: Clock;
  readonly log: Log;
  readonly newId: NewId;
  readonly runGit: RunGit;
  /** Waits. Rejects with the signal's reason on abort. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Allows one writer at a time per mirror. The key is the repository id. */
  readonly lockMirror: KeyedLock<number>;
  readonly listings: TreeListings;
  /** Group of the sandbox slots. Null if the service does not run as root. */
  readonly slotGid: number | null;
}
