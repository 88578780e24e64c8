import { parseJsonObject } from '../json/parse-json-object.ts';
import type { RunEvent } from '../model/task-record.ts';

/** Longest payload of a line, in UTF-16 code units. */
const MAX_PAYLOAD = 64 * 1024;

/** An event as a line of JSON, with the names of document 001 (001.R8). */
export function toEventLine({ seq, at, runId, level, type, taskId, attemptId, tool, payload }: RunEvent): string {
  const isShort = JSON.stringify(payload).length <= MAX_PAYLOAD;
  return JSON.stringify({
    ...{ seq, ts: new Date(at).toISOString(), run_id: runId, level, event_type: type },
    ...(taskId === null ? {} : { task_id: taskId }),
    ...(attemptId === null ? {} : { attempt_id: attemptId }),
    ...(tool === null ? {} : { tool }),
    payload: isShort ? payload : { cut: true },
  });
}

/** The number of the event of a line. null: it is no such line. */
export function readEventSeq(line: string): number | null {
  const seq = parseJsonObject(line)?.['seq'];
  return typeof seq === 'number' && Number.isSafeInteger(seq) ? seq : null;
}
