/** The bytes of a path below a folder. Names need not be text, so `path` has one character for each byte. */
export function toBytes(root: string, path: string): Buffer {
  return path === '' ? Buffer.from(root) : Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, 'latin1')]);
}

/** The path as people read it. */
export function toShownPath(path: string): string {
  return Buffer.from(path, 'latin1').toString('utf8');
}
