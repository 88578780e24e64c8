import { lchown } from 'node:fs/promises';
import type { SandboxSlot } from '../../ports/sandbox.ts';

/** Makes commands the owners of what the service writes. */
export interface Mine {
  readonly give: (path: Buffer) => Promise<void>;
}

export function createMine({ uid, gid }: Pick<SandboxSlot, 'uid' | 'gid'>): Mine {
  return {
    give: async (path) => {
      if (uid !== null && gid !== null) await lchown(path, uid, gid);
    },
  };
}
