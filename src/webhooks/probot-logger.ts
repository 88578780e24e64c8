import { type Logger, pino } from 'pino';
import type { Log } from '../ports/log.ts';

const maxTextLength = 300;

/**
 * A pino logger for Probot that writes to our log and cannot carry a payload: Probot logs whole events, and its errors
 * hold the event that failed (T4). Only the level, the message, the event's name and the error's type pass, each cut to
 * a short text.
 */
export function createProbotLogger(log: Log): Logger {
  return pino(
    { level: 'info', base: null, timestamp: false, serializers: { event: toEventFields, err: toErrorFields } },
    { write: (line: string) => forward(line, log) },
  );
}

function forward(line: string, log: Log): void {
  const entry: unknown = JSON.parse(line);
  const level = Number(valueAt(entry, 'level') ?? 50);
  const fields = {
    text: textAt(entry, 'msg'),
    error: textAt(valueAt(entry, 'err'), 'type'),
    event: textAt(valueAt(entry, 'event'), 'name'),
  };
  if (level >= 50) log.error(fields, 'probot failed');
  else if (level >= 40) log.warn(fields, 'probot warned');
  else log.debug(fields, 'probot told');
}

function toEventFields(event: unknown): { readonly name: string | null } {
  return { name: textAt(event, 'name') };
}

function toErrorFields(error: unknown): { readonly type: string } {
  return { type: error instanceof Error ? error.name : typeof error };
}

function textAt(value: unknown, key: string): string | null {
  const text = valueAt(value, key);
  return typeof text === 'string' ? text.slice(0, maxTextLength) : null;
}

function valueAt(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}
