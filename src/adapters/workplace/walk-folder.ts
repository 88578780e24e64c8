import { isTemporaryName } from '../../core/execution/plan-path.ts';
import { isGitFolder } from '../../core/judge/unsafe-entries.ts';
import { toError, WorkplaceError } from '../../core/model/errors.ts';
import { toShown } from '../../system/raw-path.ts';
import { type WalkedEntry, type WalkProblem, walkFolder } from '../../system/walk-folder.ts';
import { closeFolders, type OpenedFolder, openFolder } from './open-folder.ts';

/** What a walk does besides. */
export interface PlaceWalk {
  /** Folders whose insides are left out. */
  readonly isLeftOut: (entry: WalkedEntry) => boolean;
  /** Folders that were closed to their owner stay open after the walk. */
  readonly opensForGood: boolean;
  /** Told of what belongs to git, and of what a killed process left over. Neither is walked. */
  readonly onHidden?: (path: string, what: 'git' | 'temporary') => void;
}

const MAX_ENTRIES = 500_000;

/** Everything below `root`. A command may have locked its own user out of a folder: that one is opened for the walk. */
export async function* walkPlace(
  root: string,
  { isLeftOut, opensForGood, onHidden }: PlaceWalk,
  signal: AbortSignal,
): AsyncGenerator<WalkedEntry> {
  const opened: OpenedFolder[] = [];
  const isHidden = (path: string, name: string): boolean => {
    const what = findHidden(name);
    if (what !== null) onHidden?.(path, what);
    return what !== null;
  };
  const enter = async (folder: Buffer): Promise<void> => {
    const wasClosed = await openFolder(folder);
    if (wasClosed !== null) opened.push(wasClosed);
  };
  try {
    yield* walkFolder(root, { maxEntries: MAX_ENTRIES, isHidden, isLeftOut, enter, toError: toProblem }, signal);
  } finally {
    if (!opensForGood) await closeFolders(opened);
  }
}

function findHidden(name: string): 'git' | 'temporary' | null {
  if (isGitFolder(toShown(name))) return 'git';
  return isTemporaryName(name) ? 'temporary' : null;
}

function toProblem(problem: WalkProblem, cause: unknown): Error {
  switch (problem) {
    case 'too_many':
      return new WorkplaceError('TOO_LARGE', `the folder has more than ${MAX_ENTRIES} entries`);
    case 'too_long':
      return new WorkplaceError('TOO_LARGE', 'the folder has paths that are longer than the system allows', cause);
    case 'unreadable':
      return toError(cause);
  }
}
