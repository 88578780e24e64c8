/** Measurement of one side. */
export interface Sample {
  readonly wallMs: number;
  readonly operations: number;
  /** User and system time, including children; null if it cannot be attributed. */
  readonly cpuUs: number | null;
}

/** One turn: every side once, interleaved, by name. */
export type Turn = Readonly<Record<string, Sample>>;

/** Compares one side with another of the same turn. */
interface Comparison {
  readonly name: string;
  readonly ours: string;
  readonly peer: { readonly side: string; readonly name: string };
  readonly target: number;
}

/** A line of the output. */
export type Metric =
  /** Ratio of operations per second, ours to the peer's: at least `target`. */
  | (Comparison & { readonly kind: 'rate' })
  /** Ratio of time per operation, ours to the peer's: at most `target`. */
  | (Comparison & { readonly kind: 'time' })
  /** Ratio of the numbers of operations, ours to the peer's, independent of time: at most `target`. */
  | (Comparison & { readonly kind: 'count'; readonly unit: string })
  /** Milliseconds per operation that ours takes more than the peer: at most `targetMs`. */
  | (Omit<Comparison, 'target'> & { readonly kind: 'added'; readonly targetMs: number })
  /** The number of operations of a side, without a target. */
  | { readonly kind: 'amount'; readonly name: string; readonly ours: string; readonly unit: string }
  /** Milliseconds of a side, without a target. */
  | { readonly kind: 'duration'; readonly name: string; readonly ours: string };

/** Where and how a row runs. */
export interface RowContext {
  /** A folder in memory. */
  readonly memoryDir: string;
  /** A folder on a disk, where durable writes really reach the disk. */
  readonly diskDir: string;
  /** Small and fast: checks that the row works, but its results mean nothing. */
  readonly quick: boolean;
}

/** A row that is ready to run. */
export interface OpenRow {
  /** What readers must know about the measurement. */
  readonly notes: readonly string[];
  /** Runs every side once. `index` also decides which side goes first. Throws if a side failed. */
  readonly takeTurn: (index: number) => Promise<Turn>;
  /** Looks for the cause of a missed target after the measurement. */
  readonly explain: () => Promise<readonly string[]>;
  readonly close: () => Promise<void>;
}

/** One row of the suite. */
export interface Row {
  readonly number: number;
  readonly name: string;
  readonly metrics: readonly Metric[];
  /** Number of turns for a row that counts instead of timing. It needs no warm-up and no quiet machine. */
  readonly countedTurns?: number;
  readonly open: (context: RowContext) => Promise<OpenRow>;
}
