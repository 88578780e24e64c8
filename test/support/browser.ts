import { request } from 'node:http';

/** What a browser shows. */
export interface Shown {
  readonly status: number;
  /** The address in the address bar. */
  readonly url: string;
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A browser without scripts: it keeps cookies by host, follows redirects, and sends forms. */
export interface Browser {
  readonly open: (url: string, options?: { readonly method?: string; readonly host?: string }) => Promise<Shown>;
  /** Fills in and sends the form of a page with this number. */
  readonly send: (
    shown: Shown,
    form: number,
    values?: Readonly<Record<string, string>>,
    options?: { readonly follows?: boolean },
  ) => Promise<Shown>;
  readonly setCookie: (host: string, name: string, value: string) => void;
  readonly cookies: (host: string) => string;
}

interface Sent {
  readonly method: string;
  readonly body?: string;
  /** The header Host, where it is not that of the address. */
  readonly host?: string | undefined;
}

const MAX_REDIRECTS = 5;

export function createBrowser(): Browser {
  const jars = new Map<string, Map<string, string>>();
  const jarOf = (host: string): Map<string, string> => {
    const jar = jars.get(host) ?? new Map<string, string>();
    jars.set(host, jar);
    return jar;
  };
  const cookies = (host: string): string => [...jarOf(host)].map(([name, value]) => `${name}=${value}`).join('; ');

  async function load(target: string, sent: Sent, redirects = 0): Promise<Shown> {
    const url = new URL(target);
    const answer = await call(url, sent, cookies(url.hostname));
    for (const line of answer.setCookies) {
      const [name = '', value = ''] = (line.split(';', 1)[0] ?? '').split('=', 2);
      jarOf(url.hostname).set(name, value);
    }
    const { location } = answer.shown.headers;
    if (location === undefined || redirects === MAX_REDIRECTS) return answer.shown;
    return load(new URL(location, url).href, { method: 'GET', host: sent.host }, redirects + 1);
  }

  return {
    cookies,
    setCookie: (host, name, value) => void jarOf(host).set(name, value),
    open: (url, { method = 'GET', host } = {}) => load(url, { method, host }),
    send(shown, number, values = {}, { follows = true } = {}) {
      const { action, method, data } = fillIn(shown, number, values);
      if (method === 'post') return load(action.href, { method: 'POST', body: data }, follows ? 0 : MAX_REDIRECTS);
      action.search = data;
      return load(action.href, { method: 'GET' });
    },
  };
}

interface Filled {
  readonly action: URL;
  readonly method: string;
  readonly data: string;
}

function fillIn({ html, url }: Shown, number: number, values: Readonly<Record<string, string>>): Filled {
  const forms = [...html.matchAll(/<form action="([^"]*)" method="(\w+)">(.*?)<\/form>/gsu)];
  const form = forms[number];
  if (form === undefined) throw new Error(`the page has no form ${String(number)}:\n${html}`);
  const [, action = '', method = '', content = ''] = form;
  const filled = new URLSearchParams();
  for (const [, name = '', value = ''] of content.matchAll(/<input[^>]* name="([^"]*)" value="([^"]*)"/gu)) {
    filled.set(name, unescape(value));
  }
  for (const [name, value] of Object.entries(values)) filled.set(name, value);
  return { action: new URL(unescape(action), url), method, data: filled.toString() };
}

interface Answered {
  readonly shown: Shown;
  readonly setCookies: readonly string[];
}

/** `fetch` lets nobody set the header Host. */
async function call(url: URL, { method, body, host }: Sent, cookie: string): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const headers = {
      host: host ?? url.host,
      ...(cookie === '' ? {} : { cookie }),
      ...(body === undefined
        ? {}
        : { 'content-type': 'application/x-www-form-urlencoded', 'content-length': Buffer.byteLength(body) }),
    };
    const sent = request(url, { method, headers, agent: false }, (response) => {
      let html = '';
      response.setEncoding('utf8').on('data', (text: string) => {
        html += text;
      });
      response.once('end', () => {
        const headers: Record<string, string> = {};
        for (const [name, value] of Object.entries(response.headers)) headers[name] = String(value);
        const shown = { status: response.statusCode ?? 0, url: url.href, html, headers };
        resolve({ shown, setCookies: response.headers['set-cookie'] ?? [] });
      });
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

function unescape(text: string): string {
  const marks: readonly (readonly [string, string])[] = [
    ['&lt;', '<'],
    ['&gt;', '>'],
    ['&quot;', '"'],
    ['&#39;', "'"],
    ['&amp;', '&'],
  ];
  return marks.reduce((left, [entity, mark]) => left.replaceAll(entity, mark), text);
}
