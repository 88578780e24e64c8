import { WorkplaceError } from '../../../core/model/errors.ts';
import type { ActionAdapter } from '../../../ports/execution.ts';
import type { Workplace } from '../../../ports/workplace.ts';
import { done, failed } from './file-action.ts';

const MAX_BYTES = 64 * 1024 * 1024;

/** `read_file`: the text of a file is the output of the step. Fails for what is no UTF-8, because its output would be another text. */
export const readFile: ActionAdapter<Workplace> = {
  actionType: 'read_file',
  toolName: 'read a file',
  estimateUsd: 0,
  prepareUndo: async () => null,
  act: async ({ params }, { place }) => {
    const path = String(params['path']);
    try {
      const bytes = await place.readFile(path, MAX_BYTES);
      return bytes === null ? failed(`${JSON.stringify(path)} does not exist`) : done(decode(bytes));
    } catch (error) {
      if (error instanceof WorkplaceError) return failed(error.message);
      if (error instanceof TypeError) return failed(`${JSON.stringify(path)} is not UTF-8 text`);
      throw error;
    }
  },
  // Reading changes nothing, so no compensation was stored.
  undo: async () => ({ note: null }),
};

function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
}
