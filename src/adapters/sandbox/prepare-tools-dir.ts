import { chmod, copyFile, link, mkdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { ConfigError } from '../../core/model/errors.ts';

const VERSION = /^v\d+\.\d+\.\d+[\w.-]*$/;
const VERSION_TIMEOUT_MS = 10_000;
/** Next to this file, also in the bundle. */
const BRIDGE_PROGRAM = fileURLToPath(new URL('relay-bridge-program.mjs', import.meta.url));
const PASS_THROUGH_MODE = 0o711;

/** The program in the tools folder that leads ports to relays. */
export function toBridgePath(toolsDir: string): string {
  return join(toolsDir, 'lib', basename(BRIDGE_PROGRAM));
}

/** The tools folder of the sandboxes. */
export interface Tools {
  /** Mounted at the same path. Its `bin` is first on PATH in the sandbox. */
  readonly toolsDir: string;
  readonly nodePath: string;
  /** The new paths of the given programs, in the same order. */
  readonly programPaths: readonly string[];
}

/**
 * Copies or links the running Node, and copies the bridge to relays and `programs` (plain files), to where every sandbox user
 * can read them: a developer's Node is often in a private home folder. Idempotent and safe to run concurrently. Throws `ConfigError` if
 * `nodePath` is not Node.
 */
export async function prepareToolsDir(options: {
  readonly dataDir: string;
  readonly nodePath: string;
  readonly programs?: readonly string[];
  /** Returns a unique id for temporary names. */
  readonly newId: () => string;
}): Promise<Tools> {
  const version = await readNodeVersion(options.nodePath);
  await mkdir(options.dataDir, { recursive: true, mode: PASS_THROUGH_MODE });
  const toolsDir = join(await realpath(options.dataDir), 'tools', version);
  const nodePath = join(toolsDir, 'bin', 'node');
  await makeOpenFolders([dirname(toolsDir), toolsDir, dirname(nodePath), join(toolsDir, 'lib')]);
  if (!(await isSameSize(options.nodePath, nodePath))) {
    await place(nodePath, options.newId(), (draft) => linkOrCopy(options.nodePath, draft));
  }
  await place(toBridgePath(toolsDir), options.newId(), (draft) => copyOpen(BRIDGE_PROGRAM, draft));
  const programPaths: string[] = [];
  for (const program of options.programs ?? []) {
    const path = join(toolsDir, 'lib', basename(program));
    await place(path, options.newId(), (draft) => copyOpen(program, draft));
    programPaths.push(path);
  }
  return { toolsDir, nodePath, programPaths };
}

async function readNodeVersion(nodePath: string): Promise<string> {
  const result = await execa(nodePath, ['--version'], {
    env: {},
    extendEnv: false,
    reject: false,
    timeout: VERSION_TIMEOUT_MS,
  });
  const version = result.stdout.trim();
  if (VERSION.test(version)) return version;
  throw new ConfigError([`${nodePath} is no Node: --version did not print one`]);
}

async function makeOpenFolders(folders: readonly string[]): Promise<void> {
  for (const folder of folders) {
    await mkdir(folder, { recursive: true });
    // Set independently of the umask: the sandbox's users need access.
    await chmod(folder, 0o755);
  }
}

/** Writes the file under a temporary name first, so that nobody reads an incomplete file. */
async function place(path: string, id: string, make: (draft: string) => Promise<void>): Promise<void> {
  const draft = `${path}.${id}`;
  try {
    await make(draft);
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
}

/** A hard link is free, but needs the same disk and the right to link, and shares its mode with the original. */
async function linkOrCopy(source: string, draft: string): Promise<void> {
  const { mode } = await stat(source);
  if ((mode & 0o755) !== 0o755) {
    await copyOpen(source, draft);
    return;
  }
  try {
    await link(await realpath(source), draft);
  } catch {
    await copyOpen(source, draft);
  }
}

async function copyOpen(source: string, draft: string): Promise<void> {
  await copyFile(source, draft);
  await chmod(draft, 0o755);
}

async function isSameSize(source: string, target: string): Promise<boolean> {
  try {
    return (await stat(source)).size === (await stat(target)).size;
  } catch {
    return false;
  }
}
