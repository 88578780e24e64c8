import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Writes an empty repository to `gitDir`. Writing the few small files is cheaper than a `git init` process, and no
 * template of the machine is used. `alternates` is an objects folder to borrow from; `head` is `ref: …` or a commit.
 */
export async function writeRepository(
  gitDir: string,
  options: { readonly bare: boolean; readonly head: string; readonly alternates: string | null; readonly mode: number },
): Promise<void> {
  await mkdir(gitDir, { recursive: true, mode: options.mode });
  await Promise.all([
    mkdir(join(gitDir, 'objects', 'info'), { recursive: true }),
    mkdir(join(gitDir, 'objects', 'pack'), { recursive: true }),
    mkdir(join(gitDir, 'refs', 'heads'), { recursive: true }),
  ]);
  await Promise.all([
    writeFile(join(gitDir, 'config'), toConfig(options.bare)),
    options.alternates === null
      ? null
      : writeFile(join(gitDir, 'objects', 'info', 'alternates'), `${options.alternates}\n`),
  ]);
  // HEAD goes last: it makes the folder a repository.
  await writeFile(join(gitDir, 'HEAD'), `${options.head}\n`);
}

function toConfig(bare: boolean): string {
  return [
    '[core]',
    '\trepositoryformatversion = 0',
    '\tfilemode = true',
    `\tbare = ${String(bare)}`,
    '[gc]',
    '\tauto = 0',
    '\tpruneExpire = never',
    '',
  ].join('\n');
}
