/**
 * One speaker whose messages show that a failure is not the code's. Who speaks is recognised by how a message begins; the same words
 * elsewhere mean nothing. The patterns are tried at the beginning of a message, without regard to case.
 */
export interface FailureRule {
  /** A stable name. */
  readonly id: string;
  readonly class: 'infrastructure' | 'flake';
  /** Where the messages are documented or reported. */
  readonly source: string;
  /** Messages that say it themselves. */
  readonly says: readonly string[];
  /** Beginnings of messages that say it if a trouble of the network follows. */
  readonly blames: readonly string[];
}
