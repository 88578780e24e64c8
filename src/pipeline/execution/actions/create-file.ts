import type { FileMode } from '../../../ports/workplace.ts';
import { createFileAction, done, failed } from './file-action.ts';

/** `create_file`: fails if anything is at the path already. */
export const createFile = createFileAction({
  actionType: 'create_file',
  toolName: 'create a file',
  of: 'entry',
  act: async ({ content, mode }, path, place) => {
    if (await place.has(path)) return failed(`${JSON.stringify(path)} exists already`);
    await place.writeFile(path, Buffer.from(String(content)), toMode(mode));
    return done('');
  },
});

function toMode(mode: unknown): FileMode {
  return mode === '100755' ? '100755' : '100644';
}
