import type { IncomingMessage } from 'node:http';
import { registerApp } from '../operations/register-app.ts';
import type { WorldContext } from '../world-context.ts';
import { type Manifest, readManifest } from './read-manifest.ts';

/** A page, or the way to another one. */
type PageAnswer = {
  readonly route: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
};

type PageRequest = { readonly message: IncomingMessage; readonly url: URL; readonly body: Buffer };

const NEW_APP = /^(?:\/organizations\/(?<organization>[^/]+))?\/settings\/apps\/new$/u;
const CREATE_APP = /^(?:\/organizations\/(?<organization>[^/]+))?\/settings\/apps$/u;

/** The pages on which a signed-in person registers an App from a manifest; null for any other path. */
export function serveAppPage(world: WorldContext, { message, url, body }: PageRequest): PageAnswer | null {
  const asked = NEW_APP.exec(url.pathname);
  const page = asked ?? CREATE_APP.exec(url.pathname);
  if (message.method !== 'POST' || page === null) return null;
  const login = signedInLogin(world, message);
  if (login === null) return toPage(302, '', { location: `${world.url}/login` });
  const ownerLogin = page.groups?.['organization'] ?? login;
  if (!world.state.accounts.has(ownerLogin.toLowerCase())) {
    return toPage(404, 'This is not the web page you are looking for.');
  }
  const form = new URLSearchParams(body.toString('utf8'));
  const manifest = readManifest(world, form.get('manifest') ?? '');
  if (typeof manifest === 'string') return toPage(422, `Invalid GitHub App configuration: ${manifest}`);
  return asked === null ? create(world, { manifest, ownerLogin, form }) : askForName(url, manifest, form);
}

/** The page with the name of the new App and the button that creates it. */
function askForName(url: URL, manifest: Manifest, form: URLSearchParams): PageAnswer {
  const action = url.pathname.replace(/\/new$/u, '');
  const fields = {
    manifest: form.get('manifest') ?? '',
    state: url.searchParams.get('state') ?? '',
    name: manifest.name ?? '',
  };
  const inputs = Object.entries(fields).map(([name, value]) => `<input name="${name}" value="${escape(value)}">`);
  return toPage(
    200,
    `<form action="${action}" method="post">${inputs.join('')}<button>Create GitHub App</button></form>`,
  );
}

/** The first App that is registered is the App of this world. Every further one is a stranger. */
function create(
  world: WorldContext,
  {
    manifest,
    ownerLogin,
    form,
  }: { readonly manifest: Manifest; readonly ownerLogin: string; readonly form: URLSearchParams },
): PageAnswer {
  const name = form.get('name') ?? '';
  const isTaken = world.state.apps.values().some((app) => app.name.toLowerCase() === name.toLowerCase());
  if (name === '' || name.length > 34 || isTaken)
    return toPage(422, `Name ${escape(name)} is already taken or invalid`);
  const isOurs = !world.state.manifestCodes.values().some(({ app }) => app.id === world.app.id);
  const { permissions, events } = manifest;
  const code = registerApp(world, { name, ownerLogin, isOurs, access: { permissions, events } });
  if (isOurs) world.deliveries.setUrl(manifest.hookUrl);
  const back = new URL(manifest.redirectUrl);
  back.searchParams.set('code', code);
  const state = form.get('state') ?? '';
  if (state !== '') back.searchParams.set('state', state);
  return toPage(302, '', { location: back.href });
}

function signedInLogin(world: WorldContext, message: IncomingMessage): string | null {
  const session = /(?:^|; )user_session=(?<token>\w+)/u.exec(message.headers.cookie ?? '')?.groups?.['token'] ?? '';
  const token = world.state.tokens.get(session);
  return token?.kind === 'user' ? token.login : null;
}

function toPage(status: number, text: string, headers: Readonly<Record<string, string>> = {}): PageAnswer {
  const body = Buffer.from(`<!DOCTYPE html>\n<html><body>${text}</body></html>\n`);
  return { route: 'page', status, headers: { 'content-type': 'text/html; charset=utf-8', ...headers }, body };
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
