import type { AppFacts, HookFacts, InstallationFacts } from '../core/model/app-facts.ts';
import type { EpochMs } from '../core/model/ids.ts';

/** Reads what GitHub knows about the App itself, for a diagnosis. Each call throws `GitHubError`. */
export interface AppReader {
  readonly readApp: (signal: AbortSignal) => Promise<AppFacts>;
  readonly readInstallations: (signal: AbortSignal) => Promise<readonly InstallationFacts[]>;
  readonly readHook: (signal: AbortSignal) => Promise<HookFacts>;
  /** The newest deliveries, newest first, one page at most. */
  readonly readDeliveries: (signal: AbortSignal) => Promise<readonly { readonly isReceived: boolean }[]>;
  /** GitHub's own time, without the App's key; null: it does not say. */
  readonly readTime: (signal: AbortSignal) => Promise<EpochMs | null>;
}
