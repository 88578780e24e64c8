/** A folder or file of the host inside the sandbox. */
export interface Mount {
  readonly source: string;
  readonly target: string;
  readonly writable: boolean;
}

/** One command in a fresh sandbox: no network, no secret, nothing of the host but what is mounted. */
export interface SandboxCommand {
  readonly argv: readonly string[];
  /** The whole environment; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** Working directory inside the sandbox. */
  readonly cwd: string;
  readonly stdin: string;
  readonly mounts: readonly Mount[];
  /** uid slot that owns the writable mounts (see `SandboxSlot`). */
  readonly slot: SandboxSlot;
  readonly timeoutMs: number;
  /** More output than this kills the command. */
  readonly maxOutputBytes: number;
  /** Files that receive stdout and stderr, capped; made by the service outside of any mount. */
  readonly stdoutPath: string;
  readonly stderrPath: string;
}

/** A uid of its own for one session; `null` ids where the service is not root (it runs agents as itself, in a user namespace). */
export interface SandboxSlot {
  readonly index: number;
  readonly uid: number | null;
  readonly gid: number | null;
}

/** How a sandboxed command ended; all its processes are gone when this is returned. */
export interface SandboxOutcome {
  readonly kind: 'exited' | 'timed_out' | 'output_flood' | 'aborted' | 'not_started';
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly durationMs: number;
  /** Last 64 KiB of each stream. */
  readonly stdoutTail: string;
  readonly stderrTail: string;
  /** Processes found alive after the kill: 0, or the run is not to be trusted. */
  readonly processesLeft: number;
}

/** What `probe` found. */
export type SandboxProbe =
  | { readonly kind: 'ok'; readonly profile: string }
  | { readonly kind: 'unavailable'; readonly why: string };

/** Runs untrusted commands. Fails closed: where the profile cannot run, nothing runs. */
export interface Sandbox {
  readonly probe: (signal: AbortSignal) => Promise<SandboxProbe>;
  readonly run: (command: SandboxCommand, signal: AbortSignal) => Promise<SandboxOutcome>;
  /** Waits for a free slot; at most one session holds it. */
  readonly acquireSlot: (signal: AbortSignal) => Promise<SandboxSlot>;
  /** A slot that is free at this moment; null: there is none. For what can go on without. */
  readonly tryAcquireSlot: () => SandboxSlot | null;
  readonly releaseSlot: (slot: SandboxSlot) => void;
  /** Gives a folder tree of the service to the slot's uid (a no-op where the service is not root). */
  readonly giveToSlot: (folder: string, slot: SandboxSlot) => Promise<void>;
  /** Folder with `bin/node` (and what agents need beside it), mounted read-only at the same path; first on PATH inside. */
  readonly toolsDir: string;
}
