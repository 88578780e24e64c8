import { constants, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { requireOwnName } from '../../core/text/require-own-name.ts';
import type { SessionFiles } from '../../ports/session-files.ts';
import { listByAge, removeAll } from '../../system/aged-folders.ts';

/** Stores session files below `artifacts/` of the data folder. */
export function createSessionFiles({ dataDir }: { readonly dataDir: string }): SessionFiles {
  const parent = join(dataDir, 'artifacts');
  return {
    async writeArtifact(runId, name, content) {
      const path = join(parent, runId, requireOwnName(name));
      await mkdir(join(parent, runId), { recursive: true, mode: 0o700 });
      const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;
      const file = await open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o600);
      try {
        await file.writeFile(content);
      } finally {
        await file.close();
      }
    },
    sweep: async (before) => removeAll((await listByAge(parent)).filter(({ usedAt }) => usedAt < before)),
  };
}
