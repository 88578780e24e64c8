import type { Dialect } from '../model/model-use.ts';

/** Headers of one message, names in lower case, as Node gives them. */
export type IncomingHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

const TO_MODEL: Readonly<Record<Dialect, readonly string[]>> = {
  anthropic: ['accept', 'user-agent', 'anthropic-version'],
  openai: ['accept', 'user-agent'],
  gemini: ['accept', 'user-agent', 'x-goog-api-client'],
};

/** Betas that make a call cost more than the price table says, or that want another kind of key. */
const REFUSED_BETA = /^(?:fast-mode|extended-cache-ttl|oauth)/;

const TO_AGENT =
  /^(?:request-id|x-request-id|retry-after|retry-after-ms|x-should-retry|(?:anthropic|x)-ratelimit-[a-z-]+)$/;

/** Visible ASCII and spaces: nothing that ends a header. */
const HEADER_VALUE = /^[\x20-\x7e]{1,4096}$/;

/** The headers that the model's API gets: a few of the agent's, and the key. Nothing else of the agent's request passes. */
export function toModelHeaders(
  dialect: Dialect,
  headers: IncomingHeaders,
  key: string,
): Readonly<Record<string, string>> {
  return {
    ...keepHeaders(headers, (name) => TO_MODEL[dialect].includes(name)),
    ...(dialect === 'anthropic' && toBetaHeader(headers['anthropic-beta'])),
    ...toKeyHeader(dialect, key),
    'accept-encoding': 'identity',
    'content-type': 'application/json',
  };
}

function toBetaHeader(value: IncomingHeaders[string]): Readonly<Record<string, string>> {
  if (typeof value !== 'string' || !HEADER_VALUE.test(value)) return {};
  const betas = value.split(',').filter((name) => !REFUSED_BETA.test(name.trim()));
  return betas.length === 0 ? {} : { 'anthropic-beta': betas.join(',') };
}

function toKeyHeader(dialect: Dialect, key: string): Readonly<Record<string, string>> {
  switch (dialect) {
    case 'anthropic':
      return { 'x-api-key': key };
    case 'openai':
      return { authorization: `Bearer ${key}` };
    case 'gemini':
      return { 'x-goog-api-key': key };
  }
}

/** The headers of an answer that the agent gets, beside its content type. None has the key in it. */
export function toAgentHeaders(headers: IncomingHeaders, key: string): Readonly<Record<string, string>> {
  return keepHeaders(headers, (name, value) => TO_AGENT.test(name) && !value.includes(key));
}

function keepHeaders(
  headers: IncomingHeaders,
  isKept: (name: string, value: string) => boolean,
): Readonly<Record<string, string>> {
  const kept: [string, string][] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string' && HEADER_VALUE.test(value) && isKept(name, value)) kept.push([name, value]);
  }
  return Object.fromEntries(kept);
}

/** Everything in a request that may be a key. `target` is its path with the query. */
export function findCredentials(headers: IncomingHeaders, target: string): readonly string[] {
  const found = [
    headers['x-api-key'],
    headers['x-goog-api-key'],
    typeof headers['authorization'] === 'string' ? headers['authorization'].replace(/^Bearer +/i, '') : undefined,
    /[?&]key=([\w-]+)/.exec(target)?.[1],
  ];
  return found.filter((value) => typeof value === 'string');
}
