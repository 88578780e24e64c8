/** Limits of the gateway beside money. Times in milliseconds. */
export interface GatewayLimits {
  readonly maxBodyBytes: number;
  /** Bodies of all calls of a session that are in memory at once. */
  readonly maxBodiesBytes: number;
  /** Deeper JSON is refused before it is parsed. */
  readonly maxBodyDepth: number;
  readonly maxAnswerBytes: number;
  /** Open calls of one session. */
  readonly maxOpenCalls: number;
  /** The model's API sends nothing for so long. */
  readonly silenceMs: number;
  /** The agent takes nothing of an answer for so long. */
  readonly slowReaderMs: number;
  /** The agent sends its whole request within this time. */
  readonly uploadMs: number;
  readonly callMs: number;
  /** Failures in a row after which the model is not called again in the session. */
  readonly maxFailures: number;
  /** Time between two writes of an open call to the ledger, and between two reports of the use. */
  readonly noteMs: number;
}

export const defaultGatewayLimits: GatewayLimits = {
  maxBodyBytes: 32 * 1024 * 1024,
  maxBodiesBytes: 64 * 1024 * 1024,
  maxBodyDepth: 200,
  maxAnswerBytes: 64 * 1024 * 1024,
  maxOpenCalls: 16,
  silenceMs: 300_000,
  slowReaderMs: 60_000,
  uploadMs: 120_000,
  callMs: 3_600_000,
  maxFailures: 3,
  noteMs: 1000,
};
