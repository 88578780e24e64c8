import type { DatabaseFacts, DiskFacts, EntryFacts, ReachFacts } from '../core/model/machine-facts.ts';

/** Reads of this machine for a diagnosis. They change nothing, and do not disturb a running service. */
export interface Machine {
  /** Throws if git is missing or too old. */
  readonly readGitVersion: () => Promise<string>;
  readonly readDisk: (folder: string) => Promise<DiskFacts>;
  /** Follows links. null: nothing is there. */
  readonly readEntry: (path: string) => Promise<EntryFacts | null>;
  readonly readDatabase: (path: string) => Promise<DatabaseFacts>;
  /** Makes one GET request without credentials. Never throws. */
  readonly reach: (
    service: { readonly name: string; readonly url: string },
    signal: AbortSignal,
  ) => Promise<ReachFacts>;
}
