import type { Payload, RawExit } from '../core/model/engine.ts';

/** What a run left, raw: how it is to be understood is worked out again each time (003.R24). */
export interface StoredInvocation {
  readonly argv: readonly string[];
  readonly version: string | null;
  readonly exit: RawExit;
  readonly payload: Payload;
  /** End of stderr, cut. */
  readonly stderr: string;
  /** The category that was given then, and by which version of the rules (003.R23). */
  readonly category: string;
  readonly classifierVersion: number;
}

/** Runs by their key: plan, content, tool version and configuration. A damaged or unknown entry is none. */
export interface EngineCache {
  readonly get: (key: string) => Promise<StoredInvocation | null>;
  readonly put: (key: string, stored: StoredInvocation) => Promise<void>;
}
