import type { LogAction } from '../core/model/decision.ts';
import type { EpochMs } from '../core/model/ids.ts';
import type { FixupKind, SessionOutcome } from '../core/model/session.ts';

/** Numbers that the database knows, at one moment. */
export interface Figures {
  readonly queues: readonly {
    readonly queue: string;
    /** Keys that could run now and do not. */
    readonly waiting: number;
    /** Since when the first of them waits; null: none does. */
    readonly oldestAt: EpochMs | null;
  }[];
  /** Sessions that have not ended. */
  readonly sessions: readonly { readonly kind: 'ratchet' | 'user'; readonly count: number }[];
  /** By UTC month (`2026-03`): this one and the one before. Money in millionths of a USD. */
  readonly spent: readonly {
    readonly month: string;
    readonly microUsd: number;
    readonly calls: number;
    readonly tokens: {
      readonly input: number;
      readonly cached: number;
      readonly written: number;
      readonly output: number;
    };
  }[];
}

/** Lines of the transition log, counted. */
export interface LoggedCount {
  readonly action: LogAction;
  readonly code: string;
  readonly count: number;
}

/** Reads for the metrics. They change nothing. */
export interface FigureStore {
  readonly figures: (now: EpochMs) => Figures;
  /** Id of the newest line of the transition log; 0: there is none. */
  readonly newestTransition: () => number;
  /** Counts the lines after `after`, up to and including `upTo`. */
  readonly countTransitions: (after: number, upTo: number) => readonly LoggedCount[];
}

/** One request to GitHub that was answered, or failed. */
export interface GitHubRequest {
  readonly api: 'rest' | 'graphql' | 'app';
  /** `ok`, or the code of the error. */
  readonly result: string;
  readonly installationId: number;
  /** What GitHub says is left of the limit; null: it says nothing. */
  readonly remaining: number | null;
}

/** Which kind of fixup. */
export interface RunLabels {
  readonly kind: FixupKind | 'UNDO';
  /** A name of the operator's configuration. */
  readonly agent: string;
}

/** Counts what the database does not keep, and shows all numbers. No label takes a text of a person or a repository. */
export interface Metrics {
  /** `event` null: not one that this version knows. `result`: what became of the delivery, or why it was refused. */
  readonly countDelivery: (event: string | null, result: string) => void;
  readonly countLaunch: (run: RunLabels) => void;
  readonly countEnd: (
    run: RunLabels & {
      readonly outcome: SessionOutcome['kind'];
      /** Of a rejection; empty otherwise. */
      readonly code: string;
      readonly durationMs: number;
    },
  ) => void;
  readonly countRequest: (request: GitHubRequest) => void;
  /** In the text format of Prometheus. */
  readonly render: () => Promise<{ readonly contentType: string; readonly text: string }>;
}
