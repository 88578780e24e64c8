import type { CommandEnd } from '../core/model/command-end.ts';
import type { SiteCommand, SiteProbe, SiteRelay } from './site.ts';

/** A file or folder of the host, mounted into the sandbox. */
export interface Mount {
  readonly source: string;
  readonly target: string;
  readonly writable: boolean;
}

/**
 * One command in a fresh sandbox: no network but the relays, no secrets, and only the mounted parts of the host. `env` is the whole
 * environment.
 */
export interface SandboxCommand extends Omit<SiteCommand, 'network' | 'homeFiles' | 'keepsHome' | 'removes'> {
  /** Absolute path of the working directory inside the sandbox. */
  readonly cwd: string;
  readonly mounts: readonly Mount[];
  /** Folders that the disk quota counts, all on one file system; if missing, those of the writable mounts. */
  readonly countedFolders?: readonly string[];
  /** Services that the command reaches on 127.0.0.1. */
  readonly relays?: readonly SiteRelay[];
  /** Its uid owns the writable mounts. */
  readonly slot: SandboxSlot;
  /** Other commands of the slot may be at work: at the end only the processes of this one are killed. Default: all of the slot. */
  readonly sharesSlot?: boolean;
  /** Files for stdout and stderr, capped. The service creates them outside of all mounts. */
  readonly stdoutPath: string;
  readonly stderrPath: string;
}

/** A separate uid for one site. Null ids: the service is not root, and commands run as its user in a user namespace. */
export interface SandboxSlot {
  readonly index: number;
  readonly uid: number | null;
  readonly gid: number | null;
}

export type SandboxOutcome = CommandEnd;

/** Runs untrusted commands on this machine; only for sites. Fails closed: without its isolation profile, nothing runs. */
export interface Sandbox {
  readonly probe: (signal: AbortSignal) => Promise<SiteProbe>;
  readonly run: (command: SandboxCommand, signal: AbortSignal) => Promise<SandboxOutcome>;
  /** Waits for a free slot. One site at most holds a slot. */
  readonly acquireSlot: (signal: AbortSignal) => Promise<SandboxSlot>;
  readonly releaseSlot: (slot: SandboxSlot) => void;
  /** Changes the owner of a folder tree to the uid of the slot. Does nothing if the service is not root. */
  readonly giveToSlot: (folder: string, slot: SandboxSlot) => Promise<void>;
  /** Folder with `bin/node` and further programs that agents need. Mounted read-only at the same path and first on PATH. */
  readonly toolsDir: string;
}
