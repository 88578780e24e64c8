import type { ArtifactLimits } from '../core/model/artifact-limits.ts';
import type { PullRequestKey, RunId } from '../core/model/ids.ts';

/** Files that outlive a session: outputs, patches, reports. They are for people and the next agent; no decision reads them. */
export interface SessionFiles {
  /** Writes or replaces a file, at most its first 16 MiB. `name` is chosen by the service and is never a path. */
  readonly writeArtifact: (runId: RunId, name: string, content: string | AsyncIterable<Uint8Array>) => Promise<void>;
  /** The first `maxBytes` bytes of a file as text, with a replacement for what is not UTF-8. null: there is no such file. */
  readonly readArtifact: (runId: RunId, name: string, maxBytes: number) => Promise<string | null>;
  /** Deletes artifacts that are too old, and the oldest where one pull request or all together have too many. */
  readonly sweep: (limits: ArtifactLimits, ownerOf: (runId: RunId) => PullRequestKey | null) => Promise<void>;
}
