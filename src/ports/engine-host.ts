import type { RawExit } from '../core/model/engine.ts';

/** One command to run. */
export interface Invocation {
  /** Names the folder of what it writes; no other run on the host has it at that time: `eslint-target`. */
  readonly name: string;
  readonly argv: readonly string[];
  /** Beside the clean environment that the host gives. */
  readonly env: Readonly<Record<string, string>>;
  /** Relative to the root. */
  readonly cwd: string;
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
  /** Report files to read back, by name; stale ones are removed before the run. */
  readonly reports: readonly string[];
  /** Keep what an earlier step of the same name wrote. */
  readonly keepsArtifacts: boolean;
}

/** How it ended, and what it wrote: UTF-8 with replacement, without byte order mark and colour codes. */
export interface InvocationResult {
  readonly exit: RawExit;
  readonly stdout: string;
  readonly stderr: string;
  /** null: there is no such file, or it is no regular file, or too long. */
  readonly reports: Readonly<Record<string, string | null>>;
}

/** One prepared copy of a repository's files in which engines run: in sites of their own, or in a person's checkout. */
export interface EngineHost {
  /** Absolute path of the root as the tools see it. */
  readonly root: string;
  /** Paths of the repository, canonical and sorted: what git tracks, and in a checkout also what it does not ignore. */
  readonly files: readonly string[];
  /** Folder for what the run of that name writes, as the tools see it. */
  readonly artifacts: (name: string) => string;
  /** Whether there is something at the path below the root: prepared dependencies included. */
  readonly has: (path: string) => Promise<boolean>;
  /** Text below the root (dependencies included); null when there is no regular file, or a longer one, or it is no UTF-8. */
  readonly readText: (path: string, maxBytes: number) => Promise<string | null>;
  /** Identity of the content of all files of the repository: equal in every clone of the same content. */
  readonly contentHash: () => Promise<string>;
  /** Whether the dependencies are there that the tools and the code need. */
  readonly dependencies: 'ready' | 'missing';
  /** Absolute path of Node and of Python as the tools see them; null: there is none. */
  readonly nodePath: string;
  /** Runs it in a process group of its own, all of which is gone when this returns. Never throws for what it does. */
  readonly run: (invocation: Invocation, signal: AbortSignal) => Promise<InvocationResult>;
  /** Nothing more is run under that name: its site is closed. */
  readonly release: (name: string) => Promise<void>;
}
