import { toError } from '../../core/model/errors.ts';
import type { RunId } from '../../core/model/ids.ts';
import { redactRecord } from '../../core/redact/redact-values.ts';
import { readEventSeq, toEventLine } from '../../core/tasks/event-line.ts';
import type { Deps } from '../deps.ts';

/** Name of the file with the events of a run. */
export const EVENTS_FILE = 'events.jsonl';
const AT_ONCE = 200;
const EVERY_MS = 1_000;

type EventDeps = Pick<Deps, 'files' | 'log' | 'redact' | 'store'>;

/**
 * Appends the events of a run that its file does not have yet, redacted (001.R8). The store recorded each of them with its change, so a
 * crash at any time costs no line and doubles none.
 */
export async function writeEvents(deps: EventDeps, runId: RunId): Promise<void> {
  const { files, redact, store } = deps;
  const file = await files.openLines(runId, EVENTS_FILE);
  let seq = file.last === null ? 0 : readEventSeq(file.last);
  // Somebody else wrote there. The store has the events all the same.
  if (seq === null) {
    deps.log.warn({ runId }, 'the file of events of a run is damaged; it is left as it is');
    return;
  }
  for (;;) {
    const events = store.eventsAfter(runId, seq, AT_ONCE);
    const last = events.at(-1);
    if (last === undefined) return;
    const lines = events.map((event) => toEventLine({ ...event, payload: redactRecord(event.payload, redact) }));
    if (!(await file.append(lines))) {
      deps.log.warn({ runId }, 'the file of events of a run is full');
      return;
    }
    seq = last.seq;
  }
}

/** Does `work`, and meanwhile keeps the file of events up to date. A file that cannot be written stops nothing. */
export async function withEvents<Result>(deps: EventDeps, runId: RunId, work: () => Promise<Result>): Promise<Result> {
  let written: Promise<void> = Promise.resolve();
  const write = (): Promise<void> => {
    written = written
      .then(() => writeEvents(deps, runId))
      .catch((error: unknown) =>
        deps.log.warn({ runId, err: toError(error) }, 'the events of a run cannot be written'),
      );
    return written;
  };
  const timer = setInterval(() => void write(), EVERY_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    await write();
  }
}
