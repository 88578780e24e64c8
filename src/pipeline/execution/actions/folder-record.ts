import type { ActionAdapter, Compensation } from '../../../ports/execution.ts';
import type { KeptByUndo, Workplace } from '../../../ports/workplace.ts';

const MAX_SHOWN_FOLDERS = 5;

/** The undo of an action that may change anything: the files of the workplace are recorded before it, and brought back. */
export async function prepareRecord(place: Workplace, signal: AbortSignal): Promise<Compensation> {
  return { record: await place.recordAll(signal) };
}

export function restoresRecord({ record }: Compensation): boolean {
  return typeof record === 'string';
}

export const undoRecord: ActionAdapter<Workplace>['undo'] = async ({ record }, place, signal) => ({
  note: toNote(await place.restoreAll(String(record), signal)),
});

function toNote({ ignored, newGit }: KeptByUndo): string | null {
  const notes = [
    ...(ignored.length === 0 ? [] : [`ignored folders were left as they are: ${toList(ignored)}`]),
    ...(newGit.length === 0 ? [] : [`what a command made for git was not removed: ${toList(newGit)}`]),
  ];
  return notes.length === 0 ? null : notes.join('; ');
}

function toList(paths: readonly string[]): string {
  const more = paths.length > MAX_SHOWN_FOLDERS ? ` and ${paths.length - MAX_SHOWN_FOLDERS} more` : '';
  return `${paths.slice(0, MAX_SHOWN_FOLDERS).join(', ')}${more}`;
}
