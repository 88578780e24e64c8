import { constants, link, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError, toError } from '../../core/model/errors.ts';
import type { RegisteredApp } from '../../core/model/registered-app.ts';
import type { AppFile } from '../../ports/app-registrar.ts';
import { RegisteredAppFile } from '../../schemas/registered-app.ts';

const NAME = 'github-app.json';
const VERSION = 1;
const MAX_BYTES = 65_536;
const OTHERS = 0o077;

/** The file of the App in the data folder. `newId` names the file while it is written. */
export function createAppFile({ dataDir, newId }: { readonly dataDir: string; readonly newId: () => string }): AppFile {
  const path = join(dataDir, NAME);
  return {
    path,
    async read() {
      const text = await readPrivate(path);
      return text === null ? null : parse(path, text);
    },
    async create(app) {
      await mkdir(dataDir, { recursive: true, mode: 0o711 });
      const written = `${path}.${newId()}`;
      try {
        await write(written, `${JSON.stringify({ version: VERSION, app }, null, 2)}\n`);
        // Unlike a rename, a link never replaces a file.
        await link(written, path);
      } finally {
        await rm(written, { force: true });
      }
      await sync(dataDir);
    },
  };
}

async function write(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** The new name must be on the disk, too. */
async function sync(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Null: there is no file. @throws ConfigError if others can read it, or it is no file. */
async function readPrivate(path: string): Promise<string | null> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stat = await file.stat();
      if (!stat.isFile()) throw unusable(path, 'it is not a file');
      if ((stat.mode & OTHERS) !== 0) throw unusable(path, `others can read it: chmod 600 ${path}`);
      if (stat.size > MAX_BYTES) throw unusable(path, 'it is too long');
      return await file.readFile('utf8');
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    if (isMissing(error)) return null;
    throw unusable(path, toError(error).message);
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}

function parse(path: string, text: string): RegisteredApp {
  const parsed = RegisteredAppFile.safeParse(parseJson(text));
  if (!parsed.success) {
    const where = parsed.error.issues[0]?.path.join('.') ?? '';
    throw unusable(path, `it is damaged${where === '' ? '' : ` (${where})`}: restore it from a backup`);
  }
  return parsed.data.app;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function unusable(path: string, why: string): ConfigError {
  return new ConfigError([`the stored GitHub App ${path} cannot be used: ${why}`]);
}
