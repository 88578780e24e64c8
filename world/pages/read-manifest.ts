import { isObject, type Json, type JsonObject, objectAt, parseAnyJson, stringAt, stringsAt } from '../json.ts';
import type { AccessLevel, Permissions } from '../state.ts';
import type { WorldContext } from '../world-context.ts';

/** What a manifest asks for. */
export type Manifest = {
  readonly name: string | null;
  readonly hookUrl: string;
  readonly redirectUrl: string;
  readonly permissions: Permissions;
  readonly events: readonly string[];
};

/** The parameters that GitHub documents. */
const PARAMETERS = new Set([
  ...['name', 'url', 'hook_attributes', 'redirect_url', 'callback_urls', 'setup_url', 'description', 'public'],
  ...['default_events', 'default_permissions', 'request_oauth_on_install', 'setup_on_update'],
]);

/** Reads the parameter `manifest`, or says what is wrong with it. What GitHub does not document is a violation. */
export function readManifest(world: WorldContext, text: string): Manifest | string {
  const json = parseOrNull(text);
  if (!isObject(json)) return 'the manifest is not a JSON object';
  const unknown = Object.keys(json).filter((name) => !PARAMETERS.has(name));
  if (unknown.length > 0) world.violations.push(`manifest: ${unknown.join(', ')} is no parameter`);
  if (json['public'] !== false) world.violations.push('manifest: the App is public');
  const hook = objectAt(json, 'hook_attributes');
  const [url, hookUrl, redirectUrl] = [
    stringAt(json, 'url'),
    stringAt(hook, 'url'),
    stringAt(json, 'redirect_url'),
  ].map(toWebUrl);
  if (url === undefined || url === null) return 'Url must be a valid URL';
  if (hookUrl === undefined || hookUrl === null) return 'Hook url must be a valid URL';
  if (redirectUrl === undefined || redirectUrl === null) return 'Redirect url must be a valid URL';
  const permissions = toPermissions(world, objectAt(json, 'default_permissions'));
  if (permissions === null) return 'Default permission records resource is not included in the list';
  return { name: stringAt(json, 'name'), hookUrl, redirectUrl, permissions, events: stringsAt(json, 'default_events') };
}

function toPermissions(world: WorldContext, asked: JsonObject): Permissions | null {
  const problems = world.gates.openapi.checkAnswer('GET /app', 200, { permissions: asked });
  if (problems.some((problem) => problem.includes('/permissions'))) return null;
  const levels = Object.entries(asked).map(([name, level]): readonly [string, AccessLevel] => [
    name,
    level === 'write' ? 'write' : 'read',
  ]);
  return Object.fromEntries(levels);
}

function toWebUrl(text: string | null): string | null {
  const url = URL.parse(text ?? '');
  return url !== null && /^https?:$/u.test(url.protocol) ? url.href : null;
}

function parseOrNull(text: string): Json {
  try {
    return parseAnyJson(text);
  } catch {
    return null;
  }
}
