/** Fields of one log line. Must not contain payloads, secrets or unbounded untrusted text. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined | Error>>;

/** Structured log: messages are constant, variable data goes into the fields. */
export interface Log {
  readonly debug: (fields: LogFields, message: string) => void;
  readonly info: (fields: LogFields, message: string) => void;
  readonly warn: (fields: LogFields, message: string) => void;
  readonly error: (fields: LogFields, message: string) => void;
  /** Returns a log that adds `fields` to every line. */
  readonly child: (fields: LogFields) => Log;
}
