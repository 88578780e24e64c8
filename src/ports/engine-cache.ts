import type { Payload, RawExit } from '../core/model/engine.ts';

/** The raw result of an engine run. It is interpreted anew on each read (003.R24). */
export interface StoredInvocation {
  readonly argv: readonly string[];
  readonly version: string | null;
  readonly exit: RawExit;
  readonly payload: Payload;
  /** The end of stderr, truncated. */
  readonly stderr: string;
  /** The category at the time of the run, and the version of the classifier that gave it (003.R23). */
  readonly category: string;
  readonly classifierVersion: number;
}

/** Stored runs by cache key (plan, content, tool version and configuration). A damaged or unknown entry reads as null. */
export interface EngineCache {
  readonly get: (key: string) => Promise<StoredInvocation | null>;
  readonly put: (key: string, stored: StoredInvocation) => Promise<void>;
}
