import type { CommandEnd } from '../core/model/command-end.ts';

export type FileMode = '100644' | '100755';

export interface WorkplaceCommand {
  readonly argv: readonly string[];
  /** Relative to the root. */
  readonly cwd: string;
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
}

export interface WorkplaceOutcome extends CommandEnd {
  readonly stdout: string;
  readonly stderr: string;
}

/** What existed at a path; `null`: nothing. */
export type PreImage =
  | { readonly kind: 'file'; readonly mode: FileMode; readonly blob: string }
  | { readonly kind: 'link'; readonly target: string };

/**
 * The folder that the steps of a plan work on. Paths are relative to its root, never `.git` or below it, and never leave the root
 * through links: otherwise every call throws `WorkplaceError`. Its records survive the end of the process.
 */
export interface Workplace {
  readonly run: (command: WorkplaceCommand, signal: AbortSignal) => Promise<WorkplaceOutcome>;
  /** null: no regular file, or longer than `maxBytes`. */
  readonly readFile: (path: string, maxBytes: number) => Promise<Uint8Array | null>;
  /** Replaces the file at once (temporary file and rename), with its missing folders. `mode` null: that of the file, else 100644. */
  readonly writeFile: (path: string, content: Uint8Array, mode: FileMode | null) => Promise<void>;
  readonly removeFile: (path: string) => Promise<void>;
  /** Records what is at the path, so that `restore` brings it back. The contents are kept outside of the root. */
  readonly record: (path: string) => Promise<{ readonly path: string; readonly was: PreImage | null }>;
  /** Records all files that git does not ignore, tracked or not. Returns the id of the record. */
  readonly recordAll: (signal: AbortSignal) => Promise<string>;
  readonly restore: (recorded: { readonly path: string; readonly was: PreImage | null }) => Promise<void>;
  /** Brings all recorded files back byte by byte, with modes and links, and removes files that are new. */
  readonly restoreAll: (id: string, signal: AbortSignal) => Promise<void>;
}
