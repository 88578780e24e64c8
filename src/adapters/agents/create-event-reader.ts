import { StringDecoder } from 'node:string_decoder';
import { type JsonObject, parseJsonObject } from '../../core/json/parse-json-object.ts';
import type { AgentEvent, AgentEventReader } from '../../ports/agent.ts';

/** Longer lines are skipped. */
const MAX_LINE_CHARS = 256 * 1024;
const MAX_DETAIL_CHARS = 160;

/**
 * Reads events from lines of JSON. At most one line is kept in memory. Details are cut to one short line, with paths relative to
 * `root`.
 */
export function createEventReader(
  toEvents: (line: JsonObject) => readonly AgentEvent[],
  root: string,
): AgentEventReader {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  let isTooLong = false;
  const read = (line: string): readonly AgentEvent[] => {
    const json = parseJsonObject(line);
    return json === null
      ? []
      : toEvents(json).map((event) =>
          event.kind === 'plan' ? event : { ...event, detail: shorten(event.detail, root) },
        );
  };
  return {
    push: (chunk) => {
      const [first = '', ...others] = decoder.write(Buffer.from(chunk)).split('\n');
      const parts = [rest + first, ...others];
      rest = parts.pop() ?? '';
      const lines = isTooLong ? parts.slice(1) : parts;
      if (parts.length > 0) isTooLong = false;
      if (rest.length > MAX_LINE_CHARS) {
        rest = '';
        isTooLong = true;
      }
      return lines.filter((line) => line.length <= MAX_LINE_CHARS).flatMap(read);
    },
  };
}

function shorten(detail: string, root: string): string {
  const line = detail
    .slice(0, 4 * MAX_DETAIL_CHARS)
    .replaceAll(`${root}/`, '')
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .trim();
  return line.length > MAX_DETAIL_CHARS ? `${line.slice(0, MAX_DETAIL_CHARS - 1)}…` : line;
}
