import { chown, mkdir, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RepositoryError } from '../../core/model/errors.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { Mirror, RemoteAccess } from '../../ports/git.ts';
import { removeTree } from '../../system/remove-tree.ts';
import { toBranchRef } from './branch-ref.ts';
import { FETCH, gitAt, readCommit, toCall, toDeletions } from './git-at.ts';
import type { GitContext } from './git-context.ts';
import { measureFolder } from './measure-folder.ts';
import { isMissing, readNames } from './remove-folder.ts';
import { isOk, toTransportError } from './run-git.ts';
import { runRemote } from './run-remote.ts';
import { writeRepository } from './write-repository.ts';

/** One fetch into a mirror. */
export interface MirrorFetch {
  readonly mirror: Mirror;
  readonly number: number;
  readonly headSha: Sha;
  /** Head branch in this repository; null for a fork. */
  readonly headRef: string | null;
  readonly baseRef: string;
  readonly remote: RemoteAccess;
}

/** The modification time of this file is when the mirror was last used. */
export const ACCESS_MARKER = 'ratchet-access';

const MIRROR_PARENT_MODE = 0o750;
const SIZE_CHECK_MS = 250;
/** Refs are locked for milliseconds. An older lock file was left by a killed process. */
const STALE_LOCK_MS = 60_000;

/** See `Git.ensureMirror`. Serialised per repository. A failed fetch leaves the disk unchanged. */
export async function ensureMirror(context: GitContext, fetch: MirrorFetch, signal: AbortSignal): Promise<Mirror> {
  const { mirror } = fetch;
  return context.lockMirror(mirror.repositoryId, async () => {
    signal.throwIfAborted();
    const { number, remote, headRef } = fetch;
    const toRef = (branch: string): Promise<string> =>
      toBranchRef(context.runGit, branch, context.layout.dataDir, signal);
    const base = { from: await toRef(fetch.baseRef), to: toBaseRef(number) };
    const head = { from: headRef === null ? toPullRef(number) : await toRef(headRef), to: toHeadRef(number) };
    const tip = await fetchHead(context, { mirror, remote, refs: [head, base] }, signal);
    if (tip !== fetch.headSha) await fetchHeadItself(context, fetch, { head, base, tip }, signal);
    return mirror;
  });
}

/** A ref of the remote and its name in the mirror. */
export interface RefPair {
  readonly from: string;
  readonly to: string;
}

interface RefFetch {
  readonly mirror: Mirror;
  readonly remote: RemoteAccess;
  readonly refs: readonly RefPair[];
}

/** Fetches into the mirror, creating it if missing. The caller holds its lock. A failure leaves the disk unchanged. */
export async function fetchRefs(context: GitContext, fetch: RefFetch, signal: AbortSignal): Promise<void> {
  const isNew = await ensureBareRepository(context, fetch.mirror);
  const packsBefore = new Set(await readNames(packFolder(fetch.mirror)));
  try {
    await fetchBounded(context, fetch, signal);
  } catch (error) {
    await takeBack(context, fetch, isNew ? null : packsBefore);
    throw error;
  }
}

/** The mirror, or null if it is not on disk. */
export async function openMirror(context: GitContext, repositoryId: number): Promise<Mirror | null> {
  const mirror = context.layout.mirror(repositoryId);
  if (!(await exists(join(mirror.gitDir, 'HEAD')))) return null;
  await openToSlots(context);
  return mirror;
}

/** Mirrors hold private code: only the service and the sandboxes may enter. Their group may have changed since. */
async function openToSlots({ layout, slotGid }: GitContext): Promise<void> {
  if (slotGid !== null) await chown(layout.mirrors, -1, slotGid);
}

async function ensureBareRepository(context: GitContext, mirror: Mirror): Promise<boolean> {
  await mkdir(context.layout.mirrors, { recursive: true, mode: MIRROR_PARENT_MODE });
  await openToSlots(context);
  const isNew = !(await exists(join(mirror.gitDir, 'HEAD')));
  if (isNew) {
    const draft = `${mirror.gitDir}.${context.newId()}`;
    await writeRepository(draft, { bare: true, head: 'ref: refs/heads/none', alternates: null, mode: 0o755 });
    await rename(draft, mirror.gitDir);
  }
  await clearStaleLocks(mirror.gitDir, Date.now() - STALE_LOCK_MS);
  await clearUnfinishedPacks(mirror);
  await touch(join(mirror.gitDir, ACCESS_MARKER), context.clock.now());
  return isNew;
}

async function fetchBounded(context: GitContext, fetch: RefFetch, signal: AbortSignal): Promise<void> {
  const watch = watchSize(fetch.mirror.objectsDir, context.limits.maxRepositoryBytes);
  const call = toCall(context, fetch.mirror.gitDir, [...FETCH, '--stdin', '--', fetch.remote.url], {
    // A sweep fetches thousands of refs: too many for a command line.
    stdin: fetch.refs.map(({ from, to }) => `+${from}:${to}\n`).join(''),
    timeoutMs: context.limits.fetchTimeoutMs,
  });
  try {
    const remoteCall = { ...call, remote: fetch.remote };
    const output = await runRemote(context, remoteCall, AbortSignal.any([signal, watch.signal]));
    if (!isOk(output)) throw toTransportError(call, output);
  } catch (error) {
    if (watch.signal.aborted && !signal.aborted) throw tooLarge(context.limits.maxRepositoryBytes);
    throw error;
  } finally {
    await watch.stop();
  }
  const bytes = await measureFolder(fetch.mirror.objectsDir);
  if (bytes > context.limits.maxRepositoryBytes) throw tooLarge(context.limits.maxRepositoryBytes);
}

/** Returns a signal that aborts once `folder` holds more than `maxBytes`. git has no size limit for a fetch. */
function watchSize(
  folder: string,
  maxBytes: number,
): { readonly signal: AbortSignal; readonly stop: () => Promise<void> } {
  const controller = new AbortController();
  let measuring: Promise<void> | null = null;
  const measure = async (): Promise<void> => {
    const bytes = await measureFolder(folder).catch(() => 0);
    if (bytes > maxBytes) controller.abort(new Error('the repository is too large'));
    measuring = null;
  };
  const timer = setInterval(() => {
    measuring ??= measure();
  }, SIZE_CHECK_MS);
  return {
    signal: controller.signal,
    stop: async () => {
      clearInterval(timer);
      await measuring;
    },
  };
}

/** Removes what a failed fetch wrote: the whole mirror if `packsBefore` is null, otherwise only the new packs. */
async function takeBack(context: GitContext, fetch: RefFetch, packsBefore: ReadonlySet<string> | null): Promise<void> {
  const { mirror } = fetch;
  if (packsBefore === null) {
    if (!(await removeTree(mirror.gitDir))) context.log.warn({ repositoryId: mirror.repositoryId }, 'mirror is stuck');
    return;
  }
  for (const name of await readNames(packFolder(mirror))) {
    if (!packsBefore.has(name)) await rm(join(packFolder(mirror), name), { recursive: true, force: true });
  }
  // Refs to objects of a removed pack would make every later fetch fail.
  const git = gitAt(context, mirror.gitDir, AbortSignal.timeout(context.limits.commandTimeoutMs));
  await git.run(['update-ref', '--stdin'], { stdin: toDeletions(fetch.refs.map(({ to }) => to)) });
}

interface HeadAndBase {
  readonly head: RefPair;
  readonly base: RefPair;
  /** What the ref of the head showed; null: the remote has no such ref. */
  readonly tip: Sha | null;
}

/** Fetches the refs, the head first. Returns the commit at the head; null if the remote has no such ref. */
async function fetchHead(context: GitContext, fetch: RefFetch, signal: AbortSignal): Promise<Sha | null> {
  const [head] = fetch.refs;
  if (head === undefined) return null;
  try {
    await fetchRefs(context, fetch, signal);
  } catch (error) {
    if (error instanceof RepositoryError && error.message.includes(`find remote ref ${head.from}`)) return null;
    throw error;
  }
  return readCommit(gitAt(context, fetch.mirror.gitDir, signal), head.to);
}

/**
 * Refs lag behind the API. GitHub gives a commit by its name, too, if it has it. If it does not yet, the fetch may be
 * tried again later.
 */
async function fetchHeadItself(
  context: GitContext,
  { mirror, remote, headSha }: MirrorFetch,
  { head, base, tip }: HeadAndBase,
  signal: AbortSignal,
): Promise<void> {
  try {
    await fetchRefs(context, { mirror, remote, refs: [{ from: headSha, to: head.to }, base] }, signal);
  } catch (error) {
    if (!(error instanceof RepositoryError) || !isUnknownCommit(error.message)) throw error;
    const why = `${head.from} shows ${tip ?? 'nothing'}, and ${headSha} cannot be fetched yet`;
    throw new RepositoryError('REF_LAGS', why, { retry: 'later', cause: error });
  }
}

function isUnknownCommit(message: string): boolean {
  return /not our ref|unadvertised object|couldn't find remote ref [0-9a-f]{40}\b/.test(message);
}

/** The remote's ref for the head of a pull request, also of one from a fork. */
export function toPullRef(number: number): string {
  return `refs/pull/${String(number)}/head`;
}

/** The mirror's ref for the head of a pull request. */
export function toHeadRef(number: number): string {
  return `refs/ratchet/pr/${String(number)}`;
}

function toBaseRef(number: number): string {
  return `refs/ratchet/base/${String(number)}`;
}

function tooLarge(maxBytes: number): RepositoryError {
  const megabytes = Math.round(maxBytes / 1024 ** 2);
  const why = `the repository is larger than ${megabytes} MiB; its copy was removed`;
  return new RepositoryError('REPO_TOO_LARGE', why, { retry: 'never' });
}

/** Removes lock files that a killed git left. They would make every later fetch fail. */
async function clearStaleLocks(gitDir: string, olderThan: number): Promise<void> {
  const folders = [gitDir, join(gitDir, 'refs')];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && folder !== gitDir) folders.push(path);
      if (entry.isFile() && entry.name.endsWith('.lock') && (await stat(path)).mtimeMs < olderThan) {
        await rm(path, { force: true });
      }
    }
  }
}

/**
 * Removes packs that a killed git left unfinished. The caller holds the mirror's lock, so nobody is writing them now.
 * They would count towards the repository's size until it is refused as too large.
 */
async function clearUnfinishedPacks(mirror: Mirror): Promise<void> {
  const names = await readNames(packFolder(mirror));
  const unfinished = names.filter((name) => name.startsWith('tmp_') || name.startsWith('.tmp-'));
  for (const name of unfinished) await rm(join(packFolder(mirror), name), { force: true });
}

async function touch(file: string, atMs: number): Promise<void> {
  await writeFile(file, '', { flag: 'a' });
  await utimes(file, atMs / 1000, atMs / 1000);
}

function packFolder(mirror: Mirror): string {
  return join(mirror.objectsDir, 'pack');
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}
