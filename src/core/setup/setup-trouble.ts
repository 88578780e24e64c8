import type { TakenApp } from './taken-app.ts';

/** What went wrong at a set-up page, and what to do. */
export interface SetupTrouble {
  /** Status of the response. */
  readonly status: 400 | 403 | 405 | 421 | 500 | 502;
  readonly title: string;
  readonly lines: readonly string[];
}

/** Why a request to a set-up page is refused before anything is done. */
export const SETUP_REFUSALS = {
  METHOD_NOT_ALLOWED: {
    status: 405,
    title: 'This page can only be opened',
    lines: ['Open the link that Ratchet printed in its terminal.'],
  },
  HOST_UNKNOWN: {
    status: 421,
    title: 'Open this page under another address',
    lines: [
      'This page is shown at localhost, at the address in HOST, and at the https:// address in RATCHET_WEBHOOK_URL.',
      'From another machine, use a tunnel: ssh -L 3000:localhost:3000 SERVER, with the port of Ratchet. Then open the printed link.',
    ],
  },
  SETUP_TOKEN_WRONG: {
    status: 403,
    title: 'This link is not valid',
    lines: [
      'The set-up page opens with the link that Ratchet printed in its terminal, once, and only in the browser that opened it first.',
      'To get a new link, stop Ratchet and start it again.',
    ],
  },
  STATE_WRONG: {
    status: 403,
    title: 'This answer of GitHub was not expected',
    lines: [
      'Its state is missing, was used already, or belongs to another set-up. Nothing was stored.',
      'Go back to the set-up page and register the App from there. If GitHub made an App just now, delete it in your settings on GitHub (Developer settings, GitHub Apps, Advanced).',
    ],
  },
  CODE_WRONG: {
    status: 400,
    title: 'This answer of GitHub has no code',
    lines: ['Nothing was stored. Go back to the set-up page and register the App again.'],
  },
} as const satisfies Readonly<Record<string, SetupTrouble>>;

/** Name of a refusal. The log shows it. */
export type SetupRefusal = keyof typeof SETUP_REFUSALS;

/** What to tell about a registration whose last step failed. `settings` is GitHub's page with the owner's Apps. */
export function toSetupTrouble(taken: Exclude<TakenApp, { readonly kind: 'stored' }>, settings: string): SetupTrouble {
  switch (taken.kind) {
    case 'code_refused':
      return {
        status: 400,
        title: 'GitHub does not accept the code',
        lines: [
          `GitHub gives the key of a new App once, within an hour. This code was used already, is too old, or is not GitHub's. (${taken.why})`,
          `Nothing was stored. Delete the App that was just made, if there is one, at ${settings}. Then go back to the set-up page and register it again.`,
        ],
      };
    case 'no_answer':
      return {
        status: 502,
        title: 'GitHub did not give the App',
        lines: [
          taken.why,
          `Nothing was stored. Reload this page to try again. If GitHub then refuses the code, delete the App at ${settings}, and register it again from the set-up page.`,
        ],
      };
    case 'other_app':
      return {
        status: 400,
        title: 'GitHub answered with an App that cannot be used',
        lines: [
          `${taken.why}. Nothing was stored.`,
          `If the App (${taken.pageUrl}) is yours, delete it at ${settings}. Then register one from the set-up page.`,
        ],
      };
    case 'not_stored':
      return {
        status: 500,
        title: 'The App could not be stored',
        lines: [
          `${taken.why}.`,
          `GitHub gives the key of an App once, so this App (${taken.pageUrl}) cannot be used from here: delete it at ${settings}, or make a new private key there and set APP_ID, PRIVATE_KEY_PATH and WEBHOOK_SECRET. Then correct the problem of the data folder, and start again.`,
        ],
      };
  }
}
