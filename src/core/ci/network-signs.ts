/**
 * How programs name a trouble of the network, of a name server, or of a server that does not answer. The words alone mean nothing,
 * because code and its tests are about them too: a rule says who must have written them.
 */

/** Errors of the operating system: `man 3 errno`, https://nodejs.org/api/errors.html#common-system-errors */
const ERRNO = [
  '\\be(?:conn(?:reset|refused|aborted)|(?:socket)?timedout|ai_again|notfound|pipe|(?:net|host)unreach)\\b',
  '\\berr_socket_timeout\\b',
  '\\bund_err_\\w*timeout\\b',
];

/** A connection that was not made, or was lost. */
const CONNECTION = [
  'connection (?:was )?(?:reset|refused|closed|aborted|broken|timed out|timeout|died|terminated|failed)',
  '(?:reset|closed|hung up) by (?:the )?(?:peer|remote host)',
  'remote (?:host|end) (?:hung up|closed|terminated)',
  'socket hang up',
  'broken pipe',
  'network (?:is unreachable|error|failure|socket disconnected)',
  'no route to host',
  'host is unreachable',
  "(?:failed|unable|could not|couldn't|can't|cannot) (?:to )?(?:connect|open tcp connection)\\b",
  '(?:recv|send) failure',
  'stream error',
  'http/?2 (?:stream|framing)',
  'rpc failed',
  '(?:early|unexpected|premature) (?:eof|end of file)',
  ': eof$',
  'unexpected disconnect',
  'internal_error',
  'premature (?:close|end of)',
  'incompleteread',
  'transfer closed',
  'operation too slow',
  'error sending request',
  'invalid response body',
  'other side closed',
  'peer not authenticated',
  'failed to respond',
  '(?:retries exceeded|after \\d+ retries)',
  'failed_connect',
  '\\b(?:recv|send) error\\b',
  'non-properly terminated',
  'no data (?:was|has been)? ?received',
  'resource temporarily unavailable',
];

/** An answer that did not come in time. */
const LATE = [
  '\\btime(?:d|s)[ -]?out\\b',
  '(?:connection|connect|read|request|response|socket|gateway|network|client\\.|open|handshake) ?timeout\\b',
  '\\btimeout(?: (?:was|after|of|on|exceeded|error|waiting|awaiting|while|expired)\\b)',
  '(?:\\bi/o|:) timeout\\b(?! ?[:=])',
  'deadline exceeded',
  'execution expired',
];

/** A name that was not resolved. */
const NAMES = [
  "(?:could not|couldn't|unable to|failed to|cannot|can't) (?:resolve (?:host|proxy|address|the host|'[\\w-]+\\.[\\w.-]+'$)|look ?up \\S+)",
  'name resolution',
  'name or service not known',
  'no (?:such host|address associated)',
  'server misbehaving',
  'getaddrinfo',
  'nodename nor servname',
  'unknown ?host',
  'dns (?:error|lookup)',
  'temporary (?:failure|error)',
  'could not be resolved',
];

/** A connection that could not be encrypted, or a certificate that has expired. */
const TLS = [
  'tls handshake',
  'ssl_(?:error_syscall|read|connect)',
  'ssl connect error',
  'sslerror',
  'handshake[ _](?:failure|failed|terminated)',
  'during (?:the )?(?:ssl|tls)? ?handshake',
  'received fatal alert',
  'certificate (?:has|is) (?:expired|not yet valid)',
  'cert_has_expired',
  'gnutls_\\w+\\(\\) failed',
];

/** A server that answers with an error of its own, or is asked too often: https://www.rfc-editor.org/rfc/rfc9110#section-15.6 */
const SERVER = [
  '\\b(?:http|status|error|code|response|received|returned|returns|got|failed)\\b[^\\d]{0,30}(?:50[0-4]|52[0-7]|429)\\b',
  '\\bhttp/[\\d.]+ (?:50[0-4]|52[0-7]|429)\\b',
  '\\b(?:50[0-4]|52[0-7]|429)(?: status| response|:? (?:internal|bad|service|gateway|too|server|origin|backend|error|first|connection|web))',
  'internal server error',
  'server error: ',
  'upstream connect error',
  'bad gateway',
  '(?:service|server|temporarily) (?:is )?(?:currently )?unavailable',
  'gateway time-?out',
  'too ?many ?requests',
  'rate ?limit',
];

/** What arrived is not what the server announced. */
const DAMAGED = [
  'hash sum mismatch',
  'file has unexpected size',
  'mirror sync in progress',
  'unexpected end of data',
  'file appears to be corrupt',
];

/** Any trouble between this machine and another one. */
export const NETWORK_TROUBLE: RegExp = new RegExp(
  [ERRNO, CONNECTION, LATE, NAMES, TLS, SERVER, DAMAGED].flat().join('|'),
  'iu',
);
