import type { RunId } from '../core/model/ids.ts';

/** Files about a session that outlive it: outputs, patches, reports. For people; nothing is decided by them. */
export interface SessionFiles {
  /** Writes a file, anew where there is one. `name` is a name of the service, never a path. */
  readonly writeArtifact: (runId: RunId, name: string, content: string | AsyncIterable<Uint8Array>) => Promise<void>;
  /** Deletes artifacts older than `before`. */
  readonly sweep: (before: number) => Promise<void>;
}
