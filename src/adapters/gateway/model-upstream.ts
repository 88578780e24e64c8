import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { ModelEndpoint } from '../../ports/model-gateway.ts';

/** The answer of a model's API, or why there is none. */
export type UpstreamAnswer =
  | { readonly kind: 'answer'; readonly status: number; readonly message: IncomingMessage }
  | {
      readonly kind: 'failed';
      /** null: the signal fired. */
      readonly fault: 'cut' | 'silent' | null;
      /** False: no byte of the request left. */
      readonly wasSent: boolean;
    };

export interface UpstreamCall {
  readonly endpoint: ModelEndpoint;
  /** Path and query, below the endpoint's URL. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly silenceMs: number;
  readonly signal: AbortSignal;
}

/** Connections to the APIs of models. They are kept open between calls. */
export interface ModelUpstream {
  /** Sends one request, once: nobody knows what a lost one cost. Redirects are not followed. Never rejects. */
  readonly send: (call: UpstreamCall) => Promise<UpstreamAnswer>;
  readonly close: () => void;
}

/** Shorter than what servers and proxies allow: a connection that closes in the moment of a call costs that call. */
const IDLE_MS = 15_000;

/** Variables of a proxy, as Node reads them. */
export type ProxyEnv = Readonly<Record<'HTTPS_PROXY' | 'HTTP_PROXY' | 'NO_PROXY', string>>;

/** `proxy` null: every model is reached directly. The proxy of the process is not used by agents of one's own. */
export function createModelUpstream(proxy: ProxyEnv | null = null): ModelUpstream {
  const options = { keepAlive: true, timeout: IDLE_MS, ...(proxy === null ? {} : { proxyEnv: { ...proxy } }) };
  const agents = { 'http:': new http.Agent(options), 'https:': new https.Agent(options) };

  async function send(call: UpstreamCall): Promise<UpstreamAnswer> {
    const { promise, resolve } = Promise.withResolvers<UpstreamAnswer>();
    const url = new URL(call.endpoint.url);
    const isSecure = url.protocol === 'https:';
    let wasSent = false;
    const request = (isSecure ? https : http).request({
      agent: isSecure ? agents['https:'] : agents['http:'],
      protocol: url.protocol,
      hostname: url.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: url.port,
      method: 'POST',
      path: `${url.pathname.replace(/\/+$/, '')}${call.target}`,
      headers: { ...call.headers, 'content-length': String(Buffer.byteLength(call.body)) },
    });
    const stop = (fault: 'cut' | 'silent' | null): void => {
      resolve({ kind: 'failed', fault, wasSent });
      request.destroy();
    };
    const silence = setTimeout(stop, call.silenceMs, 'silent');
    const onAbort = (): void => stop(null);
    call.signal.addEventListener('abort', onAbort);
    const onOpen = (): void => {
      wasSent = true;
    };
    request.on('socket', (socket) => {
      // Behind a proxy, the connection is open before it is given to the request.
      if (request.reusedSocket || !socket.connecting) onOpen();
      else socket.once(isSecure ? 'secureConnect' : 'connect', onOpen);
    });
    request.on('error', () => stop('cut'));
    request.on('response', (message) => resolve({ kind: 'answer', status: message.statusCode ?? 0, message }));
    // A server that switches protocols gives no answer to this request.
    request.on('upgrade', (_, socket) => {
      socket.destroy();
      stop('cut');
    });
    if (call.signal.aborted) stop(null);
    else request.end(call.body);
    const answer = await promise;
    clearTimeout(silence);
    call.signal.removeEventListener('abort', onAbort);
    return answer;
  }

  return {
    send,
    close: () => {
      agents['http:'].destroy();
      agents['https:'].destroy();
    },
  };
}
