/** Values of one log line; never a payload, a secret or untrusted text of unbounded length. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined | Error>>;

/** Structured log: the message is a constant, what varies stands in the fields. */
export interface Log {
  readonly debug: (fields: LogFields, message: string) => void;
  readonly info: (fields: LogFields, message: string) => void;
  readonly warn: (fields: LogFields, message: string) => void;
  readonly error: (fields: LogFields, message: string) => void;
  /** A log whose lines all carry `fields`. */
  readonly child: (fields: LogFields) => Log;
}
