/**
 * What `node:fs` takes for a raw path below `root`: one character for each byte, because names need not be UTF-8; that of the root
 * itself is empty.
 */
export function toBytes(root: string, raw: string): Buffer {
  if (raw === '') return Buffer.from(root, 'utf8');
  return Buffer.concat([Buffer.from(`${root}/`, 'utf8'), Buffer.from(raw, 'latin1')]);
}

/** For people. */
export function toShown(raw: string): string {
  return Buffer.from(raw, 'latin1').toString('utf8');
}
