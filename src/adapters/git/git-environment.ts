import { WorkspaceError } from '../../core/model/errors.ts';
import type { RemoteAccess } from '../../ports/git.ts';

/** Which transports besides https a remote may use. */
export interface Transports {
  /** For tests on repositories of this machine. */
  readonly allowFile: boolean;
  /** Host names that may be reached by plain http, besides loopback. */
  readonly plainHttpHosts: readonly string[];
}

/** A transport of git, as `protocol.<name>.allow` names it. */
export type Protocol = 'https' | 'http' | 'file';

/** Attributes are read from the empty tree: there are none. Newer versions of git would read them from the head in a bare repository. */
export const WITHOUT_ATTRIBUTES = { GIT_ATTR_SOURCE: '4b825dc642cb6eb9a060e54bf8d69288fbee4904' } as const;

const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost']);

/** fsck complaints that old, harmless histories have; anything else makes a fetch fail. */
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
  // Nothing of a repository may name a program that we then run (threats T20 to T22).
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.attributesFile=/dev/null',
  'core.excludesFile=/dev/null',
  'credential.helper=',
  'core.protectHFS=true',
  'core.protectNTFS=true',
  // What the checkout looks like must not depend on the machine.
  'core.fileMode=true',
  'core.symlinks=true',
  'core.ignoreCase=false',
  'core.autocrlf=false',
  'core.untrackedCache=false',
  'core.quotePath=false',
  // Objects that a workspace borrows must never be pruned under it.
  'gc.auto=0',
  'gc.pruneExpire=never',
  'maintenance.auto=false',
  // Everything fetched stays one checked pack, which can be measured and taken back.
  'fetch.unpackLimit=1',
  'transfer.fsckObjects=true',
  ...BENIGN_FSCK_IDS.map((id) => `fetch.fsck.${id}=ignore`),
  'submodule.recurse=false',
  'push.recurseSubmodules=no',
  'protocol.allow=never',
  // git repeats our header to whatever host a redirect names: renames are followed by the API, not here.
  'http.followRedirects=false',
  'http.lowSpeedLimit=1000',
  'http.lowSpeedTime=60',
];

/** The options that stand before every git command: our configuration only, and exactly the given transports. */
export function toGitOptions(protocols: readonly Protocol[], extra: readonly string[] = []): readonly string[] {
  const allowed = protocols.map((protocol) => `protocol.${protocol}.allow=always`);
  return [...FIXED_CONFIG, ...allowed, ...extra].flatMap((setting) => ['-c', setting]);
}

/**
 * The whole environment of a git command. `base` holds PATH and what the operator wants git to have (proxy, CA file). The
 * token travels as configuration in the environment: argv is readable by everyone, a file or URL would outlive the call.
 */
export function toGitEnvironment(
  base: Readonly<Record<string, string>>,
  remote: RemoteAccess | null,
): Readonly<Record<string, string>> {
  return {
    ...base,
    // No home: libcurl would read its .netrc, git its configuration.
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

/** `text` without the token of `remote`, plain or as it stands in the header. */
export function redactToken(text: string, remote: RemoteAccess | null): string {
  if (remote === null || remote.token.token === '') return text;
  return text.replaceAll(remote.token.token, '***').replaceAll(toBasicCredentials(remote), '***');
}

/**
 * The transport of a remote's address. Throws `WorkspaceError` (`FETCH_FAILED`, never retried) for any other transport than
 * https, for plain http to a host that is not allowed, and for an address that carries credentials.
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

function unusable(why: string): WorkspaceError {
  return new WorkspaceError('FETCH_FAILED', `the repository's address cannot be used: ${why}`, { retry: 'never' });
}
