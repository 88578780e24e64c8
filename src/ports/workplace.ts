import type { CommandEnd } from '../core/model/command-end.ts';

/** Permission bits that `create_file` may ask for. */
export type FileMode = '100644' | '100755';

export interface WorkplaceCommand {
  readonly argv: readonly string[];
  /** Relative to the root. */
  readonly cwd: string;
  readonly timeoutMs: number;
  /** Of stdout and stderr together. A command that exceeds it is killed. */
  readonly maxOutputBytes: number;
  /** Default: nothing to read. */
  readonly stdin?: string;
  /** Gets stdout as it is printed, within the limit. Must not throw. */
  readonly onStdout?: (chunk: Uint8Array) => void;
}

/** What is at a path; null: nothing. `blob` names its content in the workplace's own store. */
export type PreImage =
  | { readonly kind: 'file'; readonly mode: number; readonly blob: string }
  | { readonly kind: 'link'; readonly target: string };

/** What was at a path before an action. Plain JSON. */
export interface FileRecord {
  /** Canonical and without links. */
  readonly path: string;
  readonly was: PreImage | null;
  /** Folders above it that did not exist, the topmost first. */
  readonly newFolders: readonly string[];
}

/** What the undo of a command leaves as it is. Paths are for people. */
export interface KeptByUndo {
  /** Folders that git ignores. */
  readonly ignored: readonly string[];
  /** What a command made that belongs to git. */
  readonly newGit: readonly string[];
}

/**
 * The folder that the steps of a plan work on. Paths are relative to its root. They are resolved through links; one that is `.git` or
 * below it, or that leaves the root, throws `WorkplaceError`. Records survive the end of the process. Commands may run at the same
 * time; a file operation waits until no command runs, because a command could move the ground under it.
 */
export interface Workplace {
  /** Never throws because of the command itself. */
  readonly run: (command: WorkplaceCommand, signal: AbortSignal) => Promise<CommandEnd>;
  /** null: nothing is there. Throws for what is no regular file, or is longer than `maxBytes`. */
  readonly readFile: (path: string, maxBytes: number) => Promise<Uint8Array | null>;
  /** Whether anything is there. A link counts, even a broken one. */
  readonly has: (path: string) => Promise<boolean>;
  /** Replaces the file at once, and makes missing folders. `mode` null: that of the file that is there, else 644. */
  readonly writeFile: (path: string, content: Uint8Array, mode: FileMode | null) => Promise<void>;
  /** Removes a file, or a link and not its target. False if nothing is there. */
  readonly removeFile: (path: string) => Promise<boolean>;
  /** Records what is at the path. `of`: the link itself, or what it leads to. */
  readonly record: (path: string, of: 'entry' | 'target') => Promise<FileRecord>;
  readonly restore: (record: FileRecord) => Promise<void>;
  /**
   * Records all files, links and folders but those in folders that git ignores. Returns the id of the record. While other commands
   * run this is the record that was made before the first of them.
   */
  readonly recordAll: (signal: AbortSignal) => Promise<string>;
  /** Brings back what was recorded, byte by byte, with modes and links, and removes what is new. */
  readonly restoreAll: (id: string, signal: AbortSignal) => Promise<KeptByUndo>;
}
