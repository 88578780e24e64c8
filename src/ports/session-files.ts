import type { ArtifactLimits } from '../core/model/artifact-limits.ts';
import type { PullRequestKey, RunId } from '../core/model/ids.ts';

/** Files that outlive a session: outputs, patches, reports. They are for people and the next agent; no decision reads them. */
export interface SessionFiles {
  /** Writes or replaces a file, at most its first 16 MiB. `name` is chosen by the service and is never a path. */
  readonly writeArtifact: (runId: RunId, name: string, content: string | AsyncIterable<Uint8Array>) => Promise<void>;
  /** The first `maxBytes` bytes of a file as text, with a replacement for what is not UTF-8. null: there is no such file. */
  readonly readArtifact: (runId: RunId, name: string, maxBytes: number) => Promise<string | null>;
  /** Opens a file of lines that only grows. A line that a crash cut off is removed. @throws Error if it is no regular file. */
  readonly openLines: (runId: RunId, name: string) => Promise<LineFile>;
  /** Deletes artifacts that are too old, and the oldest where one pull request or all together have too many. */
  readonly sweep: (limits: ArtifactLimits, ownerOf: (runId: RunId) => PullRequestKey | null) => Promise<void>;
}

/** A file of lines. */
export interface LineFile {
  /** The last line that was written; null: there is none. */
  readonly last: string | null;
  /** Adds lines. False: the file would be longer than 64 MiB, and stays as it is. */
  readonly append: (lines: readonly string[]) => Promise<boolean>;
}
