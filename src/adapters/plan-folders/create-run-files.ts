import { mkdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { RepositoryError } from '../../core/model/errors.ts';
import type { RunFiles, RunFilesStore } from '../../ports/plan-folders.ts';
import { parseStoredPart, toStoredPart } from '../../schemas/stored-plan-files.ts';
import { listByAge } from '../../system/aged-folders.ts';
import { removeTree } from '../../system/remove-tree.ts';
import { isMissing } from './read-entry.ts';

const PRIVATE = { recursive: true, mode: 0o700 } as const;

/** Keeps the files of runs below `folder`: one folder for each run, with its blobs and a few JSON files. Copies lie below `copies`. */
export function createRunFiles({
  folder,
  copies,
}: {
  readonly folder: string;
  readonly copies: string;
}): RunFilesStore {
  return {
    has: async (runId) => (await stat(join(folder, runId)).catch(() => null)) !== null,
    open: async (runId, part) => {
      const root = join(folder, runId);
      const own = part === 'run' ? root : join(root, part);
      await mkdir(join(root, 'blobs'), PRIVATE);
      await mkdir(own, PRIVATE);
      // The age of the run: its last use.
      await utimes(root, new Date(), new Date());
      return toFiles(own, { blobs: join(root, 'blobs'), copy: join(copies, `${runId}-${part}`) });
    },
    list: async () => {
      const found = await listByAge(folder);
      return found.map((aged) => ({ runId: basename(aged.folder), usedAt: aged.usedAt }));
    },
    remove: async (runId) => {
      for (const part of ['run', 'undo']) await removeFolder(join(copies, `${runId}-${part}`));
      await removeFolder(join(folder, runId));
    },
  };
}

function toFiles(own: string, { blobs, copy }: Pick<RunFiles, 'blobs' | 'copy'>): RunFiles {
  const toPath = (name: string): string => join(own, `${name}.json`);
  return {
    copy,
    blobs,
    load: async (name) => {
      const text = await readFile(toPath(name), 'utf8').catch((error: unknown) => {
        if (isMissing(error)) return null;
        throw error;
      });
      return text === null ? null : parseStoredPart(name, JSON.parse(text));
    },
    save: async (name, value) => {
      const temporary = `${toPath(name)}.tmp`;
      await writeFile(temporary, JSON.stringify(toStoredPart(value)), { mode: 0o600 });
      await rename(temporary, toPath(name));
    },
    forget: (name) => rm(toPath(name), { force: true }),
    removeCopy: () => removeFolder(copy),
    keepArtifact: async (name, content) => {
      await mkdir(join(own, 'artifacts'), PRIVATE);
      const path = join(own, 'artifacts', basename(name));
      await writeFile(path, content, { mode: 0o600 });
      return path;
    },
  };
}

async function removeFolder(folder: string): Promise<void> {
  if (await removeTree(folder)) return;
  throw new RepositoryError('DISK_FAILED', `${folder} cannot be removed`, { retry: 'later' });
}
