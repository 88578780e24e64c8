import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { createBubblewrapSandbox } from '../../../src/adapters/sandbox/create-bubblewrap-sandbox.ts';
import { createWorkplace } from '../../../src/adapters/workplace/create-workplace.ts';
import type { Sandbox, SandboxSlot } from '../../../src/ports/sandbox.ts';
import type { Workplace } from '../../../src/ports/workplace.ts';
import { toBubblewrapOptions } from '../../contract/sandbox/sandbox-fixture.ts';
import { createTempFolder } from '../../support/git-repository.ts';
import { NEVER } from '../../support/never.ts';

/** A workplace over an empty folder, with the real sandbox. */
export interface WorkplaceFixture {
  readonly root: string;
  /** The folder whose copy the root is. */
  readonly repository: string;
  readonly outside: string;
  readonly place: Workplace;
  /** Another workplace over the same folder and records, as after a restart. */
  readonly reopen: () => Workplace;
  /** Makes commands the owners of everything. */
  readonly give: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export async function createWorkplaceFixture(): Promise<WorkplaceFixture> {
  const { path, remove } = await createTempFolder();
  const base = await realpath(path);
  const options = await toBubblewrapOptions(base);
  const sandbox = createBubblewrapSandbox(options);
  const slot = await sandbox.acquireSlot(NEVER);
  const folder = async (name: string, mode: number): Promise<string> => {
    await mkdir(join(base, name), { mode });
    return join(base, name);
  };
  const root = await folder('work', 0o755);
  const outside = await folder('outside', 0o755);
  const scratch = await folder('scratch', 0o711);
  const records = await folder('records', 0o700);
  const repository = await folder('repository', 0o755);
  await sandbox.giveToSlot(root, slot);
  const open = (): Workplace => createWorkplace({ root, repository, records, scratch, sandbox, slot, env: {} });
  const give = (): Promise<void> => sandbox.giveToSlot(root, slot);
  return { root, repository, outside, give, place: open(), reopen: open, close: () => closeAll(sandbox, slot, remove) };
}

async function closeAll(sandbox: Sandbox, slot: SandboxSlot, remove: () => Promise<void>): Promise<void> {
  sandbox.releaseSlot(slot);
  await remove();
}

export function toShell(script: string): readonly string[] {
  return ['/bin/sh', '-c', script];
}
