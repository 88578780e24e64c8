import { createFileAction, done, failed } from './file-action.ts';

const MAX_BYTES = 64 * 1024 * 1024;

/** `modify_file`: replaces the content of a file, or one text in it that occurs exactly once. The mode stays. */
export const modifyFile = createFileAction({
  actionType: 'modify_file',
  toolName: 'change a file',
  of: 'target',
  act: async ({ content, old, new: replacement }, path, place) => {
    const before = await place.readFile(path, MAX_BYTES);
    if (before === null) return failed(`${JSON.stringify(path)} does not exist`);
    if (typeof content === 'string') {
      await place.writeFile(path, Buffer.from(content), null);
      return done('');
    }
    // Bytes, because the rest of the file need not be text.
    const found = findOnce(Buffer.from(before), Buffer.from(String(old)));
    if (typeof found === 'string') return failed(`${JSON.stringify(path)}: the text to replace ${found}`);
    await place.writeFile(path, Buffer.concat([found.head, Buffer.from(String(replacement)), found.tail]), null);
    return done('');
  },
});

function findOnce(bytes: Buffer, text: Buffer): string | { readonly head: Buffer; readonly tail: Buffer } {
  const at = bytes.indexOf(text);
  if (at < 0) return 'does not occur';
  let count = 1;
  for (let next = bytes.indexOf(text, at + 1); next >= 0; next = bytes.indexOf(text, next + 1)) count += 1;
  if (count > 1) return `occurs ${count} times, so it is not clear which one is meant`;
  return { head: bytes.subarray(0, at), tail: bytes.subarray(at + text.length) };
}
