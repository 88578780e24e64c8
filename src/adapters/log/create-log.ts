import { type BaseLogger, type DestinationStream, pino, stdSerializers } from 'pino';
import type { Log, LogFields } from '../../ports/log.ts';

/** How and where to log. */
export interface LogOptions {
  readonly level: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';
  readonly destination: DestinationStream;
  /** Applied to every string of every line, as the last protection of secrets (threat T54). */
  readonly redact: (text: string) => string;
  /** Fields to add to a line that is written, by those that it has. */
  readonly describe?: (fields: LogFields) => LogFields;
}

/** Creates a structured log: pino writes one JSON object per line. */
export function createLog(options: LogOptions): Log {
  const logger = pino(
    // By default pino serialises `err` once more, and then type and code are lost.
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: (value: unknown) => value },
    },
    options.destination,
  );
  return toLog(logger, options, {});
}

type Pino = Pick<BaseLogger, Level> & { readonly isLevelEnabled: (level: string) => boolean };

type Level = 'debug' | 'info' | 'warn' | 'error';

function toLog(logger: Pino, options: Pick<LogOptions, 'describe' | 'redact'>, bound: LogFields): Log {
  const { describe, redact } = options;
  // Redacting costs more than writing, so a line below the level is not redacted.
  const write = (level: Level, own: LogFields, message: string): void => {
    if (!logger.isLevelEnabled(level)) return;
    const fields = { ...bound, ...own };
    logger[level](redactFields({ ...fields, ...describe?.(fields) }, redact), message);
  };
  return {
    debug: (own, message) => write('debug', own, message),
    info: (own, message) => write('info', own, message),
    warn: (own, message) => write('warn', own, message),
    error: (own, message) => write('error', own, message),
    child: (own) => toLog(logger, options, { ...bound, ...own }),
  };
}

const MAX_FIELD_LENGTH = 4_000;
/** Searched for secrets. Its end, where a secret may be cut in two, is not written. */
const MAX_READ_LENGTH = 32_000;
const UNWRITTEN_LENGTH = 8_000;

/** Redacts before it cuts: half a secret is not recognised. */
function toField(text: string, redact: (text: string) => string): string {
  if (text.length <= MAX_READ_LENGTH) return redact(text).slice(0, MAX_FIELD_LENGTH);
  return redact(text.slice(0, MAX_READ_LENGTH)).slice(0, -UNWRITTEN_LENGTH).slice(0, MAX_FIELD_LENGTH);
}

function redactFields(fields: LogFields, redact: (text: string) => string): Record<string, unknown> {
  const redacted: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) redacted[name] = redactValue(value, redact);
  return redacted;
}

function redactValue(value: LogFields[string], redact: (text: string) => string): unknown {
  if (typeof value === 'string') return toField(value, redact);
  if (!(value instanceof Error)) return value;
  const { type, message, stack } = stdSerializers.err(value);
  const code = 'code' in value && typeof value.code === 'string' ? { code: value.code } : {};
  return {
    type,
    ...code,
    message: toField(message, redact),
    stack: toField(stack, redact),
  };
}
