import type { RawExit } from '../core/model/engine.ts';
import type { Submodule } from '../core/model/engine-report.ts';

/** One command to run. */
export interface Invocation {
  /** Names the artifacts folder of the run, for example `eslint-target`. Unique among the runs active on the host. */
  readonly name: string;
  readonly argv: readonly string[];
  /** Added to the host's clean environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Relative to the root. */
  readonly cwd: string;
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
  /** Names of report files to return. Old ones are removed before the run. */
  readonly reports: readonly string[];
  /** Files below the root that the command must not change in a checkout, see `SiteCommand`. Default: none. */
  readonly restores?: readonly string[];
  /** Texts to write to the artifacts folder before the run, by file name. */
  readonly files?: Readonly<Record<string, string>>;
  /** Keeps the files that an earlier command of the same name wrote. */
  readonly keepsArtifacts: boolean;
}

/** How a command ended, and its output as UTF-8: invalid bytes are replaced, the byte order mark and color codes are removed. */
export interface InvocationResult {
  readonly exit: RawExit;
  readonly stdout: string;
  readonly stderr: string;
  /** Text by report name. null: the file is missing, not a regular file, or too long. */
  readonly reports: Readonly<Record<string, string | null>>;
}

/** A prepared copy of a repository's files for engines to run in: a site for each run, or a person's checkout. */
export interface EngineHost {
  /** Absolute path of the root, as the tools see it. */
  readonly root: string;
  /** Canonical paths of the repository, sorted: tracked files, and in a checkout also untracked files that git does not ignore. */
  readonly files: readonly string[];
  /** Sorted by path; left out: none. */
  readonly submodules?: readonly Submodule[];
  /** The artifacts folder of the run with that name, as the tools see it. */
  readonly artifacts: (name: string) => string;
  /** Whether anything exists at the path below the root, prepared dependencies included. */
  readonly has: (path: string) => Promise<boolean>;
  /** Text of a file below the root, dependencies included. null: no regular file, longer than `maxBytes`, or not UTF-8. */
  readonly readText: (path: string, maxBytes: number) => Promise<string | null>;
  /**
   * Identifies the content that tools may read: all repository files and, in a checkout, also ignored files, installed packages and
   * submodules. null: it cannot be identified, so nothing may be cached.
   */
  readonly contentHash: () => Promise<string | null>;
  /** Whether the dependencies that tools and code need are installed. */
  readonly dependencies: 'ready' | 'missing';
  /** Absolute path of the interpreter of the virtual environment that a person has activated; null or left out: none. */
  readonly activePython?: string | null;
  /** Absolute path of Node, as the tools see it. */
  readonly nodePath: string;
  /** Runs the command in its own process group, which is gone when this returns. Never throws because of the command itself. */
  readonly run: (invocation: Invocation, signal: AbortSignal) => Promise<InvocationResult>;
  /** Closes the site of that name. The caller runs nothing more under it. */
  readonly release: (name: string) => Promise<void>;
}
