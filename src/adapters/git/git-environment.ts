import { RepositoryError } from '../../core/model/errors.ts';
import { EMPTY_TREE } from '../../core/model/ids.ts';
import type { RemoteAccess } from '../../ports/git.ts';

/** Transports that a remote may use in addition to https. */
export interface Transports {
  /** Allows `file:` remotes, for tests. */
  readonly allowFile: boolean;
  /** Hosts that may be reached over plain http, in addition to loopback. */
  readonly plainHttpHosts: readonly string[];
}

/** A git transport, as in `protocol.<name>.allow`. */
export type Protocol = 'https' | 'http' | 'file';

/** Reads attributes from the empty tree, so there are none. In bare repositories, newer git reads them from HEAD. */
export const WITHOUT_ATTRIBUTES = { GIT_ATTR_SOURCE: EMPTY_TREE } as const;

const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost']);

/** fsck messages that old, harmless histories cause. Any other message makes a fetch fail. */
const BENIGN_FSCK_IDS = [
  'zeroPaddedFilemode',
  'badTimezone',
  'missingSpaceBeforeDate',
  'missingSpaceBeforeEmail',
  'missingNameBeforeEmail',
  'missingEmail',
  'missingTaggerEntry',
] as const;

const FIXED_CONFIG: readonly string[] = [
  // No content of a repository may name a program that git then runs (threats T20 to T22).
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.attributesFile=/dev/null',
  'core.excludesFile=/dev/null',
  'credential.helper=',
  'core.protectHFS=true',
  'core.protectNTFS=true',
  // A checkout must not depend on the machine.
  'core.fileMode=true',
  'core.symlinks=true',
  'core.ignoreCase=false',
  'core.autocrlf=false',
  'core.untrackedCache=false',
  'core.quotePath=false',
  // Workspaces borrow objects from the mirror, so these must never be pruned.
  'gc.auto=0',
  'gc.pruneExpire=never',
  'maintenance.auto=false',
  // Each fetch leaves one checked pack, which can be measured and removed.
  'fetch.unpackLimit=1',
  'transfer.fsckObjects=true',
  ...BENIGN_FSCK_IDS.map((id) => `fetch.fsck.${id}=ignore`),
  'submodule.recurse=false',
  'push.recurseSubmodules=no',
  'protocol.allow=never',
  // git would send the token to any host that a redirect names. The API handles renamed repositories.
  'http.followRedirects=false',
  'http.lowSpeedLimit=1000',
  'http.lowSpeedTime=60',
];

/** The options before every git command: only Ratchet's own configuration, and exactly the given transports. */
export function toGitOptions(protocols: readonly Protocol[], extra: readonly string[] = []): readonly string[] {
  const allowed = protocols.map((protocol) => `protocol.${protocol}.allow=always`);
  return [...FIXED_CONFIG, ...allowed, ...extra].flatMap((setting) => ['-c', setting]);
}

/**
 * The complete environment of a git command. `base` holds PATH and the operator's settings (proxy, CA file). The token
 * is passed as configuration in the environment: every user can read argv, and a file or URL would outlive the call.
 */
export function toGitEnvironment(
  base: Readonly<Record<string, string>>,
  remote: RemoteAccess | null,
): Readonly<Record<string, string>> {
  return {
    ...base,
    // No home: libcurl would read its .netrc and git its configuration.
    HOME: '/nonexistent',
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_LFS_SKIP_SMUDGE: '1',
    GIT_TERMINAL_PROMPT: '0',
    ...(remote === null ? {} : toTokenEnvironment(remote)),
  };
}

function toTokenEnvironment(remote: RemoteAccess): Readonly<Record<string, string>> {
  if (new URL(remote.url).protocol === 'file:') return {};
  return {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: `http.${remote.url}.extraHeader`,
    GIT_CONFIG_VALUE_0: `Authorization: Basic ${toBasicCredentials(remote)}`,
  };
}

function toBasicCredentials(remote: RemoteAccess): string {
  return Buffer.from(`x-access-token:${remote.token.token}`, 'utf8').toString('base64');
}

/** Returns `text` with the token of `remote` replaced, both plain and as encoded in the header. */
export function redactToken(text: string, remote: RemoteAccess | null): string {
  if (remote === null || remote.token.token === '') return text;
  return text.replaceAll(remote.token.token, '***').replaceAll(toBasicCredentials(remote), '***');
}

/**
 * The transport of a remote URL. Throws `RepositoryError` (`FETCH_FAILED`, never retried) for other transports, for
 * plain http to a host that is not allowed, and for a URL with credentials.
 */
export function toProtocol(url: string, transports: Transports): Protocol {
  if (!URL.canParse(url)) throw unusable('it is no URL');
  const { protocol, hostname, username, password } = new URL(url);
  if (username !== '' || password !== '') throw unusable('it carries credentials');
  if (protocol === 'https:') return 'https';
  if (protocol === 'http:' && (LOOPBACK.has(hostname) || transports.plainHttpHosts.includes(hostname))) return 'http';
  if (protocol === 'file:' && transports.allowFile) return 'file';
  throw unusable(`${protocol}//${hostname} is not allowed, only https`);
}

function unusable(why: string): RepositoryError {
  return new RepositoryError('FETCH_FAILED', `the repository's address cannot be used: ${why}`, { retry: 'never' });
}
