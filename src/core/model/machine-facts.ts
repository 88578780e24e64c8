import type { EpochMs } from './ids.ts';

/** A model that is not called for a while. */
export interface CircuitFacts {
  readonly agent: string;
  readonly fault: string;
  /** null: until the configuration changes. */
  readonly until: EpochMs | null;
}

/** Agents that an operator switched off. */
export interface SwitchFacts {
  /** null: for all repositories. */
  readonly repositoryId: number | null;
  readonly offSince: EpochMs;
  readonly reason: string;
}

/** Free room of the disk of a folder. */
export interface DiskFacts {
  readonly freeBytes: number;
  readonly freeInodes: number;
  /** 0: the file system makes inodes as it needs them. */
  readonly totalInodes: number;
}

/** A folder or a file, as far as this process can see it. */
export interface EntryFacts {
  readonly kind: 'folder' | 'file' | 'other';
  /** Whether it belongs to the user of this process. */
  readonly isOwn: boolean;
  /** Permission bits. */
  readonly mode: number;
  readonly isReadable: boolean;
  readonly isWritable: boolean;
  readonly bytes: number;
}

/** What can be seen of the database without changing it. */
export type DatabaseFacts =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'found';
      readonly bytes: number;
      /** `ok`, or what SQLite found; null: the file is too large to be checked while a service may be running. */
      readonly integrity: string | null;
      /** Numbers of migrations. `isKnown`: this version has all that were applied. */
      readonly schema: { readonly applied: number; readonly known: number; readonly isKnown: boolean };
      /** null: the schema is not that of this version, so they cannot be read. */
      readonly stored: { readonly circuits: readonly CircuitFacts[]; readonly switches: readonly SwitchFacts[] } | null;
    };

/** The answer of a service to a plain request. `status` null: it did not answer, see `why`. */
export interface ReachFacts {
  readonly name: string;
  readonly host: string;
  readonly status: number | null;
  readonly why: string;
}
