import { constants, open, readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parseRunId, type RunId } from '../../core/model/ids.ts';
import { requireOwnName } from '../../core/text/require-own-name.ts';
import { planArtifactSweep } from '../../core/upkeep/plan-artifact-sweep.ts';
import type { SessionFiles } from '../../ports/session-files.ts';
import { listByAge, removeAll } from '../../system/aged-folders.ts';
import { makeFolder, openLines } from './open-lines.ts';

/** Kept of one file. Enough for any log that a person reads; an attempt that floods its output leaves no more. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;
const CUT = '\n[cut: Ratchet keeps the first 16 MiB of an output]\n';

/** Stores session files below `artifacts/` of the data folder. */
export function createSessionFiles({ dataDir }: { readonly dataDir: string }): SessionFiles {
  const parent = join(dataDir, 'artifacts');
  return {
    async writeArtifact(runId, name, content) {
      const path = join(parent, runId, requireOwnName(name));
      await makeFolder(join(parent, runId));
      const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;
      const file = await open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o600);
      try {
        await file.writeFile(typeof content === 'string' ? cutAt([Buffer.from(content)]) : cutAt(content));
      } finally {
        await file.close();
      }
    },
    async readArtifact(runId, name, maxBytes) {
      const path = join(parent, runId, requireOwnName(name));
      const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch((error: unknown) => {
        if (isMissing(error)) return null;
        throw error;
      });
      if (file === null) return null;
      try {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(maxBytes), 0, maxBytes, 0);
        return buffer.toString('utf8', 0, bytesRead);
      } finally {
        await file.close();
      }
    },
    openLines: (runId, name) => openLines(join(parent, runId), requireOwnName(name)),
    async sweep(limits, ownerOf) {
      const folders = await listByAge(parent);
      const artifacts = await Promise.all(
        folders.map(async ({ folder, usedAt }) => {
          const name = basename(folder);
          const runId = toRunIdOrNull(name);
          return { name, usedAt, bytes: await measure(folder), owner: runId === null ? null : ownerOf(runId) };
        }),
      );
      const removed = new Set(planArtifactSweep(artifacts, limits));
      await removeAll(folders.filter(({ folder }) => removed.has(basename(folder))));
    },
  };
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

async function* cutAt(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncIterable<Uint8Array> {
  let left = MAX_FILE_BYTES;
  for await (const chunk of chunks) {
    yield chunk.subarray(0, left);
    left -= chunk.length;
    if (left < 0) {
      yield Buffer.from(CUT);
      return;
    }
  }
}

function toRunIdOrNull(name: string): RunId | null {
  try {
    return parseRunId(name);
  } catch {
    return null;
  }
}

/** Bytes of the files in a folder. It has no folders of its own. */
async function measure(folder: string): Promise<number> {
  const names = await readdir(folder).catch(() => []);
  const sizes = await Promise.all(
    names.map((name) =>
      stat(join(folder, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
