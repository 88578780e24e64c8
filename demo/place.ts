import { randomUUID } from 'node:crypto';
import { chmod, lstat, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createLog } from '../src/adapters/log/create-log.ts';
import { createBubblewrapSandbox } from '../src/adapters/sandbox/create-bubblewrap-sandbox.ts';
import { prepareToolsDir } from '../src/adapters/sandbox/prepare-tools-dir.ts';

const PROBE_TIMEOUT_MS = 15_000;
/** Users for sandboxes, by the process: a second demo, or an App, on the machine kills what runs as its own. */
export const UID_BASE = 61_200 + 16 * (process.pid % 200);

/** Creates a folder that the sandbox's user can reach. The system's temporary folder may lie below a private one. */
export async function makeDataDir(): Promise<string> {
  for (const parent of [tmpdir(), '/var/tmp', '/tmp']) {
    if (!(await isOpen(parent))) continue;
    const folder = await mkdtemp(join(parent, 'ratchet-demo-'));
    await chmod(folder, 0o711);
    return folder;
  }
  throw new Error('no temporary folder that every user may enter: set TMPDIR to one');
}

/** Whether everyone may enter the folder and all its parents. */
async function isOpen(folder: string): Promise<boolean> {
  const status = await lstat(folder).catch(() => null);
  if (status === null || !status.isDirectory() || (status.mode & 0o001) === 0) return false;
  return folder === '/' || isOpen(dirname(folder));
}

export async function removeDataDir(dataDir: string): Promise<void> {
  await rm(dataDir, { recursive: true, force: true, maxRetries: 3 });
}

/** Tests whether bubblewrap works on this machine. */
export async function chooseSandbox(
  dataDir: string,
): Promise<{ readonly kind: 'bwrap' } | { readonly kind: 'none'; readonly why: string }> {
  const newId = randomUUID;
  const tools = await prepareToolsDir({ dataDir, nodePath: process.execPath, newId });
  const log = createLog({ level: 'silent', destination: process.stderr, redact: (text) => text });
  const isRoot = process.getuid?.() === 0;
  const sandbox = createBubblewrapSandbox({
    ...{ slots: 1, uidBase: UID_BASE, gid: UID_BASE, isRoot, dataDir, log, newId },
    toolsDir: tools.toolsDir,
  });
  const probe = await sandbox.probe(AbortSignal.timeout(PROBE_TIMEOUT_MS));
  return probe.kind === 'ok' ? { kind: 'bwrap' } : { kind: 'none', why: probe.why };
}
