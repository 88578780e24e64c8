import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { EpochMs } from '../core/model/ids.ts';
import type { RegisteredApp } from '../core/model/registered-app.ts';
import { renderSetupForm, renderSetupTrouble, renderStoredApp } from '../core/setup/render-setup-page.ts';
import { SETUP_REFUSALS, type SetupRefusal, type SetupTrouble, toSetupTrouble } from '../core/setup/setup-trouble.ts';
import { type SetupChoice, type SetupPlace, toSetupView } from '../core/setup/setup-view.ts';
import type { TakenApp } from '../core/setup/taken-app.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import { type PageHosts, toPageOrigin } from './page-origin.ts';
import { refuse } from './refusal.ts';
import { createRefusalLog, SETUP_MESSAGES } from './refusal-log.ts';
import { sendPage, toSafeHeaders } from './send-page.ts';
import type { RequestHandler } from './server.ts';

/** What the set-up pages need. */
export interface SetupPagesDeps {
  /** Opens the page, once. */
  readonly token: string;
  /** From then on the pages do not exist. */
  readonly endsAt: EpochMs;
  /** Whether the server starts to work once the App is stored. */
  readonly goesOn: boolean;
  readonly hosts: PageHosts;
  readonly place: SetupPlace;
  /** What the fields hold at first. */
  readonly choice: SetupChoice;
  readonly take: (registration: { readonly code: string; readonly organization: string }) => Promise<TakenApp>;
  /** Called once, when the last page was sent. */
  readonly onStored: (app: RegisteredApp) => void;
  readonly newSecret: () => string;
  readonly clock: Clock;
  readonly log: Log;
}

const ROOT = '/setup';
const CALLBACK = '/setup/callback';
const COOKIE = 'ratchet-setup';
/** Each look at the form makes one. The oldest go first. */
const MAX_STATES = 32;
const LOG_LIMITS = { windowMs: 60_000, linesPerWindow: 20 } as const;

/** A registration that was begun, by its state. */
interface Registration {
  readonly organization: string;
  /** The code that is being exchanged. */
  taking: { readonly code: string; readonly taken: Promise<TakenApp> } | null;
}

/** What a request is answered with. */
type Answer =
  | { readonly kind: 'page'; readonly status: number; readonly html: string }
  | { readonly kind: 'open'; readonly cookie: string }
  | { readonly kind: 'refused'; readonly code: SetupRefusal }
  | { readonly kind: 'stored'; readonly app: RegisteredApp };

/**
 * The pages that register the App: `/setup?token=…` opens the form in one browser, GitHub sends that browser back to
 * `/setup/callback`. Neither exists once an App is stored, or after `endsAt`. Addresses are not logged: they hold secrets.
 */
export function createSetupPages(deps: SetupPagesDeps): RequestHandler {
  const logRefusal = createRefusalLog(deps.log, deps.clock, LOG_LIMITS, SETUP_MESSAGES);
  const registrations = new Map<string, Registration>();
  let cookie: string | null = null;
  let isOver = false;

  return async (request, response) => {
    const url = URL.parse(request.url ?? '', 'http://localhost');
    if (url === null || (url.pathname !== ROOT && url.pathname !== CALLBACK)) return false;
    if (isOver || deps.clock.now() >= deps.endsAt) return false;
    const origin = toPageOrigin(request.headers.host, deps.hosts);
    send(request, response, {
      answer: await respond(request, { url, origin }),
      isSecure: origin?.startsWith('https:') ?? false,
    });
    return true;
  };

  async function respond(
    request: IncomingMessage,
    { url, origin }: { readonly url: URL; readonly origin: string | null },
  ): Promise<Answer> {
    if (origin === null) return { kind: 'refused', code: 'HOST_UNKNOWN' };
    if (request.method !== 'GET') return { kind: 'refused', code: 'METHOD_NOT_ALLOWED' };
    const isKnown = cookie !== null && isSame(readCookie(request), cookie);
    const token = url.pathname === ROOT ? url.searchParams.get('token') : null;
    if (token !== null) return isKnown ? toOpen() : openFirst(token);
    if (!isKnown) return { kind: 'refused', code: 'SETUP_TOKEN_WRONG' };
    return url.pathname === ROOT ? showForm(url, origin) : await finish(url);
  }

  /** The first browser with the token gets the cookie. Nobody gets another one. */
  function openFirst(token: string): Answer {
    if (cookie !== null || !isSame(token, deps.token)) return { kind: 'refused', code: 'SETUP_TOKEN_WRONG' };
    cookie = deps.newSecret();
    return toOpen();
  }

  /** The token does not stay in the address of the page. */
  function toOpen(): Answer {
    return { kind: 'open', cookie: cookie ?? '' };
  }

  function showForm({ searchParams }: URL, origin: string): Answer {
    const choice = {
      organization: (searchParams.get('organization') ?? deps.choice.organization).trim(),
      webhookUrl: (searchParams.get('webhook') ?? deps.choice.webhookUrl).trim(),
    };
    const view = toSetupView(choice, { place: deps.place, origin });
    const state = deps.newSecret();
    if (view.registration !== null) {
      registrations.set(state, { organization: choice.organization, taking: null });
      const oldest = registrations.keys().next().value;
      if (registrations.size > MAX_STATES && oldest !== undefined) registrations.delete(oldest);
    }
    return { kind: 'page', status: 200, html: renderSetupForm(view, { state, endsAt: deps.endsAt }) };
  }

  async function finish({ searchParams }: URL): Promise<Answer> {
    const state = searchParams.get('state') ?? '';
    const code = searchParams.get('code') ?? '';
    const registration = registrations.get(state);
    if (registration === undefined) return { kind: 'refused', code: 'STATE_WRONG' };
    if (!/^[\w-]{1,200}$/u.test(code)) return { kind: 'refused', code: 'CODE_WRONG' };
    // The same address loaded twice at once is one registration: the code is good for one exchange.
    if (registration.taking !== null && registration.taking.code !== code)
      return { kind: 'refused', code: 'STATE_WRONG' };
    registration.taking ??= { code, taken: takeOne(registration.organization, code) };
    const taken = await registration.taking.taken;
    registration.taking = null;
    if (taken.kind === 'stored') return { kind: 'stored', app: taken.app };
    // Without an answer the code may still be good, so the same address may be loaded again.
    if (taken.kind !== 'no_answer') registrations.delete(state);
    deps.log.warn({ outcome: taken.kind, why: taken.why }, 'the App could not be registered');
    return toTroublePage(toSetupTrouble(taken, toSettings(registration.organization)));
  }

  async function takeOne(organization: string, code: string): Promise<TakenApp> {
    const taken = await deps.take({ code, organization });
    if (taken.kind === 'stored') isOver = true;
    return taken;
  }

  function toSettings(organization: string): string {
    return `${deps.place.site}${organization === '' ? '' : `/organizations/${organization}`}/settings/apps`;
  }

  function send(
    request: IncomingMessage,
    response: ServerResponse,
    { answer, isSecure }: { readonly answer: Answer; readonly isSecure: boolean },
  ): void {
    const site = new URL(deps.place.site).origin;
    switch (answer.kind) {
      case 'page':
        sendPage(response, { ...answer, site });
        return;
      case 'open': {
        const attributes = `Path=${ROOT}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
        const headers = {
          ...toSafeHeaders(site),
          location: ROOT,
          'set-cookie': `${COOKIE}=${answer.cookie}; ${attributes}`,
        };
        response.writeHead(303, { ...headers, 'content-length': 0 }).end();
        return;
      }
      case 'refused': {
        const remoteAddress = request.socket.remoteAddress ?? null;
        logRefusal({ refusal: refuse(answer.code), bytes: 0, remoteAddress });
        if (answer.code === 'METHOD_NOT_ALLOWED') response.setHeader('allow', 'GET');
        // A body is not read.
        response.setHeader('connection', 'close');
        const trouble = SETUP_REFUSALS[answer.code];
        sendPage(response, { status: trouble.status, html: renderSetupTrouble(trouble), site });
        return;
      }
      case 'stored':
        // The browser may be gone by now.
        if (response.closed) deps.onStored(answer.app);
        else response.once('close', () => deps.onStored(answer.app));
        sendPage(response, { status: 200, html: renderStoredApp(answer.app, deps.goesOn), site });
    }
  }
}

function toTroublePage(trouble: SetupTrouble): Answer {
  return { kind: 'page', status: trouble.status, html: renderSetupTrouble(trouble) };
}

function readCookie({ headers }: IncomingMessage): string {
  return new RegExp(`(?:^|; ?)${COOKIE}=([^;]*)`, 'u').exec(headers.cookie ?? '')?.[1] ?? '';
}

/** Takes constant time for texts of any length. */
function isSame(left: string, right: string): boolean {
  const toDigest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(toDigest(left), toDigest(right));
}
