/** Why a job failed. `person`: nothing in the repository's code can mend it, such as a missing secret. */
export type MessageClass = 'infrastructure' | 'flake' | 'person' | 'code';

/** What a tool prints at a failure, with the class that a person gave it. */
export interface LabelledMessage {
  readonly is: MessageClass;
  /** The tool, whose documentation and source code name the message. */
  readonly tool: string;
  readonly text: string;
}

/** Messages of one class, as `[tool, text]`. */
export function toMessages(is: MessageClass, rows: readonly (readonly [string, string])[]): readonly LabelledMessage[] {
  return rows.map(([tool, text]) => ({ is, tool, text }));
}
