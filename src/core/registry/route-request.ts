import { type RegistryKind, type RegistryRoots, toOrigins } from './registry-roots.ts';

/** What is changed in an answer: the addresses of files, so that they are read through the proxy too. */
export type Rewrite = 'npm' | 'pypi' | 'cargo';

/** What the registry proxy does with a request. */
export type Route =
  | { readonly kind: 'fetch'; readonly of: RegistryKind; readonly url: string; readonly rewrite: Rewrite | null }
  /** A crate's file. Its address follows from the index's `config.json`. */
  | { readonly kind: 'crate'; readonly name: string; readonly version: string }
  | { readonly kind: 'answer'; readonly text: string }
  | { readonly kind: 'refused'; readonly reason: string };

/** First parts of the paths. No npm package begins with an underscore, so npm has the root. */
export const PATHS = { pypi: '/_pypi/', go: '/_go/', cargo: '/_cargo/', files: '/_files/' } as const;

const MAX_PATH_LENGTH = 2048;
const SUMDB = 'sumdb/sum.golang.org/';

const NPM_NAME = String.raw`(?:@[a-z0-9~-][\w.~-]*(?:\/|%2f))?[a-z0-9][\w.~-]*`;
const NPM_DOCUMENT = new RegExp(String.raw`^${NPM_NAME}(?:\/[\w.+~-]+)?$`, 'iu');
const NPM_TAGS = new RegExp(String.raw`^-\/package\/${NPM_NAME}\/dist-tags$`, 'iu');
const NPM_TARBALL = new RegExp(String.raw`^${NPM_NAME}\/-\/(?:@[\w.~-]+\/)?[\w.@~+-]+\.tgz$`, 'iu');
const PYPI_PROJECT = /^simple\/[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?\/?$/iu;
const GO_MODULE = String.raw`[a-z0-9!~_][a-z0-9!~_.-]*(?:\/[a-z0-9!~_.][a-z0-9!~_.-]*)*`;
const GO_FILE = new RegExp(
  String.raw`^${GO_MODULE}\/(?:@latest|@v\/list|@v\/[a-z0-9][a-z0-9!._~+-]*\.(?:info|mod|zip))$`,
  'u',
);
const GO_SUMS = /^(?:latest|lookup\/[a-z0-9!~_.\/-]+@v[a-z0-9!._~+-]+|tile\/[0-9a-z.\/]+)$/u;
const CARGO_ENTRY = /^index\/(?:1\/[\w-]|2\/[\w-]{2}|3\/[\w-]\/[\w-]{3}|[\w-]{2}\/[\w-]{2}\/[\w-]{4,64})$/u;
const CRATE = /^dl\/([\w-]{1,64})\/(\d+\.\d+\.\d+(?:[+-][\w.+-]{1,64})?)\/download$/u;
/** A percent sign may not hide a dot, a slash, a backslash, a NUL or another percent sign. */
const FILE = /^(npm|pypi)\/([a-z0-9.:[\]-]+)\/((?:[\w.~!+@,=/-]|%(?!00|25|2e|2f|5c)[0-9a-f]{2})+)$/iu;
const FILE_NAME = /\.(?:tgz|tar\.gz|tar\.bz2|tar\.xz|zip|whl|egg|metadata)$/iu;

/** Decides what a request may read. `target` is the target of the request line as it was sent. */
export function routeRequest(method: string, target: string, roots: RegistryRoots): Route {
  if (method !== 'GET' && method !== 'HEAD') return refused(`${method} is not allowed: packages can only be read`);
  if (!target.startsWith('/')) return refused('this is no proxy for other addresses: only the paths of packages');
  if (target.length > MAX_PATH_LENGTH) return refused('the path is too long');
  if (target.includes('?')) return refused('a query is not allowed');
  if (hasDotSegment(target)) return refused('a path may not go up');
  const found = ROUTES.find(([prefix]) => target.startsWith(prefix));
  return found === undefined ? routeNpm(target.slice(1), roots) : found[1](target.slice(found[0].length), roots);
}

function routeNpm(path: string, roots: RegistryRoots): Route {
  if (NPM_TARBALL.test(path)) return toFetch('npm', `${roots.npm}${path}`, null);
  if (NPM_DOCUMENT.test(path) || NPM_TAGS.test(path)) return toFetch('npm', `${roots.npm}${path}`, 'npm');
  return refused('this is no package of npm');
}

function routePypi(path: string, roots: RegistryRoots): Route {
  if (!PYPI_PROJECT.test(path)) return refused('this is no project of the Python index');
  const name = path.slice('simple/'.length).replace(/\/$/u, '');
  return toFetch('pypi', `${roots.pypi}${name.toLowerCase().replace(/[-_.]+/gu, '-')}/`, 'pypi');
}

function routeGo(path: string, roots: RegistryRoots): Route {
  if (GO_FILE.test(path)) return toFetch('go', `${roots.go}${path}`, null);
  if (path === `${SUMDB}supported`) return { kind: 'answer', text: '' };
  const sum = path.startsWith(SUMDB) ? path.slice(SUMDB.length) : '';
  return GO_SUMS.test(sum) ? toFetch('go', `${roots.sumdb}${sum}`, null) : refused('this is no module of Go');
}

function routeCargo(path: string, roots: RegistryRoots): Route {
  if (path === 'index/config.json') return toFetch('cargo', `${roots.cargo}config.json`, 'cargo');
  if (CARGO_ENTRY.test(path)) return toFetch('cargo', `${roots.cargo}${path.slice('index/'.length)}`, null);
  const [, name, version] = CRATE.exec(path) ?? [];
  if (name === undefined || version === undefined) return refused('this is no crate');
  return { kind: 'crate', name, version };
}

function routeFile(path: string, roots: RegistryRoots): Route {
  const [, kind, host, file] = FILE.exec(path) ?? [];
  if ((kind !== 'npm' && kind !== 'pypi') || file === undefined || !FILE_NAME.test(file)) {
    return refused('this is no file of a package');
  }
  const origin = toOrigins(kind, roots).find((allowed) => new URL(allowed).host === host);
  return origin === undefined
    ? refused(`${String(host)} is no host of this registry`)
    : toFetch(kind, `${origin}/${file}`, null);
}

const ROUTES: readonly (readonly [string, (path: string, roots: RegistryRoots) => Route])[] = [
  [PATHS.pypi, routePypi],
  [PATHS.go, routeGo],
  [PATHS.cargo, routeCargo],
  [PATHS.files, routeFile],
];

function hasDotSegment(path: string): boolean {
  return path.split('/').some((part) => part === '.' || part === '..');
}

function toFetch(of: RegistryKind, url: string, rewrite: Rewrite | null): Route {
  return { kind: 'fetch', of, url, rewrite };
}

function refused(reason: string): Route {
  return { kind: 'refused', reason };
}
