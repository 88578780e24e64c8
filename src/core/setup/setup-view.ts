import type { AppManifest } from './app-manifest.ts';
import { toAppManifest } from './app-manifest.ts';
import { type HookPlace, type HookUrl, judgeHookUrl } from './judge-hook-url.ts';

/** What the operator chose on the page, as it was written. */
export interface SetupChoice {
  /** Login of an organization; empty: the person's own account. */
  readonly organization: string;
  readonly webhookUrl: string;
}

/** GitHub and this server, for the set-up page. */
export interface SetupPlace extends HookPlace {
  /** Root of GitHub's pages, without a trailing slash. */
  readonly site: string;
}

/** The content of the set-up page. */
export interface SetupView {
  readonly choice: SetupChoice;
  readonly hook: HookUrl;
  /** What is wrong with the organization; null: nothing. */
  readonly organizationFault: string | null;
  /** Null: something has to be corrected first. */
  readonly registration: {
    readonly manifest: AppManifest;
    /** GitHub's page that takes the manifest, without the state. */
    readonly action: string;
  } | null;
}

/** What the page offers for a choice. `origin` is that of the page itself. */
export function toSetupView(
  choice: SetupChoice,
  { place, origin }: { readonly place: SetupPlace; readonly origin: string },
): SetupView {
  const { organization } = choice;
  const hook = judgeHookUrl(choice.webhookUrl, place);
  const organizationFault = findOrganizationFault(organization);
  if (hook.kind !== 'usable' || organizationFault !== null)
    return { choice, hook, organizationFault, registration: null };
  const manifest = toAppManifest({
    organization,
    homepage: `${place.site}/`,
    hookUrl: hook.url,
    redirectUrl: `${origin}/setup/callback`,
  });
  const owner = organization === '' ? '' : `/organizations/${organization}`;
  return {
    choice,
    hook,
    organizationFault,
    registration: { manifest, action: `${place.site}${owner}/settings/apps/new` },
  };
}

/** What is wrong with the login of an organization; null: nothing. Empty: the person's own account. */
export function findOrganizationFault(organization: string): string | null {
  const isLogin = organization === '' || /^[A-Za-z\d](?:[A-Za-z\d_-]{0,38})$/u.test(organization);
  return isLogin ? null : 'An organization is given by its login, as in its address on GitHub.';
}
