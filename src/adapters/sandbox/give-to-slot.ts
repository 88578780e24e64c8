import { execa } from 'execa';
import { RepositoryError } from '../../core/model/errors.ts';
import type { SandboxSlot } from '../../ports/sandbox.ts';

const CHOWN_TIMEOUT_MS = 5 * 60_000;

/** See `Sandbox.giveToSlot`. Changes the owner of links, never of their targets. */
export async function giveToSlot(folder: string, slot: SandboxSlot): Promise<void> {
  if (slot.uid === null || slot.gid === null) return;
  const owner = `${String(slot.uid)}:${String(slot.gid)}`;
  const result = await execa('chown', ['--recursive', '-P', '--no-dereference', '--', owner, folder], {
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C' },
    extendEnv: false,
    reject: false,
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: CHOWN_TIMEOUT_MS,
  });
  if (result.exitCode === 0) return;
  throw new RepositoryError(
    'DISK_FAILED',
    `a folder could not be given to the sandbox's user: ${result.stderr.slice(0, 300)}`,
    {
      retry: 'later',
    },
  );
}
