import { createHash } from 'node:crypto';
import type { RunId } from '../../core/model/ids.ts';
import type { ArtifactKind } from '../../core/model/task-record.ts';
import type { SessionFiles } from '../../ports/session-files.ts';
import type { Deps } from '../deps.ts';

/** The most that is kept of one file, and of all files of a run. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;
const MAX_RUN_BYTES = 256 * 1024 * 1024;
const WRITE_WAIT_MS = 60_000;

/** Kinds by the ends of file names, the first one that matches. */
const KINDS: readonly (readonly [string, ArtifactKind])[] = [
  ['agent-request.json', 'prompt'],
  ['.stdout.log', 'stdout'],
  ['.stderr.log', 'stderr'],
  ['.diff', 'diff'],
  ['.json', 'json'],
  ['.md', 'report'],
];

/**
 * Files of a run whose artifacts are recorded (001.R45): redacted before they are written, cut, each with its hash and size. What the run
 * has no room for is not written, and an event says so.
 */
export function keepArtifacts(
  { files, store, clock, redactLong }: Pick<Deps, 'clock' | 'files' | 'redactLong' | 'store'>,
  runId: RunId,
): SessionFiles {
  return {
    ...files,
    writeArtifact: async (folder, name, content) => {
      const { text, isCut } = await readText(content);
      const bytes = Buffer.from(await redactLong(text));
      const path = `${folder}/${name}`;
      const others = store.artifacts(runId).filter((one) => one.path !== path);
      const used = others.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
      const at = clock.now();
      if (used + bytes.length > MAX_RUN_BYTES) {
        const payload = { path, size_bytes: bytes.length, why: 'the artifacts of the run take too much room' };
        await store.onceWritable(() => store.noteEvent({ runId, at, level: 'warn', payload }), WRITE_WAIT_MS);
        return;
      }
      await files.writeArtifact(folder, name, toChunks(bytes));
      const kind = KINDS.find(([end]) => name.endsWith(end))?.[1] ?? 'log';
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      const artifact = { tool: null, kind, path, sha256, sizeBytes: bytes.length, createdAt: at, meta: { cut: isCut } };
      await store.onceWritable(() => store.addArtifact(runId, artifact), WRITE_WAIT_MS);
    },
  };
}

async function* toChunks(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}

/** The first bytes of a file, as text. */
async function readText(
  content: string | AsyncIterable<Uint8Array>,
): Promise<{ readonly text: string; readonly isCut: boolean }> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of typeof content === 'string' ? [Buffer.from(content)] : content) {
    parts.push(chunk.subarray(0, MAX_FILE_BYTES - length));
    length += chunk.length;
    if (length > MAX_FILE_BYTES) break;
  }
  return { text: Buffer.concat(parts).toString('utf8'), isCut: length > MAX_FILE_BYTES };
}
