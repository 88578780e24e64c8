import type { DestinationStream } from 'pino';

/** Where log lines go, for example `process.stdout`. */
export interface LineStream {
  readonly write: (text: string) => unknown;
  /** Bytes that wait in memory for a slow reader. A missing number means that nothing ever waits. */
  readonly writableLength?: number;
}

const MAX_WAITING_BYTES = 8 * 1024 * 1024;

/**
 * Writes lines to `stream` and never waits for its reader. Node keeps in memory what a slow pipe does not take, so beyond a limit
 * lines are dropped; the first line after that says how many.
 */
export function createLogDestination(stream: LineStream, maxWaitingBytes = MAX_WAITING_BYTES): DestinationStream {
  let dropped = 0;
  return {
    write: (line) => {
      if ((stream.writableLength ?? 0) > maxWaitingBytes) {
        dropped += 1;
        return;
      }
      if (dropped > 0) {
        const time = new Date().toISOString();
        stream.write(
          `${JSON.stringify({ level: 40, time, dropped, msg: 'log lines dropped: the reader is too slow' })}\n`,
        );
        dropped = 0;
      }
      stream.write(line);
    },
  };
}
