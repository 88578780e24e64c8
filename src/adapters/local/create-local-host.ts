import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, mkdir, open, readFile, readlink, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { toRawExit } from '../../core/engines/to-raw-exit.ts';
import type { RawExit } from '../../core/model/engine.ts';
import type { EngineHost, Invocation, InvocationResult } from '../../ports/engine-host.ts';
import type { Sandbox, SandboxOutcome } from '../../ports/sandbox.ts';

/** What engines run in at a terminal. */
export interface LocalHostOptions {
  /** Absolute, links resolved. */
  readonly root: string;
  /** As `EngineHost.files`. */
  readonly files: readonly string[];
  readonly dependencies: EngineHost['dependencies'];
  /** Runs the commands: its process handling is the same as the server's, without isolation. */
  readonly sandbox: Pick<Sandbox, 'run'>;
  /** Folder of this run alone, removed by who made it. */
  readonly scratch: string;
  /** Absolute path of the running Node. */
  readonly nodePath: string;
  /** Variables that tools get beside those that Ratchet sets: a few of the person's own. */
  readonly env: Readonly<Record<string, string>>;
}

const MAX_REPORT_BYTES = 256 * 1024 * 1024;
const HASHED_AT_ONCE = 32;

/**
 * The person's own checkout as an `EngineHost`: tools run in it as they would by hand, but with a clean environment, capped
 * output, a deadline, and no process left behind.
 */
export function createLocalHost(options: LocalHostOptions): EngineHost {
  const { root, files, dependencies, nodePath } = options;
  const artifacts = (name: string): string => join(options.scratch, 'runs', name);
  let hash: Promise<string> | null = null;
  return {
    root,
    files,
    dependencies,
    nodePath,
    artifacts,
    has: (path) => isThere(join(root, path)),
    readText: (path, maxBytes) => readRegular(join(root, path), maxBytes),
    contentHash: () => (hash ??= hashFiles(root, files)),
    run: (invocation, signal) => run(options, artifacts(invocation.name), invocation, signal),
  };
}

async function run(
  options: LocalHostOptions,
  folder: string,
  invocation: Invocation,
  signal: AbortSignal,
): Promise<InvocationResult> {
  const { sandbox, root, env, scratch } = options;
  if (!invocation.keepsArtifacts) await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const name of invocation.reports) await rm(join(folder, name), { recursive: true, force: true });
  const stdoutPath = join(scratch, `${invocation.name}.stdout`);
  const stderrPath = join(scratch, `${invocation.name}.stderr`);
  const outcome = await sandbox.run(
    {
      argv: invocation.argv,
      env: { NO_COLOR: '1', FORCE_COLOR: '0', CI: '1', ...env, ...invocation.env },
      cwd: join(root, invocation.cwd),
      stdin: '',
      mounts: [],
      slot: { index: 0, uid: null, gid: null },
      timeoutMs: invocation.timeoutMs,
      maxOutputBytes: invocation.maxOutputBytes,
      stdoutPath,
      stderrPath,
    },
    signal,
  );
  const reports = await Promise.all(
    invocation.reports.map(async (name) => [name, await readRegular(join(folder, name), MAX_REPORT_BYTES)] as const),
  );
  return {
    exit: await toExit(outcome, join(root, invocation.cwd)),
    stdout: await readOutput(stdoutPath),
    stderr: await readOutput(stderrPath),
    reports: Object.fromEntries(reports),
  };
}

/** The system says of a folder that is not there what it says of a program. */
async function toExit(outcome: SandboxOutcome, folder: string): Promise<RawExit> {
  const exit = toRawExit(outcome);
  return exit.kind === 'not_found' && !(await isThere(folder)) ? { ...exit, kind: 'not_launched' } : exit;
}

async function isThere(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null)) !== null;
}

async function readOutput(path: string): Promise<string> {
  const bytes = await readFile(path).catch(() => Buffer.alloc(0));
  return stripVTControlCharacters(new TextDecoder('utf-8').decode(bytes));
}

/** Never waits for a pipe; a link is the person's own business here. */
async function readRegular(path: string, maxBytes: number): Promise<string | null> {
  try {
    const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const found = await handle.stat();
      if (!found.isFile() || found.size > maxBytes) return null;
      return new TextDecoder('utf-8').decode(await handle.readFile());
    } finally {
      await handle.close();
    }
  } catch {
    return null;
  }
}

async function hashFiles(root: string, files: readonly string[]): Promise<string> {
  const all = createHash('sha256');
  for (let at = 0; at < files.length; at += HASHED_AT_ONCE) {
    const chunk = files.slice(at, at + HASHED_AT_ONCE);
    const hashes = await Promise.all(chunk.map((path) => hashFile(join(root, path))));
    for (const [index, path] of chunk.entries()) all.update(`${path}\0${hashes[index] ?? ''}\0`);
  }
  return all.digest('hex');
}

/** Of a link its target, as git keeps it; of a file that went away meanwhile nothing. */
async function hashFile(path: string): Promise<string> {
  try {
    const found = await lstat(path);
    const content = found.isSymbolicLink() ? await readlink(path) : await readFile(path);
    const mode = found.isSymbolicLink() ? 'link' : (found.mode & 0o100).toString();
    return `${mode}:${createHash('sha256').update(content).digest('hex')}`;
  } catch {
    return 'gone';
  }
}
