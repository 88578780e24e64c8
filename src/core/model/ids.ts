/** Branded identifiers. Only their parse functions create them, so a plain string is never accepted as one. */
declare const brand: unique symbol;

/** A `Base` that was checked to be a `Name`. */
export type Brand<Base, Name extends string> = Base & { readonly [brand]: Name };

/** A full SHA-1 object name of git: 40 lower-case hexadecimal digits. */
export type Sha = Brand<string, 'Sha'>;
/** The GUID of a webhook delivery (`X-GitHub-Delivery`). */
export type DeliveryId = Brand<string, 'DeliveryId'>;
/** A session: an agent, or an announced person, that works on one pull request. */
export type SessionId = Brand<string, 'SessionId'>;
/** A run: work of Ratchet with folders, a time limit and exactly one end. Names its folders and its git references. */
export type RunId = Brand<string, 'RunId'>;
/** `<repositoryId>#<number>`: the identity of a pull request, stable over renames and transfers. */
export type PullRequestKey = Brand<string, 'PullRequestKey'>;
/** Milliseconds since 1970-01-01T00:00:00Z. */
export type EpochMs = number;

/** Thrown by the parse functions of this file for an invalid value. */
export class InvalidIdError extends Error {
  readonly code = 'INVALID_ID';

  constructor(what: string, value: string) {
    super(`not a ${what}: ${JSON.stringify(value.slice(0, 80))}`);
    this.name = 'InvalidIdError';
  }
}

function parseBranded<Name extends string>(value: string, what: Name, pattern: RegExp): Brand<string, Name> {
  if (!pattern.test(value)) throw new InvalidIdError(what, value);
  // oxlint-disable-next-line ours/banned-syntax -- the only place that creates a brand; the pattern proves it
  return value as Brand<string, Name>;
}

/** @throws InvalidIdError unless `value` is 40 lower-case hexadecimal digits. */
export function parseSha(value: string): Sha {
  return parseBranded(value, 'Sha', /^[0-9a-f]{40}$/);
}

/** The tree without entries, which every repository has. */
export const EMPTY_TREE: Sha = parseSha('4b825dc642cb6eb9a060e54bf8d69288fbee4904');

/** @throws InvalidIdError unless `value` is a GUID, as GitHub sends it in `X-GitHub-Delivery`. */
export function parseDeliveryId(value: string): DeliveryId {
  return parseBranded(value.toLowerCase(), 'DeliveryId', /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/);
}

/** @throws InvalidIdError unless `value` is 1 to 64 letters, digits, `_` or `-` (it names a folder). */
export function parseSessionId(value: string): SessionId {
  return parseBranded(value, 'SessionId', /^[A-Za-z0-9_-]{1,64}$/);
}

/** @throws InvalidIdError unless `value` is 1 to 64 letters, digits, `_` or `-` (it names a folder). */
export function parseRunId(value: string): RunId {
  return parseBranded(value, 'RunId', /^[A-Za-z0-9_-]{1,64}$/);
}

/** The id of a session's run. It has the same text as the session's id. */
export function toRunId(id: SessionId): RunId {
  return parseRunId(id);
}

/** @throws InvalidIdError unless `value` is `<repositoryId>#<number>`, both positive. */
export function parsePullRequestKey(value: string): PullRequestKey {
  return parseBranded(value, 'PullRequestKey', /^[1-9]\d{0,15}#[1-9]\d{0,9}$/);
}

/** Number of the pull request. */
export function toPullNumber(key: PullRequestKey): number {
  return Number(key.slice(key.indexOf('#') + 1));
}

/** The key of a pull request. `repositoryId` is GitHub's numeric id. @throws InvalidIdError unless both are positive. */
export function toPullRequestKey(repositoryId: number, number: number): PullRequestKey {
  return parsePullRequestKey(`${String(repositoryId)}#${String(number)}`);
}
