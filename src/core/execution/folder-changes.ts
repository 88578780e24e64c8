import type { FolderChange, FolderEntry, FolderState } from '../model/folder-state.ts';

/**
 * What differs between two states of a folder, in the order in which it can be carried out: removals from the deepest path up, then the
 * rest from the top down.
 */
export function findFolderChanges(before: FolderState, after: FolderState): readonly FolderChange[] {
  const changes = [...new Set([...before.keys(), ...after.keys()])].flatMap((path) => {
    const change = { path, before: before.get(path) ?? null, after: after.get(path) ?? null };
    return isSameEntry(change.before, change.after) ? [] : [change];
  });
  return inOrder(changes);
}

function inOrder(changes: readonly FolderChange[]): readonly FolderChange[] {
  const byPath = changes.toSorted((left, right) => (left.path < right.path ? -1 : 1));
  return [...byPath.filter(isRemoval).toReversed(), ...byPath.filter((change) => !isRemoval(change))];
}

/** What is to be done about a change where `now` is: nothing more, carry it out, or keep what somebody else put there. */
export function judgeFolderChange(change: FolderChange, now: FolderEntry | null): 'done' | 'write' | 'conflict' {
  if (isSameEntry(now, change.after)) return 'done';
  return isSameEntry(now, change.before) ? 'write' : 'conflict';
}

function isRemoval({ after }: FolderChange): boolean {
  return after === null;
}

function isSameEntry(left: FolderEntry | null, right: FolderEntry | null): boolean {
  return left === right || (left !== null && right !== null && toIdentity(left) === toIdentity(right));
}

function toIdentity(entry: FolderEntry): string {
  if (entry.kind === 'link') return `link ${entry.target}`;
  return `${entry.kind} ${entry.mode} ${entry.kind === 'file' ? entry.hash : ''}`;
}

/** Changes of an undo, and those that would take away what somebody did since the run ended. */
export interface UndoChanges {
  readonly ours: readonly FolderChange[];
  readonly theirs: readonly FolderChange[];
}

/**
 * Splits the changes of an undo by whether each path is as the run left it. `before` and `made`: those of the run. Folders that the run made
 * are ours to remove; whoever removes them leaves one that is not empty.
 */
export function splitUndoChanges(
  changes: readonly FolderChange[],
  { before, made }: { readonly before: FolderState; readonly made: readonly FolderChange[] },
): UndoChanges {
  const left = new Map(made.map(({ path, after }) => [path, after]));
  const isOurs = (change: FolderChange): boolean => {
    const after = left.get(change.path);
    return isSameEntry(change.before, after === undefined ? (before.get(change.path) ?? null) : after);
  };
  const changed = new Set(changes.map(({ path }) => path));
  const folders = made.flatMap((change) =>
    change.before === null && change.after?.kind === 'folder' && !changed.has(change.path)
      ? [{ path: change.path, before: change.after, after: null }]
      : [],
  );
  return {
    ours: inOrder([...changes.filter(isOurs), ...folders]),
    theirs: changes.filter((change) => !isOurs(change)),
  };
}
