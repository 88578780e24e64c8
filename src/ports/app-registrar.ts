import type { ConvertedApp, RegisteredApp } from '../core/model/registered-app.ts';

/** GitHub's half of a registration from a manifest. */
export interface AppRegistrar {
  /** Exchanges the code for the App, once: GitHub knows the code no longer afterwards. Throws `GitHubError`. */
  readonly convert: (code: string, signal: AbortSignal) => Promise<ConvertedApp>;
}

/** The file of the data folder that holds the App. */
export interface AppFile {
  readonly path: string;
  /** Null: there is none. Throws `ConfigError` if it cannot be used. */
  readonly read: () => Promise<RegisteredApp | null>;
  /** Stores the App whole or not at all, readable by its owner alone. Throws where a file exists already or the disk refuses. */
  readonly create: (app: RegisteredApp) => Promise<void>;
}
