import { realpath } from 'node:fs/promises';
import { findMountProblem } from '../adapters/sandbox/check-mounts.ts';
import { ConfigError } from '../core/model/errors.ts';
import type { SandboxSlot } from '../ports/sandbox.ts';

/**
 * The folders of RATCHET_TOOLCHAINS without symbolic links. Sites show them at the same path.
 * @throws ConfigError if the sandbox's user cannot reach one, or it has no `bin`.
 */
export async function findToolchains(
  folders: readonly string[],
  { toolsDir, slot }: { readonly toolsDir: string; readonly slot: SandboxSlot },
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const folder of folders) {
    const real = await realpath(folder).catch(() => null);
    const bin = await realpath(`${folder}/bin`).catch(() => null);
    if (real === null || bin === null) throw new ConfigError([`RATCHET_TOOLCHAINS: ${folder}/bin cannot be read`]);
    const mount = { source: real, target: real, writable: false };
    const problem = real.startsWith('/usr/') ? null : await findMountProblem([mount], slot, toolsDir);
    if (problem !== null) throw new ConfigError([`RATCHET_TOOLCHAINS: ${problem}`]);
    found.push(real);
  }
  return found;
}
