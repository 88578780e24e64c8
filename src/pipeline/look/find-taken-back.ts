import type { Asked } from '../../core/model/ask.ts';
import { GitHubError } from '../../core/model/errors.ts';
import type { EpochMs, Sha } from '../../core/model/ids.ts';
import type { Actor } from '../../core/model/pull-request.ts';
import { type Fixup, REMEMBERED_SESSIONS, type SessionOutcome } from '../../core/model/session.ts';
import type { TakenBack, Workspace } from '../../core/model/workspace.ts';
import { type FileVersions, isTakenBack } from '../../core/sessions/is-taken-back.ts';
import type { Blob, BlobRef } from '../../ports/github.ts';
import type { Deps } from '../deps.ts';

/** Files whose contents one look reads: four versions of each, with one query. */
const MAX_FILES = 20;

interface Revert {
  readonly workspace: Workspace & Asked;
  /** The head before and after the pushes of people. */
  readonly range: { readonly fromSha: Sha; readonly headSha: Sha };
  readonly by: Actor;
  readonly now: EpochMs;
}

interface OwnPush {
  readonly fixup: Fixup;
  readonly outcome: SessionOutcome & { readonly kind: 'pushed' };
}

type Found = Pick<TakenBack, 'commitSha' | 'action'>;

/**
 * The commit of Ratchet that a person's pushes reverted; null if none (resolution S19). Contents decide, not messages or ancestry:
 * a rebase keeps a change under another name, and a revert has many forms. Only a merge without conflicts has no content of its
 * own, so it is reverted if the head does not contain it any more. Considers pushes since somebody last asked for a fresh start.
 */
export async function findTakenBack(
  deps: Pick<Deps, 'github' | 'log' | 'store'>,
  revert: Revert,
  signal: AbortSignal,
): Promise<TakenBack | null> {
  const pushes = findOwnPushes(deps, revert.workspace);
  try {
    const found =
      (await findRestored(deps, revert, pushes, signal)) ?? (await findDropped(deps, revert, pushes, signal));
    if (found === null) return null;
    const { range, by, now } = revert;
    return { ...found, by, headSha: range.headSha, at: now };
  } catch (error) {
    if (!(error instanceof GitHubError) || error.code === 'RATE_LIMITED') throw error;
    deps.log.warn({ key: revert.workspace.key, error, code: error.code }, 'a push could not be compared with a fixup');
    return null;
  }
}

/** Newest first. An undo is none: whoever takes it back wants the fixup. */
function findOwnPushes({ store }: Pick<Deps, 'store'>, { key, askedAt }: Workspace): readonly OwnPush[] {
  return store.endedSessions(key, REMEMBERED_SESSIONS).flatMap(({ fixup, outcome, endedAt }) => {
    if (fixup === null || fixup.undo !== undefined || outcome?.kind !== 'pushed' || (endedAt ?? 0) < (askedAt ?? 0))
      return [];
    return [{ fixup, outcome }];
  });
}

async function findRestored(
  { github }: Pick<Deps, 'github'>,
  { workspace, range }: Revert,
  pushes: readonly OwnPush[],
  signal: AbortSignal,
): Promise<Found | null> {
  const files = pushes.flatMap((push) => push.outcome.files.map((path) => ({ push, path }))).slice(0, MAX_FILES);
  if (files.length === 0) return null;
  const refs = files.flatMap(({ push, path }) => toRefs(push, path, range));
  const blobs = await github.readBlobs(workspace.repository, refs, signal);
  const found = files.find((_file, index) => isTakenBack([toVersions(blobs.slice(index * VERSIONS))]));
  return found === undefined ? null : toFound(found.push);
}

function toFound({ fixup, outcome }: OwnPush): Found {
  return { commitSha: outcome.commitSha, action: fixup.action };
}

const VERSIONS = 4;

function toRefs({ fixup, outcome }: OwnPush, path: string, { fromSha, headSha }: Revert['range']): readonly BlobRef[] {
  return [fixup.headSha, outcome.commitSha, fromSha, headSha].map((sha) => ({ sha, path }));
}

function toVersions([before, ours, previous, now]: readonly (Blob | null)[]): FileVersions {
  return { before: toText(before), ours: toText(ours), previous: toText(previous), now: toText(now) };
}

/** The name of a content that has no text serves too: equal names mean equal contents. */
function toText(blob: Blob | null | undefined): string | null {
  return blob === null || blob === undefined ? null : (blob.text ?? blob.oid);
}

/** The last merge of the base, by Ratchet or by GitHub at its request, if the head does not contain that base any more. */
async function findDropped(
  { github }: Pick<Deps, 'github'>,
  { workspace, range }: Revert,
  pushes: readonly OwnPush[],
  signal: AbortSignal,
): Promise<Found | null> {
  const merge = findLastMerge(workspace, pushes);
  if (merge === null) return null;
  const { baseSha, ...found } = merge;
  const isIn = async (headSha: Sha): Promise<boolean> =>
    (await github.readMergeBase(workspace.repository, baseSha, headSha, signal)) === baseSha;
  return (await isIn(range.fromSha)) && !(await isIn(range.headSha)) ? found : null;
}

function findLastMerge(
  { branchUpdate, lastPushSha }: Revert['workspace'],
  pushes: readonly OwnPush[],
): (Found & { readonly baseSha: Sha }) | null {
  const action = 'FIX_MERGE_CONFLICT';
  if (
    branchUpdate !== null &&
    lastPushSha !== null &&
    !pushes.some(({ outcome }) => outcome.commitSha === lastPushSha)
  ) {
    return { commitSha: lastPushSha, action, baseSha: branchUpdate.baseSha };
  }
  const merge = pushes.find(({ fixup }) => fixup.action === action);
  return merge === undefined ? null : { ...toFound(merge), baseSha: merge.fixup.baseSha };
}
