import { expect } from 'vitest';
import { readStatus } from '../../src/adapters/sandbox/processes.ts';

/** Fails where the process lives on. One that was killed can be seen dying for a moment, and is waited for. */
export async function expectGone(pid: number): Promise<void> {
  const isGone = async (): Promise<boolean> => {
    const status = await readStatus(pid);
    return status === null || status.isZombie;
  };
  await expect.poll(isGone).toBe(true);
}
