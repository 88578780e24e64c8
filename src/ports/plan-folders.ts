import type { FolderChange, FolderState } from '../core/model/folder-state.ts';

/** A folder of a person was copied, and this is what the copy began as. */
export interface CopiedFolder {
  readonly state: FolderState;
  /** What a copy cannot have (sockets, pipes, devices), as paths for people. */
  readonly left: readonly string[];
}

/** What became of changes that were to be carried out in a person's folder. Paths are for people. */
export interface WriteBack {
  readonly written: readonly string[];
  /** Somebody else changed these meanwhile. They are as that person left them. */
  readonly conflicts: readonly string[];
}

/** Copies a person's folder, and brings changes of the copy back. A `.git`, in whatever case and depth, is neither read nor written. */
export interface PlanFolders {
  /**
   * Makes `copy` an equal of `folder`. What an earlier try left there is removed first.
   * @throws ConfigError if the folder is too large, or something in it cannot be read.
   */
  readonly copy: (folder: string, copy: string, signal: AbortSignal) => Promise<CopiedFolder>;
  readonly read: (folder: string, signal: AbortSignal) => Promise<CopiedFolder>;
  /**
   * Carries the changes out in `folder` with the contents of `copy`. May be repeated after a crash. Each file is replaced at once. Nothing is
   * written through a link. With `all-or-nothing`, one conflict keeps everything from being written; otherwise the rest is.
   */
  readonly writeBack: (
    changes: readonly FolderChange[],
    where: { readonly folder: string; readonly copy: string; readonly mode: 'all-or-nothing' | 'rest' },
  ) => Promise<WriteBack>;
}

/** All texts are for people. */
export interface RunNotes {
  /** Paths that somebody changed since, which the undo leaves as they are. */
  readonly kept: readonly string[];
  /** Sentences about what is not as one may expect. */
  readonly remarks: readonly string[];
  /** Everything that was to be undone was undone. */
  readonly isWhole: boolean;
}

/** What a run (or its undo) must know after its process has died. */
export interface StoredParts {
  /** The copy as it began: it is whole. */
  readonly before: FolderState;
  /** All steps have ended, and this is what is to be carried out in the person's folder. */
  readonly changes: readonly FolderChange[];
  /** What a person must know beside that. Stored before `changes`. */
  readonly notes: RunNotes;
  /** What became of them. */
  readonly end: WriteBack;
}

/** The files of one run, or of its undo. */
export interface RunFiles {
  /** The folder that the steps work on. */
  readonly copy: string;
  /** Contents that an undo needs. The undo of a run uses those of the run. */
  readonly blobs: string;
  /** null: not stored. @throws InvalidInputError if it was damaged. */
  readonly load: <Name extends keyof StoredParts>(name: Name) => Promise<StoredParts[Name] | null>;
  readonly save: <Name extends keyof StoredParts>(name: Name, value: StoredParts[Name]) => Promise<void>;
  readonly forget: (name: keyof StoredParts) => Promise<void>;
  readonly removeCopy: () => Promise<void>;
  /** Keeps a file as long as the run is kept. Returns its absolute path. `name`: letters, digits, `_`, `-` and `.`. */
  readonly keepArtifact: (name: string, content: Uint8Array) => Promise<string>;
}

export interface RunFilesStore {
  /** Whether the run has files: old ones are removed. */
  readonly has: (runId: string) => Promise<boolean>;
  /** Creates the folders that are missing, for this user alone. */
  readonly open: (runId: string, part: 'run' | 'undo') => Promise<RunFiles>;
  /** Ids of the runs that have files, the newest first. */
  readonly list: () => Promise<readonly { readonly runId: string; readonly usedAt: number }[]>;
  readonly remove: (runId: string) => Promise<void>;
}
