import { WANTED_EVENTS, WANTED_PERMISSIONS } from '../doctor/wanted-access.ts';

/** A manifest of GitHub, which registers an App. `app.yml` is one, too. */
export interface AppManifest {
  readonly name: string;
  readonly description: string;
  /** Homepage of the App. */
  readonly url: string;
  readonly public: false;
  readonly hook_attributes: { readonly url: string; readonly active: true };
  /** Where GitHub sends the person's browser afterwards. */
  readonly redirect_url: string;
  readonly default_permissions: Readonly<Record<string, 'read' | 'write'>>;
  readonly default_events: readonly string[];
}

const NAME = 'ratchet';
/** GitHub takes no longer name. */
const MAX_NAME_LENGTH = 34;
const DESCRIPTION = 'Drives a pull request to green, one proven action at a time.';

/**
 * The manifest of the App. Names of Apps are unique on the whole of GitHub, so that of an organization has its name in it; the person
 * can still change it on GitHub's page. `public` is false: a self-hosted App acts for its owner only.
 */
export function toAppManifest(input: {
  /** Login of the organization that will own the App; empty: the person's own account. */
  readonly organization: string;
  readonly homepage: string;
  readonly hookUrl: string;
  readonly redirectUrl: string;
}): AppManifest {
  const name = input.organization === '' ? NAME : `${NAME}-${input.organization}`.slice(0, MAX_NAME_LENGTH);
  return {
    name: name.replace(/-+$/u, ''),
    description: DESCRIPTION,
    url: input.homepage,
    public: false,
    hook_attributes: { url: input.hookUrl, active: true },
    redirect_url: input.redirectUrl,
    default_permissions: Object.fromEntries(WANTED_PERMISSIONS.map(({ name: key, level }) => [key, level])),
    default_events: WANTED_EVENTS.map(({ name: event }) => event),
  };
}
