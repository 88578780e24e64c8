import type { CommandEnd } from '../core/model/command-end.ts';
import type { Sha } from '../core/model/ids.ts';
import type { ImportedTree, SessionRepository } from './git.ts';

/** A guarantee that an adapter gives for its sites. */
export type SitePromise =
  /** Each site contains exactly the requested tree. */
  | 'fresh_tree'
  /** The tree can be taken out after commands have run. */
  | 'take_tree'
  /** Commands run directly in existing files. */
  | 'existing_files'
  | 'no_network'
  /** The network `relays`: commands reach the relays of their site and nothing else. */
  | 'relays'
  /** Memory, processes, open files, file sizes and disk usage are limited. A command that exceeds a limit ends with that reason. */
  | 'limits'
  /** Commands see only the system programs and what the site was opened with. */
  | 'isolation'
  /** Input files are readable but not writable for commands. */
  | 'inputs'
  /** Prepared dependencies are read-only and stored by key. */
  | 'dependencies';

/** Network access of a site and its commands: none, only the relays of the site, or the network of the machine. */
export type SiteNetwork = 'none' | 'relays' | 'host';

/** A service of Ratchet that commands may reach. */
export interface SiteRelay {
  readonly name: 'model' | 'registry';
  /** Where the service listens, on the machine of the service. */
  readonly socketPath: string;
  /** The port of 127.0.0.1 inside the site that leads there, 1024 or above. */
  readonly port: number;
}

/** Key of prepared dependencies. Never shared between pull requests, because `setup` runs code of the pull request. */
export interface DependencyKey {
  readonly repositoryId: number;
  readonly number: number;
  /** Hash of the setup commands and of the lockfiles and manifests of the head. */
  readonly hash: string;
}

/** Stored dependencies. Paths are relative to the root of a site. */
export interface PreparedDependencies {
  readonly key: DependencyKey;
  /** Their entries, sorted: those at the root, and each `node_modules` in a folder that has tracked files. */
  readonly paths: readonly string[];
  /** Absolute folders of programs in a site, which come first on PATH: those of chosen toolchains and prepared environments. */
  readonly programPath?: readonly string[];
  /** Whether anything exists at the path. A link counts, even a broken one. */
  readonly has: (path: string) => Promise<boolean>;
  /** Bytes of a regular file; follows links within the dependencies. null: no such file, outside of them, or too long. */
  readonly readFile: (path: string, maxBytes: number) => Promise<Uint8Array | null>;
}

/** The tree at the root of a site. */
export interface SiteTree {
  readonly repository: SessionRepository;
  /** A tree or a commit. */
  readonly treeSha: Sha;
  /** Tracked paths to leave out. */
  readonly masked: readonly string[];
  /** Adds a read-only `.git` with the history. */
  readonly hasHistory: boolean;
}

export interface SiteRequest {
  /** Names the site in the log, and its artifacts folder in a person's checkout. */
  readonly name: string;
  /** null: use the existing files. */
  readonly tree: SiteTree | null;
  /** `paths` are the entries to mount: all or some of `PreparedDependencies.paths`. */
  readonly dependencies: Pick<PreparedDependencies, 'key' | 'paths' | 'programPath'> | null;
  readonly network: SiteNetwork;
  /** With the network `relays` at least one, otherwise none. Their names and ports differ. The services listen already. */
  readonly relays?: readonly SiteRelay[];
  readonly limits: 'enforced' | 'none';
  readonly isolation: 'full' | 'none';
  /** Input texts by file name. Available in `SiteLayout.inputs`. */
  readonly inputs: Readonly<Record<string, string>>;
  /** Programs of the operator (those of an agent), by their names in the adapter. */
  readonly programs: readonly string[];
}

/** One command. It gets the environment of the site and none of the service. */
export interface SiteCommand {
  readonly argv: readonly string[];
  /** Added to HOME, PATH and others that the site sets. */
  readonly env: Readonly<Record<string, string>>;
  /** Relative to the root. */
  readonly cwd: string;
  readonly stdin: string;
  readonly timeoutMs: number;
  /** Maximum size of stdout and stderr together. A command that exceeds it is killed. */
  readonly maxOutputBytes: number;
  /** Must be the network of the site. */
  readonly network: SiteNetwork;
  /** Texts that are written to the home folder before the command starts, by relative path. Only without `keepsHome`. */
  readonly homeFiles?: Readonly<Record<string, string>>;
  /** Gets stdout as it is printed, within the limit. Must not throw. */
  readonly onStdout?: (chunk: Uint8Array) => void;
  /** Keeps the home folder of the previous command instead of an empty one. */
  readonly keepsHome: boolean;
  /** Files of the artifacts folder to remove before the command starts. */
  readonly removes: readonly string[];
  /**
   * Files below the root that a checkout has as before after the command: put back, or removed if they did not exist. A site of its own
   * does nothing about them. Default: none.
   */
  readonly restores?: readonly string[];
  /** Texts that are written to the artifacts folder before the command starts, by file name. They replace what is there. */
  readonly artifactFiles?: Readonly<Record<string, string>>;
}

/** How a command ended, and its output. */
export interface SiteOutcome extends CommandEnd {
  /** The whole output, up to the limit. Readable until the next command of the site, or until the site is closed. */
  readonly read: (stream: 'stdout' | 'stderr') => AsyncIterable<Uint8Array>;
}

/** An open site. Paths are relative to its root, or absolute in it. Reads follow no links, except in a person's checkout. */
export interface Site {
  /** Runs one command at a time. Never throws because of the command itself. */
  readonly run: (command: SiteCommand, signal: AbortSignal) => Promise<SiteOutcome>;
  /**
   * Imports the tree that commands left. Changes are relative to the tree the site was opened with; paths in `exclude` appear
   * unchanged. Throws `SiteError` (`NOT_TRUSTED`) if a command left processes running.
   */
  readonly takeTree: (
    want: { readonly exclude: readonly string[]; readonly maxPatchBytes: number },
    signal: AbortSignal,
  ) => Promise<ImportedTree>;
  /** Bytes of a regular file below the root or the artifacts folder. null: no such file, or longer than `maxBytes`. */
  readonly readFile: (path: string, maxBytes: number) => Promise<Uint8Array | null>;
  /** Whether anything exists at the path. A link counts, even a broken one. */
  readonly has: (path: string) => Promise<boolean>;
  /** Moves what `setup` created (see `PreparedDependencies.paths`; nothing `tracked`) out of the site and stores it under `key`. */
  readonly keepDependencies: (key: DependencyKey, tracked: readonly string[]) => Promise<PreparedDependencies>;
  /** Removes the site. Idempotent. */
  readonly close: () => Promise<void>;
}

/** Absolute paths inside of every site of the adapter. */
export interface SiteLayout {
  readonly root: string;
  readonly inputs: string;
  /** The artifacts folder of the site with that name: outside of the tree, writable for commands, empty at first. */
  readonly artifacts: (name: string) => string;
  readonly nodePath: string;
  /** Folders of the operator, each with a `bin`, that every site shows. */
  readonly toolchains: readonly string[];
}

/** Whether commands can run at all. */
export type SiteProbe =
  | { readonly kind: 'ok'; readonly profile: string }
  | { readonly kind: 'unavailable'; readonly why: string };

/**
 * Opens sites for untrusted commands, here or on another machine. Input and output are content, not folders. An open site holds
 * one of a limited number of slots, and `open` waits for a free one. To avoid deadlocks, a caller must close its site before it
 * opens another.
 */
export interface Sites {
  readonly promises: readonly SitePromise[];
  readonly layout: SiteLayout;
  readonly probe: (signal: AbortSignal) => Promise<SiteProbe>;
  /** Throws `SiteError` (`CANNOT_KEEP`) if the request needs a guarantee that the adapter does not give. */
  readonly open: (request: SiteRequest, signal: AbortSignal) => Promise<Site>;
  /** null: none are stored under that key. */
  readonly findDependencies: (key: DependencyKey) => Promise<PreparedDependencies | null>;
  /** Deletes the least recently used dependencies beyond the quota. */
  readonly sweep: () => Promise<void>;
}
