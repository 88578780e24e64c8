import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { acquireControlPlaneLock } from '../../../src/adapters/store/control-plane-lock.ts';
import { ConfigError } from '../../../src/core/model/errors.ts';
import { temporaryFolder } from '../../support/store.ts';

const holder = fileURLToPath(new URL('children/hold-lock.ts', import.meta.url));

let folder: ReturnType<typeof temporaryFolder>;
let children: ChildProcess[] = [];
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  children = [];
  folder.remove();
});

async function startHolder(): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['--expose-gc', holder, folder.path], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  await once(child.stdout, 'data');
  return child;
}

describe('the lock of the control plane', () => {
  it('is refused with what to do while another process holds it (S14)', async () => {
    await startHolder();

    const startedAt = performance.now();
    expect(() => acquireControlPlaneLock(folder.path)).toThrow(ConfigError);
    expect(() => acquireControlPlaneLock(folder.path)).toThrow(/another Ratchet process is using this data folder/);
    expect(performance.now() - startedAt).toBeLessThan(30_000);
  });

  it.each(['SIGKILL', 'SIGTERM'] as const)('is free as soon as its holder has died of %s', async (signal) => {
    const child = await startHolder();
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;

    const lock = acquireControlPlaneLock(folder.path);
    lock.release();
  });

  it('is refused twice in one process, and free after its release', () => {
    const lock = acquireControlPlaneLock(folder.path);
    expect(() => acquireControlPlaneLock(folder.path)).toThrow(ConfigError);

    lock.release();
    lock.release();

    acquireControlPlaneLock(folder.path).release();
  });

  it('names the folder that does not exist', () => {
    expect(() => acquireControlPlaneLock(`${folder.path}/none`)).toThrow(/check that its folder exists/);
  });
});
