/** A path with one character for each byte: names of files need not be UTF-8. */
export function toRaw(path: string): string {
  return Buffer.from(path, 'utf8').toString('latin1');
}

/** What `node:fs` takes for a raw path below `root`; that of the root itself is empty. */
export function toBytes(root: string, raw: string): Buffer {
  if (raw === '') return Buffer.from(root, 'utf8');
  return Buffer.concat([Buffer.from(`${root}/`, 'utf8'), Buffer.from(raw, 'latin1')]);
}

/** For people. */
export function toShown(raw: string): string {
  return Buffer.from(raw, 'latin1').toString('utf8');
}
