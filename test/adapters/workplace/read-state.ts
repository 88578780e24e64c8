import { chmod, lstat, readdir, readFile, readlink } from 'node:fs/promises';

/** Everything below a folder: kind, mode and content of each entry, by path (one character for each byte). Needs no rights but the owner's. */
export async function readState(root: string): Promise<Readonly<Record<string, string>>> {
  const state: Record<string, string> = {};
  for (const name of (await readdir(root, { encoding: 'latin1' as const })).toSorted()) {
    const path = Buffer.concat([Buffer.from(`${root}/`, 'latin1'), Buffer.from(name, 'latin1')]);
    const stats = await lstat(path);
    const bits = stats.mode & 0o7777;
    const mode = bits.toString(8);
    if (stats.isSymbolicLink()) state[name] = `link ${await readlink(path)}`;
    else if (!stats.isFile() && !stats.isDirectory()) state[name] = 'special';
    else {
      await chmod(path, bits | 0o700);
      if (stats.isFile()) state[name] = `file ${mode} ${(await readFile(path)).toString('base64')}`;
      else {
        state[name] = `folder ${mode}`;
        for (const [below, value] of Object.entries(await readState(path.toString('latin1'))))
          state[`${name}/${below}`] = value;
      }
      await chmod(path, bits);
    }
  }
  return state;
}
