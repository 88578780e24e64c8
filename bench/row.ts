/** What one side of a pair took. */
export interface Sample {
  readonly wallMs: number;
  readonly operations: number;
  /** User and system time, children included; null where it cannot be told apart. */
  readonly cpuUs: number | null;
}

/** One turn: every side once, interleaved, by its name. */
export type Turn = Readonly<Record<string, Sample>>;

/** One side against another of the same turn. */
interface Comparison {
  readonly name: string;
  readonly ours: string;
  readonly peer: { readonly side: string; readonly name: string };
  readonly target: number;
}

/** One line of the output. */
export type Metric =
  /** Operations per second of one side over those of the other: at least `target`. */
  | (Comparison & { readonly kind: 'rate' })
  /** Time for an operation of one side over that of the other: at most `target`. */
  | (Comparison & { readonly kind: 'time' })
  /** Operations of one side over those of the other, whatever time they took: at most `target`. */
  | (Comparison & { readonly kind: 'count'; readonly unit: string })
  /** Milliseconds of a side, for information. */
  | { readonly kind: 'duration'; readonly name: string; readonly ours: string };

/** Where and how a row runs. */
export interface RowContext {
  /** Folder in memory. */
  readonly memoryDir: string;
  /** Folder on a disk: what is made durable there is really written. */
  readonly diskDir: string;
  /** Small and fast: shows that the row works, measures nothing worth keeping. */
  readonly quick: boolean;
}

/** A row that is ready to run. */
export interface OpenRow {
  /** What a reader has to know of how it was measured. */
  readonly notes: readonly string[];
  /** Runs every side once. `index` also says which side goes first. Throws when a side failed: nothing was measured. */
  readonly takeTurn: (index: number) => Promise<Turn>;
  /** Looks for the cause of a missed target, after the measurement. */
  readonly explain: () => Promise<readonly string[]>;
  readonly close: () => Promise<void>;
}

/** One row of the suite. */
export interface Row {
  readonly number: number;
  readonly name: string;
  readonly metrics: readonly Metric[];
  /** How many turns are taken of a row that counts and does not time: no warm-up, and the machine need not be quiet. */
  readonly countedTurns?: number;
  readonly open: (context: RowContext) => Promise<OpenRow>;
}
