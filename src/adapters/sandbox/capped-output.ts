import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { Readable } from 'node:stream';

/** Bytes of each stream's end that stay in memory. */
export const TAIL_BYTES = 64 * 1024;

/** How much one command may still print, over both of its streams. */
export interface OutputBudget {
  /** Takes up to `bytes`; returns how many were left to take. */
  readonly take: (bytes: number) => number;
}

/** A budget that calls `onFlood` once, when more than `maxBytes` are asked for. */
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

/** What was read from one stream. */
export interface CappedOutput {
  /** Last `TAIL_BYTES` of the stream, up to the cap. */
  readonly tail: () => string;
  /** Settles when the stream ended or was closed, and everything is in the file. Rejects when the file cannot be written. */
  readonly done: Promise<void>;
  /** Ends the reading; what has arrived is kept. */
  readonly close: () => void;
}

/** Opens the file of a stream: made anew, mode 0600, never through a link. */
export function openOutputFile(path: string): Promise<FileHandle> {
  const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;
  return open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o600);
}

/**
 * Reads `stream` to its end: into `file` (closed by the caller) as far as the budget lasts, the rest into nothing. Memory
 * stays flat: one chunk and the tail. Must be called in the same tick as the spawn: Node throws away what nobody reads when
 * the process ends.
 */
export function readCapped(stream: Readable, file: FileHandle, budget: OutputBudget): CappedOutput {
  let tail = Buffer.alloc(0);
  let last: unknown = null;
  const keep = async (chunk: unknown): Promise<void> => {
    const bytes = toBytes(chunk);
    const kept = bytes.subarray(0, budget.take(bytes.length));
    if (kept.length === 0) return;
    tail = Buffer.concat([tail, kept]).subarray(-TAIL_BYTES);
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

/** A stream that broke off, or that we closed, has simply ended. */
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
