/** An App that was registered from a manifest, as it is kept in the data folder. It holds secrets. */
export interface RegisteredApp {
  readonly appId: number;
  readonly slug: string;
  readonly name: string;
  /** Login of the account that owns it; null: GitHub did not say. */
  readonly owner: string | null;
  /** Its public page on GitHub. */
  readonly pageUrl: string;
  /** Root of the REST API of the GitHub that it belongs to. */
  readonly githubApiUrl: string;
  /** PEM. */
  readonly privateKey: string;
  readonly webhookSecret: string;
}

/** GitHub's answer to the code of a registration. */
export interface ConvertedApp extends Omit<RegisteredApp, 'githubApiUrl'> {
  readonly permissions: Readonly<Record<string, string>>;
}
