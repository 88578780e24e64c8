import { mkdirSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleepFor } from 'node:timers/promises';
import type { Git, TreeFolders } from '../../ports/git.ts';
import { diffTrees, patchId } from './diff-trees.ts';
import { ensureMirror, openMirror } from './ensure-mirror.ts';
import type { GitContext } from './git-context.ts';
import type { Transports } from './git-environment.ts';
import { importTree } from './import-tree.ts';
import { createKeyedLock } from './keyed-lock.ts';
import { createLayout, PASS_THROUGH_MODE } from './layout.ts';
import { createCommit, keepCommit, readHeld } from './make-commit.ts';
import { mergeTree } from './merge-tree.ts';
import { placeTree, prepareSession } from './prepare-session.ts';
import { probeMerges } from './probe-merges.ts';
import { pushKept, readRemoteHead } from './push-kept.ts';
import { listFiles, listSubmodules, readBlobs, readFiles } from './read-files.ts';
import { forgetResolutions, recallResolutions, rememberResolutions } from './resolutions.ts';
import { revertTree } from './revert-tree.ts';
import { createRunGit } from './run-git.ts';
import { removeSession, sweep } from './sweep.ts';
import { createTreeListings } from './tree-listings.ts';
import { mixTrees, writeTree } from './write-tree.ts';

/** Options of `createGit`. */
export interface GitOptions extends Pick<GitContext, 'limits' | 'clock' | 'log' | 'newId'> {
  /** The service's data folder, mode 0711. Created if missing. */
  readonly dataDir: string;
  /** Group of the sandbox slots. Null or absent if the service does not run as root. */
  readonly slotGid?: number | null;
  /** Added to git's environment: another PATH, proxy, CA file. */
  readonly env?: Readonly<Record<string, string>>;
  readonly transports?: Transports;
  /** Replaced in tests. */
  readonly sleep?: GitContext['sleep'];
}

/** The default PATH. */
export const DEFAULT_GIT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const HTTPS_ONLY: Transports = { allowFile: false, plainHttpHosts: [] };

/** Runs git on the host, with mirrors and sessions below `dataDir`. Only creates that folder. */
export function createGit(options: GitOptions): Git & TreeFolders {
  const context = createContext(options);
  return {
    ensureMirror: (repository, want, remote, signal) =>
      ensureMirror(
        context,
        { mirror: context.layout.mirror(repository.repositoryId), headRef: null, ...want, remote },
        signal,
      ),
    prepareSession: (mirror, session, signal) => prepareSession(context, mirror, session, signal),
    readFiles: (repository, want, signal) => readFiles(context, repository, want, signal),
    listFiles: (repository, signal, treeish) => listFiles(context, repository, treeish ?? repository.headSha, signal),
    listSubmodules: (repository, signal, treeish) => listSubmodules(context, repository, treeish, signal),
    readBlobs: (repository, want, signal) => readBlobs(context, repository, want, signal),
    importTree: (repository, want, signal) => importTree(context, repository, want, signal),
    mergeTree: (repository, merge, signal) => mergeTree(context, repository.controlDir, merge, signal),
    revertTree: (repository, revert, signal) => revertTree(context, repository, revert, signal),
    placeTree: (repository, want, signal) => placeTree(context, repository, want, signal),
    writeTree: (repository, tree, signal) => writeTree(context, repository, tree, signal),
    mixTrees: (repository, mix, signal) => mixTrees(context, repository, mix, signal),
    diffTrees: (repository, diff, signal) => diffTrees(context, repository, diff, signal),
    patchId: (repository, from, to, signal) => patchId(context, repository, { from, to }, signal),
    recallResolutions: (mirror, merge, signal) => recallResolutions(context, mirror, merge, signal),
    rememberResolutions: (mirror, merge, signal) => rememberResolutions(context, mirror, merge, signal),
    forgetResolutions: (mirror, merge, signal) => forgetResolutions(context, mirror, merge, signal),
    probeMerges: (mirror, want, remote, signal) => probeMerges(context, { mirror, ...want, remote }, signal),
    createCommit: (repository, commit, signal) => createCommit(context, repository, commit, signal),
    keepCommit: (repository, commit, signal) => keepCommit(context, repository, commit, signal),
    readHeld: (repository, of, signal) => readHeld(context, repository, of, signal),
    pushKept: (mirror, push, remote, signal) => pushKept(context, { mirror, ...push, remote }, signal),
    readRemoteHead: (branch, remote, signal) => readRemoteHead(context, { branch, remote }, signal),
    openMirror: (repositoryId) => openMirror(context, repositoryId),
    removeSession: (runId, repositoryId) => removeSession(context, runId, repositoryId),
    sweep: (keep, signal) => sweep(context, keep, signal),
  };
}

function createContext(options: GitOptions): GitContext {
  const { limits, clock, log, newId } = options;
  mkdirSync(options.dataDir, { recursive: true, mode: PASS_THROUGH_MODE });
  // Sandbox mounts refuse paths that contain links, so they are resolved once, here.
  const dataDir = realpathSync(options.dataDir);
  return {
    ...{ limits, clock, log, newId },
    layout: createLayout(dataDir),
    lockMirror: createKeyedLock<number>(),
    listings: createTreeListings(),
    slotGid: options.slotGid ?? null,
    sleep: options.sleep ?? ((ms, signal) => sleepFor(ms, undefined, { signal })),
    runGit: createRunGit({
      env: { PATH: DEFAULT_GIT_PATH, ...options.env },
      transports: options.transports ?? HTTPS_ONLY,
      ceiling: dirname(dataDir),
    }),
  };
}
