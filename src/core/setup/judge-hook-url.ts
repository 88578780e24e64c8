/** Where GitHub will send webhooks. */
export type HookUrl =
  | {
      readonly kind: 'usable';
      readonly url: string;
      /** What the operator should know about it; null: nothing. */
      readonly warning: string | null;
    }
  | { readonly kind: 'missing'; readonly why: string }
  | { readonly kind: 'refused'; readonly why: string };

/** The GitHub that has to reach this server. */
export interface HookPlace {
  /** Host of GitHub's pages, without a port: `github.com`. */
  readonly githubHostname: string;
  /** Whether it is GitHub's own service, which reaches public addresses only. */
  readonly isHosted: boolean;
  /** Path on which this server takes webhooks. */
  readonly path: string;
}

const HOW = 'Give the address under which GitHub reaches this server, such as https://ratchet.example.com.';
const TRY = 'To try Ratchet on a laptop, give the address of a tunnel or of a channel of https://smee.io.';

/** Judges the address that the operator gave. One without a path gets the path on which this server takes webhooks. */
export function judgeHookUrl(text: string, place: HookPlace): HookUrl {
  if (text === '') return { kind: 'missing', why: `GitHub has to know where to send webhooks. ${HOW} ${TRY}` };
  const url = URL.parse(text);
  if (url === null || !/^https?:$/u.test(url.protocol)) {
    return { kind: 'refused', why: `The webhook address is no http:// or https:// address. ${HOW}` };
  }
  if (url.username !== '' || url.password !== '' || url.hash !== '') {
    return { kind: 'refused', why: 'The webhook address must hold no user, no password and no fragment.' };
  }
  const fault = findReachFault(url.hostname, place);
  if (fault !== null) return { kind: 'refused', why: `${fault} ${HOW} ${TRY}` };
  if (url.pathname === '/') url.pathname = place.path;
  return { kind: 'usable', url: url.href, warning: findWarning(url, place) };
}

function findReachFault(hostname: string, { githubHostname, isHosted }: HookPlace): string | null {
  if (isThisMachine(githubHostname)) return null;
  if (isThisMachine(hostname)) return `GitHub cannot reach ${hostname}: that name means this machine only here.`;
  if (isHosted && isPrivate(hostname)) return `GitHub cannot reach ${hostname}: it is an address of a private network.`;
  return null;
}

function findWarning(url: URL, { githubHostname, path }: HookPlace): string | null {
  if (url.protocol === 'http:' && !isThisMachine(githubHostname)) {
    return 'Webhooks will travel unencrypted, with text of private repositories. Use https:// if you can.';
  }
  if (url.pathname === path) return null;
  return `This server takes webhooks on ${path}, and GitHub will send them to ${url.pathname}: something between them has to forward them.`;
}

/** Whether a host name, as `URL` writes it, means the machine that asks. */
export function isThisMachine(hostname: string): boolean {
  return /^(?:(?:.+\.)?localhost\.?|127\.[\d.]+|0\.0\.0\.0|\[::1?\]|\[::ffff:(?:7f[\da-f]{2}:[\da-f]+|0:0)\])$/u.test(
    hostname,
  );
}

/** Addresses of private networks, and names that no public name server answers for. */
function isPrivate(hostname: string): boolean {
  if (hostname.startsWith('[')) return /^\[(?:f[cd]|fe[89ab]|::ffff:)/u.test(hostname);
  if (/^[\d.]+$/u.test(hostname)) {
    return /^(?:0|10|192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01])|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\./u.test(
      hostname,
    );
  }
  return !hostname.includes('.') || /\.(?:local|internal|lan|home\.arpa|test|invalid)\.?$/u.test(hostname);
}
