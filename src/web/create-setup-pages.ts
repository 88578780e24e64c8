import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { EpochMs } from '../core/model/ids.ts';
import type { RegisteredApp } from '../core/model/registered-app.ts';
import { renderSetupForm, renderSetupTrouble, renderStoredApp } from '../core/setup/render-setup-page.ts';
import { SETUP_REFUSALS } from '../core/setup/setup-trouble.ts';
import { type SetupChoice, type SetupPlace, toSetupView } from '../core/setup/setup-view.ts';
import type { Clock } from '../ports/clock.ts';
import { type PageHosts, toPageOrigin } from './page-origin.ts';
import { refuse } from './refusal.ts';
import { createRefusalLog, SETUP_MESSAGES } from './refusal-log.ts';
import { sendPage, toSafeHeaders } from './send-page.ts';
import type { RequestHandler } from './server.ts';
import {
  createRegistrations,
  type RegistrationEnd,
  type Registrations,
  type RegistrationsDeps,
} from './setup-registrations.ts';

/** What the set-up pages need. */
export interface SetupPagesDeps extends Omit<RegistrationsDeps, 'site'> {
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
  /** Called once the last page was sent. */
  readonly onStored: (app: RegisteredApp) => void;
  readonly clock: Clock;
}

const ROOT = '/setup';
const CALLBACK = '/setup/callback';
const COOKIE = 'ratchet-setup';
const LOG_LIMITS = { windowMs: 60_000, linesPerWindow: 20 } as const;

/** What a request is answered with. */
type Answer =
  | RegistrationEnd
  | { readonly kind: 'form'; readonly html: string }
  | { readonly kind: 'open'; readonly cookie: string };

/**
 * The pages that register the App: `/setup?token=…` opens the form in one browser, GitHub sends that browser back to
 * `/setup/callback`. Neither exists once an App is stored, or after `endsAt`. Addresses are not logged: they hold secrets.
 */
export function createSetupPages(deps: SetupPagesDeps): RequestHandler {
  const registrations = createRegistrations({ ...deps, site: deps.place.site });
  const send = createSend(deps);
  const respond = createRespond(deps, registrations);
  return async (request, response) => {
    const url = URL.parse(request.url ?? '', 'http://localhost');
    if (url === null || (url.pathname !== ROOT && url.pathname !== CALLBACK)) return false;
    if (registrations.isOver() || deps.clock.now() >= deps.endsAt) return false;
    const origin = toPageOrigin(request.headers.host, deps.hosts);
    const answer = await respond(request, { url, origin });
    send(request, response, { answer, isSecure: origin?.startsWith('https:') ?? false });
    return true;
  };
}

type Respond = (request: IncomingMessage, at: { readonly url: URL; readonly origin: string | null }) => Promise<Answer>;

function createRespond(deps: SetupPagesDeps, registrations: Registrations): Respond {
  let cookie: string | null = null;

  /** The first browser with the token gets the cookie, and no other. The token does not stay in the address of the page. */
  function open(token: string, isKnown: boolean): Answer {
    if (cookie === null && isSame(token, deps.token)) cookie = deps.newSecret();
    else if (!isKnown) return { kind: 'refused', code: 'SETUP_TOKEN_WRONG' };
    return { kind: 'open', cookie: cookie ?? '' };
  }

  return async (request, { url, origin }) => {
    if (origin === null) return { kind: 'refused', code: 'HOST_UNKNOWN' };
    if (request.method !== 'GET') return { kind: 'refused', code: 'METHOD_NOT_ALLOWED' };
    const isKnown = cookie !== null && isSame(readCookie(request), cookie);
    const token = url.pathname === ROOT ? url.searchParams.get('token') : null;
    if (token !== null) return open(token, isKnown);
    if (!isKnown) return { kind: 'refused', code: 'SETUP_TOKEN_WRONG' };
    if (url.pathname === CALLBACK) return await registrations.finish(url.searchParams);
    return showForm(deps, registrations, { asked: url.searchParams, origin });
  };
}

function showForm(
  { choice: first, place, endsAt }: SetupPagesDeps,
  registrations: Registrations,
  { asked, origin }: { readonly asked: URLSearchParams; readonly origin: string },
): Answer {
  const choice = {
    organization: (asked.get('organization') ?? first.organization).trim(),
    webhookUrl: (asked.get('webhook') ?? first.webhookUrl).trim(),
  };
  const view = toSetupView(choice, { place, origin });
  const state = view.registration === null ? '' : registrations.begin(choice.organization);
  return { kind: 'form', html: renderSetupForm(view, { state, endsAt }) };
}

type Send = (
  request: IncomingMessage,
  response: ServerResponse,
  made: { readonly answer: Answer; readonly isSecure: boolean },
) => void;

function createSend({ log, clock, place, goesOn, onStored }: SetupPagesDeps): Send {
  const logRefusal = createRefusalLog(log, clock, LOG_LIMITS, SETUP_MESSAGES);
  const { origin: site } = new URL(place.site);
  return (request, response, { answer, isSecure }) => {
    switch (answer.kind) {
      case 'form':
        sendPage(response, { status: 200, html: answer.html, site });
        return;
      case 'open':
        response.writeHead(303, {
          ...toSafeHeaders(site),
          'content-length': 0,
          location: ROOT,
          'set-cookie': `${COOKIE}=${answer.cookie}; Path=${ROOT}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`,
        });
        response.end();
        return;
      case 'trouble':
        sendPage(response, { status: answer.trouble.status, html: renderSetupTrouble(answer.trouble), site });
        return;
      case 'refused': {
        const trouble = SETUP_REFUSALS[answer.code];
        logRefusal({ refusal: refuse(answer.code), bytes: 0, remoteAddress: request.socket.remoteAddress ?? null });
        if (trouble.status === 405) response.setHeader('allow', 'GET');
        // A body is not read.
        response.setHeader('connection', 'close');
        sendPage(response, { status: trouble.status, html: renderSetupTrouble(trouble), site });
        return;
      }
      case 'stored':
        // The browser may be gone by now.
        if (response.closed) onStored(answer.app);
        else response.once('close', () => onStored(answer.app));
        sendPage(response, { status: 200, html: renderStoredApp(answer.app, goesOn), site });
    }
  };
}

function readCookie({ headers }: IncomingMessage): string {
  return new RegExp(`(?:^|; ?)${COOKIE}=([^;]*)`, 'u').exec(headers.cookie ?? '')?.[1] ?? '';
}

/** Takes constant time for texts of any length. */
function isSame(left: string, right: string): boolean {
  const toDigest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(toDigest(left), toDigest(right));
}
