import { createFileAction, done, failed } from './file-action.ts';

/** `delete_file`: removes a file, or a link and not its target. Fails if nothing is there. */
export const deleteFile = createFileAction({
  actionType: 'delete_file',
  toolName: 'delete a file',
  of: 'entry',
  act: async (_params, path, place) =>
    (await place.removeFile(path)) ? done('') : failed(`${JSON.stringify(path)} does not exist`),
});
