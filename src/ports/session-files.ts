import type { RunId } from '../core/model/ids.ts';
import type { Mount, SandboxSlot } from './sandbox.ts';

/** Identity of prepared dependencies: never shared between pull requests, since `setup` runs the pull request's own code. */
export interface DependencyKey {
  readonly repositoryId: number;
  readonly number: number;
  /** Hash of the setup commands and of every lockfile and manifest of the head. */
  readonly hash: string;
}

/** Files of a session that are the service's own: evidence, artifacts, the agent's home, prepared dependencies. */
export interface SessionFiles {
  /** A folder of the session by that name, empty, owned by the service. Returns its path. */
  readonly makeFolder: (runId: RunId, name: string) => Promise<string>;
  /** Writes a small file of the service into a folder that `makeFolder` made; returns its path. */
  readonly writeFile: (folder: string, name: string, text: string) => Promise<string>;
  /**
   * Text of a regular file that untrusted code left at `path` below `folder`, once all of its processes are gone. No link is
   * followed on the way; null when there is no such file, or it is longer than `maxBytes` or no UTF-8.
   */
  readonly readLeft: (folder: string, path: string, maxBytes: number) => Promise<string | null>;
  /**
   * As `readLeft`, of what a tool printed or reported: bytes that are no UTF-8 are replaced, a byte order mark and colour codes
   * are left out.
   */
  readonly readOutput: (folder: string, path: string, maxBytes: number) => Promise<string | null>;
  /**
   * Text of a regular file at `path` below `source`, a folder of prepared dependencies. Links are followed as long as they stay
   * in there; null as with `readLeft`.
   */
  readonly readPrepared: (source: string, path: string, maxBytes: number) => Promise<string | null>;
  /** Whether there is something at that path, a link to anywhere included. `.` is the source itself, which may be a file. */
  readonly hasPrepared: (source: string, path: string) => Promise<boolean>;
  /** Where the session's artifacts (outputs, patch) are kept after it; made when missing. */
  readonly artifactsFolder: (runId: RunId) => Promise<string>;
  /** Removes tracked files from a fresh checkout that nothing untrusted has touched yet. Missing ones are fine. */
  readonly removeTracked: (workDir: string, paths: readonly string[]) => Promise<void>;
  /** Prepared dependencies as read-only mounts below `target`; null when there are none for that key. */
  readonly findDependencies: (key: DependencyKey, target: string) => Promise<readonly Mount[] | null>;
  /** Moves what `setup` made (top-level entries of `checkout` that `tracked` has none of) into the cache, read-only. */
  readonly keepDependencies: (
    key: DependencyKey,
    made: {
      readonly checkout: string;
      readonly tracked: readonly string[];
      readonly target: string;
      readonly slot: SandboxSlot;
    },
  ) => Promise<readonly Mount[]>;
  /** Deletes artifacts older than `before` and dependencies beyond the quota, least recently used first. */
  readonly sweep: (before: number) => Promise<void>;
}
