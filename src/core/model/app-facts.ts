/** What GitHub says about the App itself. */
export interface AppFacts {
  readonly slug: string;
  /** `read`, `write` or `admin` by name. */
  readonly permissions: Readonly<Record<string, string>>;
  readonly events: readonly string[];
}

/** Where the App is installed. Its permissions lag behind the App's until somebody accepts new ones. */
export interface InstallationFacts {
  readonly account: string;
  readonly isSuspended: boolean;
  readonly permissions: Readonly<Record<string, string>>;
}

/** The App's webhook. */
export interface HookFacts {
  readonly url: string | null;
  readonly contentType: string | null;
  readonly hasSecret: boolean;
  readonly verifiesTls: boolean;
}
