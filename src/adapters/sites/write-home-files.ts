import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { SiteCommand } from '../../ports/site.ts';
import { cannotKeep } from './site-parts.ts';

/**
 * Checks the files that a command wants in its home folder, before it starts. They go into an empty home only: in one that another
 * command used, a link could lead elsewhere.
 * @throws SiteError (`CANNOT_KEEP`)
 */
export function requireHomeFiles(
  command: Pick<SiteCommand, 'homeFiles'>,
  isHomeEmpty: boolean,
): readonly [string, string][] {
  const files = Object.entries(command.homeFiles ?? {});
  if (files.length > 0 && !isHomeEmpty) throw cannotKeep('files of the home folder need an empty one');
  const bad = files.find(([path]) => !isPlainPath(path));
  if (bad !== undefined) throw cannotKeep(`${JSON.stringify(bad[0])} is not a path in a home folder`);
  return files;
}

/** Writes checked files. Only the owner of the folder may read them. */
export async function writeHomeFiles(home: string, files: readonly (readonly [string, string])[]): Promise<void> {
  for (const [path, text] of files) {
    await mkdir(dirname(join(home, path)), { recursive: true, mode: 0o700 });
    await writeFile(join(home, path), text, { mode: 0o600, flag: 'wx' });
  }
}

function isPlainPath(path: string): boolean {
  return !path.includes('\0') && path.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}
