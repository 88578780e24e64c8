import { chmod, lstat } from 'node:fs/promises';

/** A folder that was opened, and the mode that it had. */
export interface OpenedFolder {
  readonly folder: Buffer;
  readonly mode: number;
}

export const OWNER_ALL = 0o700;
export const MODE_BITS = 0o7777;

/** Lets the owner of a folder look, enter and write, whatever a command did to it. null: the owner could do so already. */
export async function openFolder(folder: Buffer): Promise<OpenedFolder | null> {
  const mode = (await lstat(folder)).mode & MODE_BITS;
  if ((mode & OWNER_ALL) === OWNER_ALL) return null;
  await chmod(folder, mode | OWNER_ALL);
  return { folder, mode };
}

/** Gives folders their modes back: those within others, which come later, first. */
export async function closeFolders(opened: readonly OpenedFolder[]): Promise<void> {
  for (const { folder, mode } of opened.toReversed()) await chmod(folder, mode);
}
