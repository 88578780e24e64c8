import { lchown, readdir } from 'node:fs/promises';
import { execa } from 'execa';
import { RepositoryError, toError } from '../../core/model/errors.ts';
import type { SandboxSlot } from '../../ports/sandbox.ts';

const CHOWN_TIMEOUT_MS = 5 * 60_000;

/** See `Sandbox.giveToSlot`. Changes the owner of links, never of their targets. */
export async function giveToSlot(folder: string, slot: SandboxSlot): Promise<void> {
  if (slot.uid === null || slot.gid === null) return;
  const why = (await isEmpty(folder)) ? await giveAlone(folder, slot.uid, slot.gid) : await giveAll(folder, slot);
  if (why === null) return;
  const detail = `a folder could not be given to the sandbox's user: ${why.slice(0, 300)}`;
  throw new RepositoryError('DISK_FAILED', detail, { retry: 'later' });
}

async function isEmpty(folder: string): Promise<boolean> {
  return (await readdir(folder).catch(() => null))?.length === 0;
}

/** Most folders are empty, and a process for each of them would take longer than all else. Returns why it failed. */
async function giveAlone(folder: string, uid: number, gid: number): Promise<string | null> {
  try {
    await lchown(folder, uid, gid);
    return null;
  } catch (error) {
    return toError(error).message;
  }
}

async function giveAll(folder: string, { uid, gid }: SandboxSlot): Promise<string | null> {
  const owner = `${String(uid)}:${String(gid)}`;
  const result = await execa('chown', ['--recursive', '-P', '--no-dereference', '--', owner, folder], {
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C' },
    extendEnv: false,
    reject: false,
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: CHOWN_TIMEOUT_MS,
  });
  return result.exitCode === 0 ? null : result.stderr;
}
