import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { isTemporaryName } from '../../core/execution/plan-path.ts';
import { isGitFolder } from '../../core/judge/unsafe-entries.ts';
import { ConfigError, toError } from '../../core/model/errors.ts';
import { toBytes, toShownPath } from './raw-path.ts';

/** Half of what the sandbox lets a command have, so that the steps of a plan have room. */
const MAX_ENTRIES = 250_000;

/** An entry as the folder lists it. `path` has one character for each byte. */
export interface Walked {
  readonly path: string;
  readonly entry: Dirent<Buffer>;
}

/** All entries below the folder, each folder before what it contains, without `.git`. Follows no links. */
export async function* walkFolder(root: string, signal: AbortSignal): AsyncGenerator<Walked> {
  const open = [''];
  let count = 0;
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    signal.throwIfAborted();
    for (const entry of await list(root, folder)) {
      const name = entry.name.toString('latin1');
      if (isGitFolder(toShownPath(name)) || isTemporaryName(name)) continue;
      count += 1;
      if (count > MAX_ENTRIES) throw new ConfigError([`${root} has more than ${MAX_ENTRIES} files and folders`]);
      const path = folder === '' ? name : `${folder}/${name}`;
      if (entry.isDirectory()) open.push(path);
      yield { path, entry };
    }
  }
}

async function list(root: string, folder: string): Promise<readonly Dirent<Buffer>[]> {
  try {
    return await readdir(toBytes(root, folder), { withFileTypes: true, encoding: 'buffer' });
  } catch (error) {
    throw new ConfigError([`${root}: a folder cannot be read: ${toError(error).message}`]);
  }
}
