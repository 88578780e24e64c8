import { WorkplaceError } from '../../../core/model/errors.ts';
import type { ActionAdapter, ActionEnd, Compensation } from '../../../ports/execution.ts';
import type { FileRecord, PreImage, Workplace } from '../../../ports/workplace.ts';

/** The schema of a plan has checked the parameters, so these cannot be missing. */
export type Params = Readonly<Record<string, unknown>>;

/** A local action costs no money. */
const FREE = 0;

export function done(output: string): ActionEnd {
  return { kind: 'completed', output, costUsd: null };
}

export function failed(message: string, output = ''): ActionEnd {
  return { kind: 'failed', isTransient: false, message, output, costUsd: null };
}

/** What an action that changes one file defines. */
export interface FileAction {
  readonly actionType: string;
  readonly toolName: string;
  /** Whether a link at the path is changed itself, or what it leads to. */
  readonly of: 'entry' | 'target';
  readonly act: (params: Params, path: string, place: Workplace) => Promise<ActionEnd>;
}

/** An action that changes one file, which is recorded before it and brought back by the undo. */
export function createFileAction({ actionType, toolName, of, act }: FileAction): ActionAdapter<Workplace> {
  return {
    actionType,
    toolName,
    estimateUsd: FREE,
    prepareUndo: async ({ params }, { place }) => {
      try {
        return { ...(await place.record(String(params['path']), of)) };
      } catch (error) {
        // The action fails for the same reason, and changes nothing.
        if (error instanceof WorkplaceError) return null;
        throw error;
      }
    },
    act: async ({ params }, { place }) => {
      try {
        return await act(params, String(params['path']), place);
      } catch (error) {
        if (error instanceof WorkplaceError) return failed(error.message);
        throw error;
      }
    },
    undo: async (compensation, place) => {
      await place.restore(toFileRecord(compensation));
      return { note: null };
    },
  };
}

/** What `prepareUndo` gave, read back from the store. @throws WorkplaceError if it is damaged. */
function toFileRecord({ path, was, newFolders }: Compensation): FileRecord {
  const image = was === null ? null : toPreImage(was);
  if (typeof path !== 'string' || !Array.isArray(newFolders) || image === undefined) {
    throw new WorkplaceError('DISK_FAILED', 'the record of the file is damaged');
  }
  return { path, was: image, newFolders: newFolders.map(String) };
}

function toPreImage(was: unknown): PreImage | undefined {
  if (typeof was !== 'object' || was === null || !('kind' in was)) return undefined;
  if (was.kind === 'link' && 'target' in was) return { kind: 'link', target: String(was.target) };
  if (was.kind !== 'file' || !('mode' in was) || !('blob' in was)) return undefined;
  return { kind: 'file', mode: Number(was.mode), blob: String(was.blob) };
}
