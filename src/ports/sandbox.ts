import type { CommandEnd } from '../core/model/command-end.ts';
import type { SiteCommand, SiteProbe } from './site.ts';

/** A folder or file of the host inside the sandbox. */
export interface Mount {
  readonly source: string;
  readonly target: string;
  readonly writable: boolean;
}

/** One command in a fresh sandbox: no network, no secret, nothing of the host but what is mounted. `env` is the whole environment. */
export interface SandboxCommand extends Omit<SiteCommand, 'network' | 'keepsHome' | 'removes'> {
  /** Absolute path of the working directory inside the sandbox. */
  readonly cwd: string;
  readonly mounts: readonly Mount[];
  /** uid slot that owns the writable mounts (see `SandboxSlot`). */
  readonly slot: SandboxSlot;
  /** Files that receive stdout and stderr, capped; made by the service outside of any mount. */
  readonly stdoutPath: string;
  readonly stderrPath: string;
}

/** A uid of its own for one site; `null` ids where the service is not root (it runs agents as itself, in a user namespace). */
export interface SandboxSlot {
  readonly index: number;
  readonly uid: number | null;
  readonly gid: number | null;
}

/** How a sandboxed command ended. */
export type SandboxOutcome = CommandEnd;

/**
 * Runs untrusted commands on this machine: what sites here are made of, and nothing for the flow. Fails closed: where the profile
 * cannot run, nothing runs.
 */
export interface Sandbox {
  readonly probe: (signal: AbortSignal) => Promise<SiteProbe>;
  readonly run: (command: SandboxCommand, signal: AbortSignal) => Promise<SandboxOutcome>;
  /** Waits for a free slot; at most one site holds it. */
  readonly acquireSlot: (signal: AbortSignal) => Promise<SandboxSlot>;
  readonly releaseSlot: (slot: SandboxSlot) => void;
  /** Gives a folder tree of the service to the slot's uid (a no-op where the service is not root). */
  readonly giveToSlot: (folder: string, slot: SandboxSlot) => Promise<void>;
  /** Folder with `bin/node` (and what agents need beside it), mounted read-only at the same path; first on PATH inside. */
  readonly toolsDir: string;
}
