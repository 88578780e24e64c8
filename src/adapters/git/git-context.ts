import type { Clock, NewId } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { GitLimits } from './git-limits.ts';
import type { KeyedLock } from './keyed-lock.ts';
import type { Layout } from './layout.ts';
import type { RunGit } from './run-git.ts';

/** What the parts of the git adapter work with. */
export interface GitContext {
  readonly layout: Layout;
  readonly limits: GitLimits;
  readonly clock: Clock;
  readonly log: Log;
  readonly newId: NewId;
  readonly runGit: RunGit;
  /** One writer at a time per mirror, by repository id. */
  readonly lockMirror: KeyedLock<number>;
  /** Group of the sandbox slots; null where the service is not root. */
  readonly slotGid: number | null;
  readonly identity: GitIdentity;
}

/** Author and committer of our commits. */
export interface GitIdentity {
  readonly name: string;
  readonly email: string;
}
