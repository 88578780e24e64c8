import type { RunId } from '../core/model/ids.ts';

/** Files that outlive a session: outputs, patches, reports. They are for people; no decision reads them. */
export interface SessionFiles {
  /** Writes or replaces a file. `name` is chosen by the service and is never a path. */
  readonly writeArtifact: (runId: RunId, name: string, content: string | AsyncIterable<Uint8Array>) => Promise<void>;
  /** Deletes artifacts older than `before`. */
  readonly sweep: (before: number) => Promise<void>;
}
