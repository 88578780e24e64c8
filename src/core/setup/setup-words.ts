import type { RegisteredApp } from '../model/registered-app.ts';

/** What the terminal says while an App is registered. */
export interface SetupAnnouncement {
  /** Addresses that open the page, the nearest first. */
  readonly urls: readonly string[];
  readonly minutes: number;
  /** Whether an agent is configured, and the start will get that far; null: nothing is started. */
  readonly hasAgent: boolean | null;
  /** Whether the page is sent unencrypted over a network. */
  readonly isExposed: boolean;
}

/** Announces the page. The token in its address is a secret. */
export function announceSetup({ urls, minutes, hasAgent, isExposed }: SetupAnnouncement): string {
  return [
    'No GitHub App is registered yet. Open this page to register one:',
    '',
    ...urls.map((url) => `  ${url}`),
    '',
    `The link works once, in one browser, for ${String(minutes)} minutes. Do not share it.`,
    'From another machine: ssh -L PORT:localhost:PORT SERVER, then open the link there.',
    ...(isExposed ? ['Warning: HOST is no address of this machine alone, and this page is not encrypted.'] : []),
    ...(hasAgent === false
      ? ['RATCHET_AGENT is not set: the App will be registered and stored, and Ratchet will stop then.']
      : []),
    '',
  ].join('\n');
}

/** Says that the App is stored. Goes to a person who may have to start the service by hand. */
export function reportStored({ name, appId, pageUrl }: RegisteredApp, path: string): string {
  return [
    `The GitHub App ${JSON.stringify(name)} (${String(appId)}) is registered. Its key and secret are in ${path}.`,
    `Install it on your repositories: ${pageUrl}/installations/new`,
    '',
  ].join('\n');
}

/** Says that nobody finished the registration in time. */
export function reportExpired(minutes: number, settings: string): string {
  return [
    `Nobody registered an App within ${String(minutes)} minutes, so the page is closed. Start again to get a new link.`,
    `If GitHub made an App meanwhile, its key is lost: delete the App at ${settings}.`,
    '',
  ].join('\n');
}

/** Says that `init` has nothing to do, and how to register another App. */
export function reportAlreadyStored({ name, appId, pageUrl }: RegisteredApp, path: string): string {
  return [
    `ratchet: init: the GitHub App ${JSON.stringify(name)} (${String(appId)}, ${pageUrl}) is registered already, in ${path}.`,
    `To register another one, stop Ratchet, move that file away, run \`ratchet init\` again, and then delete the old App on GitHub.`,
    '',
  ].join('\n');
}
