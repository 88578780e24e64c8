import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { Readable } from 'node:stream';

/** How many bytes of the end of each stream are kept in memory. */
export const TAIL_BYTES = 64 * 1024;

/** How much a command may still print, for both streams together. */
export interface OutputBudget {
  /** Takes up to `bytes` from the budget. Returns how many were available. */
  readonly take: (bytes: number) => number;
}

/** A budget of `maxBytes`. Calls `onFlood` once, when more is requested. */
export function createOutputBudget(maxBytes: number, onFlood: () => void): OutputBudget {
  let left = maxBytes;
  let flooded = false;
  return {
    take: (bytes) => {
      const taken = Math.min(bytes, left);
      left -= taken;
      if (taken < bytes && !flooded) {
        flooded = true;
        onFlood();
      }
      return taken;
    },
  };
}

/** The captured output of one stream. */
export interface CappedOutput {
  /** The last `TAIL_BYTES` of the stream, up to the cap. */
  readonly tail: () => string;
  /** Resolves when the stream has ended or was closed and everything is in the file. Rejects if the file cannot be written. */
  readonly done: Promise<void>;
  /** Stops reading. Output that has arrived is kept. */
  readonly close: () => void;
}

/** Creates or truncates the file of a stream, mode 0600, without following links. */
export function openOutputFile(path: string): Promise<FileHandle> {
  const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;
  return open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o600);
}

/**
 * Reads `stream` to its end. Writes to `file` (closed by the caller) while the budget lasts, and discards the rest. `onChunk` gets
 * what is written.
 * Holds only one chunk and the tail in memory. Must be called in the same tick as the spawn: Node discards unread
 * output when the process ends.
 */
export function readCapped(
  stream: Readable,
  file: FileHandle,
  budget: OutputBudget,
  onChunk: (chunk: Uint8Array) => void = () => undefined,
): CappedOutput {
  let tail = Buffer.alloc(0);
  let last: unknown = null;
  const keep = async (chunk: unknown): Promise<void> => {
    const bytes = toBytes(chunk);
    const kept = bytes.subarray(0, budget.take(bytes.length));
    if (kept.length === 0) return;
    tail = Buffer.concat([tail, kept]).subarray(-TAIL_BYTES);
    onChunk(kept);
    await file.writeFile(kept);
  };
  const copy = async (): Promise<void> => {
    for await (const chunk of readToEnd(stream)) await keep(chunk);
    if (last !== null) await keep(last);
  };
  return {
    tail: () => tail.toString('utf8'),
    done: copy(),
    close: () => {
      last = stream.read();
      stream.destroy();
    },
  };
}

/** A stream that failed, or that was closed, counts as ended. */
async function* readToEnd(stream: Readable): AsyncGenerator {
  try {
    for await (const chunk of stream) yield chunk;
  } catch {
    return;
  }
}

function toBytes(chunk: unknown): Buffer {
  return Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk), 'utf8');
}
