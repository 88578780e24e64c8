import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { toError } from '../../core/model/errors.ts';
import type { EpochMs, RunId } from '../../core/model/ids.ts';
import type { Git, KeptAs, Mirror } from '../../ports/git.ts';
import { ACCESS_MARKER, openMirror } from './ensure-mirror.ts';
import { type GitAt, gitAt, toDeletions } from './git-at.ts';
import type { GitContext } from './git-context.ts';
import { measureFolder } from './measure-folder.ts';
import { toKeepRefs, toKeptRef } from './prepare-session.ts';
import { discardFolder, emptyTrash, readNames } from './remove-folder.ts';
import { forgetOldResolutions } from './resolutions.ts';

/** A mirror used more recently may be about to get a session. */
const EVICTION_AGE_MS = 60 * 60_000;
/** A push is settled within a day of its session's deadline. Older intent refs without a live session are leftovers. */
const INTENT_KEPT_MS = 7 * 24 * 60 * 60_000;
/** A change that was held just now is not yet among those that the caller knows. */
const HELD_SETTLED_MS = 60 * 60_000;
/** Refs of a mirror that may not be evicted. */
const EVERYTHING_KEPT = ['refs/ratchet/ws', 'refs/ratchet/intent', 'refs/ratchet/held'];
const MIRROR_NAME = /^([1-9]\d{0,15})\.git$/;

/** See `Git.removeSession`. */
export async function removeSession(context: GitContext, runId: RunId, repositoryId: number): Promise<void> {
  const { folder } = context.layout.session(runId);
  if (!(await discardFolder(folder, context.layout.trash, context.newId()))) {
    context.log.warn({ runId }, 'session folder could not be removed and stays in the trash');
  }
  const mirror = await openMirror(context, repositoryId);
  if (mirror === null) return;
  const git = gitAt(context, mirror.gitDir, AbortSignal.timeout(context.limits.commandTimeoutMs));
  await context.lockMirror(repositoryId, () => deleteRefs(git, [...toKeepRefs(runId), toKeptRef(runId, 'intent')]));
}

/** See `Git.sweep`. Logs a mirror that fails and continues with the others. */
export async function sweep(
  context: GitContext,
  keep: Parameters<Git['sweep']>[0],
  signal: AbortSignal,
): Promise<void> {
  const live: ReadonlySet<string> = new Set(keep.live);
  const ids = { live, held: new Set<string>([...keep.live, ...keep.held]) };
  await removeDeadSessions(context, live, signal);
  const mirrors: MirrorUse[] = [];
  for (const name of await readNames(context.layout.mirrors)) {
    signal.throwIfAborted();
    const [, id] = MIRROR_NAME.exec(name) ?? [];
    if (id === undefined) continue;
    try {
      mirrors.push(await tidyMirror(context, context.layout.mirror(Number(id)), ids, signal));
    } catch (error) {
      signal.throwIfAborted();
      context.log.warn({ repositoryId: Number(id), error: toError(error) }, 'mirror could not be tidied');
    }
  }
  await evictMirrors(context, mirrors, signal);
}

interface MirrorUse {
  readonly mirror: Mirror;
  readonly bytes: number;
  readonly usedAt: number;
}

async function removeDeadSessions(context: GitContext, live: ReadonlySet<string>, signal: AbortSignal): Promise<void> {
  for (const name of await readNames(context.layout.sessions)) {
    signal.throwIfAborted();
    if (!live.has(name))
      await discardFolder(join(context.layout.sessions, name), context.layout.trash, context.newId());
  }
  const stuck = await emptyTrash(context.layout.trash);
  if (stuck.length > 0) context.log.warn({ count: stuck.length }, 'folders in the trash cannot be removed');
}

/**
 * Deletes the keep refs of dead sessions and repacks if there are many packs. An intent ref normally stays until its
 * session is removed. If a crash prevented that, the ref is deleted once it is old: it would protect its mirror from
 * eviction for ever.
 */
async function tidyMirror(
  context: GitContext,
  mirror: Mirror,
  { live, held }: Readonly<Record<'live' | 'held', ReadonlySet<string>>>,
  signal: AbortSignal,
): Promise<MirrorUse> {
  return context.lockMirror(mirror.repositoryId, async () => {
    const git = gitAt(context, mirror.gitDir, signal);
    const kept = await readRefs(git, ['refs/ratchet/ws', 'refs/ratchet/ws-also']);
    const now = context.clock.now();
    const intents = await readOld(git, 'intent', now - INTENT_KEPT_MS);
    const ofHeld = await readOld(git, 'held', now - HELD_SETTLED_MS);
    const dead = [
      ...[...kept, ...intents].filter((ref) => !live.has(toRunOf(ref))),
      ...ofHeld.filter((ref) => !held.has(toRunOf(ref))),
    ];
    if (dead.length > 0) await deleteRefs(git, dead);
    const packs = (await readNames(join(mirror.objectsDir, 'pack'))).filter((name) => name.endsWith('.pack'));
    // A geometric repack joins packs without dropping objects, reachable or not.
    if (packs.length > context.limits.maxPacks) await git.bytes(['repack', '-d', '--geometric=2', '-q']);
    await forgetOldResolutions(context, mirror, signal);
    const [bytes, usedAt] = await Promise.all([measureFolder(mirror.gitDir), readUse(mirror)]);
    return { mirror, bytes, usedAt };
  });
}

async function evictMirrors(context: GitContext, mirrors: readonly MirrorUse[], signal: AbortSignal): Promise<void> {
  let total = mirrors.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const { mirror, bytes } of mirrors.toSorted((left, right) => left.usedAt - right.usedAt)) {
    if (total <= context.limits.maxMirrorBytes) return;
    if (await evictIfUnused(context, mirror, signal)) total -= bytes;
  }
  if (total > context.limits.maxMirrorBytes) {
    context.log.warn({ bytes: total, maxBytes: context.limits.maxMirrorBytes }, 'mirrors in use are beyond the quota');
  }
}

async function evictIfUnused(context: GitContext, mirror: Mirror, signal: AbortSignal): Promise<boolean> {
  return context.lockMirror(mirror.repositoryId, async () => {
    const usedAt = await readUse(mirror);
    if (context.clock.now() - usedAt < EVICTION_AGE_MS) return false;
    const held = await readRefs(gitAt(context, mirror.gitDir, signal), EVERYTHING_KEPT);
    if (held.length > 0) return false;
    context.log.info({ repositoryId: mirror.repositoryId }, 'mirror evicted');
    return discardFolder(mirror.gitDir, context.layout.trash, context.newId());
  });
}

function toRunOf(ref: string): string {
  return ref.slice(ref.lastIndexOf('/') + 1);
}

async function readOld(git: GitAt, as: KeptAs, beforeMs: EpochMs): Promise<readonly string[]> {
  const args = ['for-each-ref', '--format=%(committerdate:unix) %(refname)', `refs/ratchet/${as}`];
  const before = beforeMs / 1000;
  return (await git.text(args)).split('\n').flatMap((line) => {
    const [madeAt = '', ref = ''] = line.split(' ');
    return ref !== '' && Number(madeAt) < before ? [ref] : [];
  });
}

async function readRefs(git: GitAt, under: readonly string[]): Promise<readonly string[]> {
  const names = await git.text(['for-each-ref', '--format=%(refname)', ...under]);
  return names.split('\n').filter((line) => line !== '');
}

async function deleteRefs(git: GitAt, refs: readonly string[]): Promise<void> {
  await git.bytes(['update-ref', '--stdin'], { stdin: toDeletions(refs) });
}

/** When the mirror was last used, in milliseconds; 0 if unknown. */
async function readUse(mirror: Mirror): Promise<number> {
  try {
    return (await stat(join(mirror.gitDir, ACCESS_MARKER))).mtimeMs;
  } catch {
    return 0;
  }
}
