import type { CommandEnd } from '../core/model/command-end.ts';
import type { Sha } from '../core/model/ids.ts';
import type { ImportedTree, SessionRepository } from './git.ts';

/** What an adapter can promise about its sites. */
export type SitePromise =
  /** Each site holds the requested tree and nothing else. */
  | 'fresh_tree'
  /** The tree that commands leave can be taken. */
  | 'take_tree'
  /** Commands run in the files as they lie there. */
  | 'existing_files'
  | 'no_network'
  /** Processes, open files and sizes of files are limited. */
  | 'limits'
  /** Commands see nothing of the machine but the system's programs and what the site was opened with. */
  | 'isolation'
  /** Input files that commands can read and not change. */
  | 'inputs'
  /** Prepared dependencies, read-only, and kept under their key. */
  | 'dependencies';

/** Network of a site and of its commands: none, or that of the machine. */
export type SiteNetwork = 'none' | 'host';

/** Identity of prepared dependencies: never shared between pull requests, since `setup` runs the pull request's own code. */
export interface DependencyKey {
  readonly repositoryId: number;
  readonly number: number;
  /** Hash of the setup commands and of every lockfile and manifest of the head. */
  readonly hash: string;
}

/** Dependencies that the adapter keeps. Paths are relative to a site's root. */
export interface PreparedDependencies {
  readonly key: DependencyKey;
  /** The top-level entries that they consist of, sorted. */
  readonly paths: readonly string[];
  /** Whether there is something at that path; a link counts, also a broken one. */
  readonly has: (path: string) => Promise<boolean>;
  /** Bytes of a regular file. Links are followed inside of the dependencies; null: none, outside of them, or longer. */
  readonly readFile: (path: string, maxBytes: number) => Promise<Uint8Array | null>;
}

/** The tree that a site holds at its root. */
export interface SiteTree {
  readonly repository: SessionRepository;
  /** A tree or a commit. */
  readonly treeSha: Sha;
  /** Tracked paths that are left out. */
  readonly masked: readonly string[];
  /** With a read-only `.git` in which the history can be read. */
  readonly hasHistory: boolean;
}

/** What to open. */
export interface SiteRequest {
  /** Names it in the log; names of artifact folders in a person's checkout. */
  readonly name: string;
  /** null: the files as they lie there. */
  readonly tree: SiteTree | null;
  /** `paths` are the entries to bring in, all or some of `PreparedDependencies.paths`. */
  readonly dependencies: Pick<PreparedDependencies, 'key' | 'paths'> | null;
  readonly network: SiteNetwork;
  readonly limits: 'enforced' | 'none';
  readonly isolation: 'full' | 'none';
  /** Texts by file name, to be found in `SiteLayout.inputs`. */
  readonly inputs: Readonly<Record<string, string>>;
  /** Programs of the operator (an agent's), by the name under which the adapter knows them. */
  readonly programs: readonly string[];
}

/** One command. It runs in an environment of the site's own, with nothing of the service's. */
export interface SiteCommand {
  readonly argv: readonly string[];
  /** Beside HOME, PATH and the like, which the site sets. */
  readonly env: Readonly<Record<string, string>>;
  /** Relative to the root. */
  readonly cwd: string;
  readonly stdin: string;
  readonly timeoutMs: number;
  /** More output than this, on both streams together, kills the command. */
  readonly maxOutputBytes: number;
  /** That of the site. */
  readonly network: SiteNetwork;
  /** With the home folder of the command before it, instead of an empty one. */
  readonly keepsHome: boolean;
  /** Files of the artifacts folder that are removed before it starts. */
  readonly removes: readonly string[];
}

/** How a command ended, and what it printed. */
export interface SiteOutcome extends CommandEnd {
  /** All that it printed, up to its cap. Readable until the next command of the site, or its end. */
  readonly read: (stream: 'stdout' | 'stderr') => AsyncIterable<Uint8Array>;
}

/**
 * A place to run in. Paths are relative to its root, or absolute paths inside of it. What commands left is read without
 * following a link, except in a person's own checkout.
 */
export interface Site {
  /** Runs one command at a time. Never throws for what the command does. */
  readonly run: (command: SiteCommand, signal: AbortSignal) => Promise<SiteOutcome>;
  /**
   * The tree as commands left it, measured from the one that the site was opened with. `exclude` are paths that appear as they
   * were. Throws `SiteError` (`NOT_TRUSTED`) after a command that left processes.
   */
  readonly takeTree: (
    want: { readonly exclude: readonly string[]; readonly maxPatchBytes: number },
    signal: AbortSignal,
  ) => Promise<ImportedTree>;
  /** Bytes of a regular file below the root or the artifacts folder; null: there is none, or a longer one. */
  readonly readFile: (path: string, maxBytes: number) => Promise<Uint8Array | null>;
  /** Whether there is something at that path; a link counts, also a broken one. */
  readonly has: (path: string) => Promise<boolean>;
  /** Moves what `setup` made (top-level entries that `tracked` has none of) out of the site, and keeps it under `key`. */
  readonly keepDependencies: (key: DependencyKey, tracked: readonly string[]) => Promise<PreparedDependencies>;
  /** Removes it. Idempotent. */
  readonly close: () => Promise<void>;
}

/** Absolute paths inside of every site of an adapter. */
export interface SiteLayout {
  readonly root: string;
  readonly inputs: string;
  /** A folder outside of the tree that commands may write to, empty at first; of the site of that name. */
  readonly artifacts: (name: string) => string;
  readonly nodePath: string;
}

/** Whether commands can be run at all. */
export type SiteProbe =
  | { readonly kind: 'ok'; readonly profile: string }
  | { readonly kind: 'unavailable'; readonly why: string };

/**
 * Makes places to run untrusted commands in, here or on another machine: what goes in and comes out is content. A site takes one
 * of a limited number of slots until it is closed, and `open` waits for a free one. The holder of a site opens no
 * other one before closing it: then no holder waits for another, and everybody who waits gets a slot.
 */
export interface Sites {
  readonly promises: readonly SitePromise[];
  readonly layout: SiteLayout;
  readonly probe: (signal: AbortSignal) => Promise<SiteProbe>;
  /** Throws `SiteError` (`CANNOT_KEEP`) where the request needs what the adapter does not promise. */
  readonly open: (request: SiteRequest, signal: AbortSignal) => Promise<Site>;
  /** null: none are kept under that key. */
  readonly findDependencies: (key: DependencyKey) => Promise<PreparedDependencies | null>;
  /** Deletes dependencies beyond the quota, least recently used first. */
  readonly sweep: () => Promise<void>;
}
