import { findFolderChanges } from '../../core/execution/folder-changes.ts';
import type { FolderChange, FolderState } from '../../core/model/folder-state.ts';
import type { PlanFolders, RunFiles, RunNotes, WriteBack } from '../../ports/plan-folders.ts';
import type { Workplace } from '../../ports/workplace.ts';

/** A place to work on, open. */
export interface OpenPlace {
  readonly place: Workplace;
  readonly close: () => Promise<void>;
}

/** Work on a copy of a person's folder. */
export interface CopyWork {
  /** The person's folder: absolute, links resolved. */
  readonly folder: string;
  readonly folders: PlanFolders;
  readonly files: RunFiles;
  readonly openPlace: (root: string) => Promise<OpenPlace>;
  /** `stopped`: the work can go on later, in the same copy. `discarded`: what it did is to be forgotten. */
  readonly work: (place: Workplace) => Promise<'ended' | 'stopped' | 'discarded'>;
  /** Chooses among the changes what is to be brought back, and says what a person must know. */
  readonly choose: (changes: readonly FolderChange[]) => Promise<{
    readonly changes: readonly FolderChange[];
    readonly notes: RunNotes;
  }>;
  readonly mode: 'all-or-nothing' | 'rest';
}

export type CopyEnd =
  | { readonly kind: 'stopped' }
  | { readonly kind: 'ended'; readonly back: WriteBack; readonly notes: RunNotes };

/**
 * Copies a folder, works on the copy, and brings the changes back. Each part is stored when it is done, so after a crash the same call goes
 * on with the part that was not.
 */
export async function runOnCopy(work: CopyWork, signal: AbortSignal): Promise<CopyEnd> {
  const { files, folder, folders, mode } = work;
  const done = await files.load('end');
  if (done !== null && done.conflicts.length === 0) return toEnd(files, done);
  const planned = (await files.load('changes')) ?? (await makeChanges(work, signal));
  if (planned === null) return { kind: 'stopped' };
  const back = await folders.writeBack(planned, { folder, copy: files.copy, mode });
  await files.save('end', back);
  // With conflicts, the copy is the only place where the result is.
  if (back.conflicts.length === 0) await files.removeCopy();
  return toEnd(files, back);
}

async function toEnd(files: RunFiles, back: WriteBack): Promise<CopyEnd> {
  return { kind: 'ended', back, notes: (await files.load('notes')) ?? { kept: [], remarks: [], isWhole: true } };
}

/** null: the work was stopped. */
async function makeChanges(work: CopyWork, signal: AbortSignal): Promise<readonly FolderChange[] | null> {
  const { files, folders } = work;
  const { before, uncopied } = await takeCopy(work, signal);
  const { place, close } = await work.openPlace(files.copy);
  let end: Awaited<ReturnType<CopyWork['work']>>;
  try {
    end = await work.work(place);
  } finally {
    await close();
  }
  if (end === 'stopped') return null;
  // Not to be stopped: everything is done but this.
  const found = end === 'discarded' ? null : await folders.read(files.copy, new AbortController().signal);
  const { changes, notes } = await work.choose(found === null ? [] : findFolderChanges(before, found.state));
  const left = [...uncopied, ...(found?.left ?? [])].map(
    (path) => `${path} is no file, folder or link: it is left out`,
  );
  await files.save('notes', { ...notes, remarks: [...left, ...notes.remarks] });
  await files.save('changes', changes);
  return changes;
}

async function takeCopy(
  { files, folder, folders }: CopyWork,
  signal: AbortSignal,
): Promise<{ readonly before: FolderState; readonly uncopied: readonly string[] }> {
  const before = await files.load('before');
  if (before !== null) return { before, uncopied: [] };
  const { state, left } = await folders.copy(folder, files.copy, signal);
  await files.save('before', state);
  return { before: state, uncopied: left };
}
