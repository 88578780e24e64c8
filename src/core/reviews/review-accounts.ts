import type { Policy } from '../model/policy.ts';
import type { Actor } from '../model/pull-request.ts';
import { createNameMatcher } from '../paths/check-name-glob.ts';

/** What decides the roles of accounts in the reviews of one pull request. */
export interface ReviewAccounts {
  /** The author of the pull request; null if the account was deleted. */
  readonly author: Actor | null;
  /** Slug of our App, with or without `[bot]`; null if it is unknown. */
  readonly ownSlug: string | null;
  readonly policy: Pick<Policy['reviews'], 'allowBots' | 'ignore'>;
  /** Ids of the people with write access; null if they are unknown: then everybody counts. */
  readonly writers: ReadonlySet<number> | null;
  /** Ids of the people whose permission was not read. They count as unknown. */
  readonly unread: ReadonlySet<number>;
}

/** Role of an account in the reviews. `reviewer` and `allowed_bot` may ask for changes. */
export type Role = 'us' | 'author' | 'reviewer' | 'allowed_bot' | 'bot' | 'ignored' | 'outsider' | 'unknown';

/** Why an account cannot ask for changes. */
export type NoVoice = 'by_us' | 'by_author' | 'by_bot' | 'by_policy' | 'by_outsider' | 'author_unknown';

/**
 * Returns the role of each account. Only a bot can be our account, recognised by its slug, which belongs to one App. If our slug
 * is unknown, every bot could be ours: an unanswered thread is better than an answer to ourselves (trap 145).
 */
export function createRoles(accounts: ReviewAccounts): (actor: Actor | null) => Role {
  const { author, policy } = accounts;
  const ownSlug = accounts.ownSlug === null ? null : toName(accounts.ownSlug);
  const isIgnored = createIgnored(policy.ignore);
  const isAllowed = createNameMatcher(policy.allowBots.map(toName));
  return (actor) => {
    if (actor === null) return 'unknown';
    const name = toName(actor.login);
    if (actor.kind === 'bot' && (ownSlug === null || name === ownSlug)) return 'us';
    if (actor.id === author?.id) return 'author';
    if (isIgnored(actor)) return 'ignored';
    if (actor.kind === 'bot') return isAllowed(name) ? 'allowed_bot' : 'bot';
    return toRoleOfPerson(actor, accounts);
  };
}

function toRoleOfPerson({ id }: Actor, { writers, unread }: ReviewAccounts): Role {
  if (unread.has(id)) return 'unknown';
  return writers === null || writers.has(id) ? 'reviewer' : 'outsider';
}

const BOTS_ENDING = /\[bot\]$/iu;

const NO_VOICES: Readonly<Record<Role, NoVoice | null>> = {
  reviewer: null,
  allowed_bot: null,
  us: 'by_us',
  author: 'by_author',
  bot: 'by_bot',
  ignored: 'by_policy',
  outsider: 'by_outsider',
  unknown: 'author_unknown',
};

/** Why an account with this role cannot ask for changes; null if it can. */
export function whyNoVoice(role: Role): NoVoice | null {
  return NO_VOICES[role];
}

/** A glob that ends in `[bot]` matches only bots: without the ending, `*[bot]` would match everybody. */
function createIgnored(globs: Policy['reviews']['ignore']): (actor: Actor) => boolean {
  const isBot = createNameMatcher(globs.map(toName));
  const isPerson = createNameMatcher(globs.filter((glob) => !BOTS_ENDING.test(glob)).map(toName));
  return ({ kind, login }) => (kind === 'bot' ? isBot : isPerson)(toName(login));
}

/** Logins ignore case. REST calls a bot `name[bot]`, GraphQL `name`. */
function toName(login: string): string {
  return login.toLowerCase().replace(BOTS_ENDING, '');
}
