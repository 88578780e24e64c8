import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { execa } from 'execa';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createRegistries } from '../../src/adapters/registry/create-registries.ts';
import { isPublicAddress } from '../../src/adapters/registry/is-public-address.ts';
import { REGISTRY_PORT } from '../../src/core/install/install-environment.ts';
import { parseJsonObject } from '../../src/core/json/parse-json-object.ts';
import { parseSessionId } from '../../src/core/model/ids.ts';
import { DIALECTS, type Dialect } from '../../src/core/model/model-use.ts';
import { toCommand } from '../../src/pipeline/prepare/with-site.ts';
import type { SiteRelay } from '../../src/ports/site.ts';
import { type GatewayFixture, KEY, MODEL, openGateway } from '../contract/gateway/gateway-fixture.ts';
import { createTestIds, IS_ROOT, SLOT_GID } from '../contract/sandbox/sandbox-fixture.ts';
import { createSiteFixture, type SiteFixture } from '../contract/site/site-fixture.ts';
import { createTempFolder } from '../support/git-repository.ts';
import type { Config } from './escape/exchange.ts';
import { ALLOWED_ADDRESS, type Outside, SECRET, startOpenProxy, startOutside } from './escape/outside.ts';

const PROGRAM = ['escape-program', 'exchange', 'model-attempts', 'registry-attempts', 'machine-attempts'];
const FOLDER = join(import.meta.dirname, 'escape');
const MODEL_PORT = 4001;
const TIMEOUT_MS = 60_000;
const MAX_OUTPUT_BYTES = 8 * 1024 * 1024;
const MAX_OUTPUT_TOKENS = 1000;
/** What the registry proxy resolves names to, the second time too. */
const ADDRESSES: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'allowed.test': [[ALLOWED_ADDRESS]],
  'rebind.test': [['127.0.0.1']],
  'mixed.test': [[ALLOWED_ADDRESS, '127.0.0.1']],
  'meta.test': [['169.254.169.254']],
  'v6.test': [['::1']],
  'mapped.test': [['::ffff:127.0.0.1']],
  'local.test': [['fd00::1']],
  'flip.test': [[ALLOWED_ADDRESS], ['127.0.0.1']],
};

/** One attempt as the program reports it. */
interface Tried {
  readonly group: string;
  readonly name: string;
  readonly mark: string;
  readonly seen: string;
}

let outside: Outside;
const closers: (() => unknown)[] = [];

beforeEach(async () => {
  outside = await startOutside();
  closers.push(outside.close);
});

afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** Answers each name by its list, one entry at a time; the last one stays. */
function createResolver(): (host: string) => readonly string[] {
  const asked = new Map<string, number>();
  return (host) => {
    const answers = ADDRESSES[host] ?? [];
    const nth = asked.get(host) ?? 0;
    asked.set(host, nth + 1);
    return answers[Math.min(nth, answers.length - 1)] ?? [];
  };
}

/** The proxy to registries of this machine, which may lead to one host more. */
async function openRegistry(): Promise<SiteRelay> {
  const { path, remove } = await createTempFolder();
  const origin = `http://127.0.0.1:${String(outside.registry.port)}`;
  const resolve = createResolver();
  const registries = createRegistries({
    roots: {
      npm: `${origin}/`,
      pypi: `${origin}/simple/`,
      go: `${origin}/go/`,
      sumdb: `${origin}/sum/`,
      cargo: `${origin}/index/`,
    },
    hosts: Object.keys(ADDRESSES),
    socketsDir: join(path, 'sockets'),
    slotGid: IS_ROOT ? SLOT_GID : null,
    newId: createTestIds(),
    tunnelPort: outside.forbiddenPort,
    resolution: {
      resolve: async (host) => resolve(host),
      isAllowed: (address) => address === ALLOWED_ADDRESS || isPublicAddress(address),
    },
  });
  const open = await registries.open(Object.keys(ADDRESSES));
  closers.push(remove, open.close);
  return open.relay;
}

async function openModel(dialect: Dialect): Promise<GatewayFixture> {
  const gateway = await openGateway(`http://127.0.0.1:${String(outside.models.port)}`, {
    dialect,
    endpoint: { maxOutputTokens: MAX_OUTPUT_TOKENS },
    // Each attempt meets the wall that it is about, not the one after too many failures.
    gatewayLimits: { maxFailures: Number.MAX_SAFE_INTEGER },
  });
  closers.push(gateway.remove);
  // As the data folder is: the sandbox's user passes through, and lists nothing.
  chmodSync(gateway.folder, 0o711);
  return gateway;
}

function toConfig(dialect: Dialect, change: Partial<Config>): Config {
  return {
    ...{ dialect, model: MODEL, modelPort: MODEL_PORT, registryPort: REGISTRY_PORT },
    ...{ token: 'token', otherToken: 'other', otherSocket: outside.forbiddenSocket },
    ...{ forbiddenPort: outside.forbiddenPort, forbiddenUdpPort: outside.forbiddenUdpPort },
    ...{ forbiddenSocket: outside.forbiddenSocket, forbiddenAbstract: outside.forbiddenAbstract },
    ...{ tunnelPort: outside.forbiddenPort, hasNoWalls: false },
    ...change,
  };
}

/** Runs the program in a sandbox with the gateway of `dialect`, and the registry proxy. */
async function runInside(
  fixture: SiteFixture,
  dialect: Dialect,
  { registry, first }: { readonly registry: SiteRelay; readonly first: number },
): Promise<string> {
  const gateway = await openModel(dialect);
  const other = await gateway.openAnother({ sessionId: parseSessionId('session-2') });
  const { socketPath, token } = gateway.session;
  const relays: readonly SiteRelay[] = [{ name: 'model', socketPath, port: MODEL_PORT }, registry];
  const inputs = Object.fromEntries(
    PROGRAM.map((name) => [`${name}.ts`, readFileSync(join(FOLDER, `${name}.ts`), 'utf8')]),
  );
  const site = await fixture.open({ network: 'relays', relays, inputs });
  try {
    const { layout } = fixture.sites;
    const config = toConfig(dialect, { token, otherToken: other.token, otherSocket: other.socketPath });
    const argv = [layout.nodePath, `${layout.inputs}/escape-program.ts`, String(first), first === 0 ? 'all' : 'model'];
    const command = {
      ...toCommand({ argv, timeoutMs: TIMEOUT_MS, maxOutputBytes: MAX_OUTPUT_BYTES }),
      network: 'relays',
    } as const;
    const env = { ...command.env, ESCAPE: JSON.stringify(config) };
    const outcome = await site.run({ ...command, env }, AbortSignal.timeout(2 * TIMEOUT_MS));
    let output = '';
    for await (const chunk of outcome.read('stdout')) output += Buffer.from(chunk).toString('latin1');
    expect(outcome, outcome.stderrTail).toMatchObject({ kind: 'exited', exitCode: 0, processesLeft: 0 });
    return output;
  } finally {
    await site.close();
  }
}

function toLines(output: string): readonly Readonly<Record<string, unknown>>[] {
  return output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => parseJsonObject(line) ?? { broken: line });
}

function toTried(output: string): readonly Tried[] {
  return toLines(output).flatMap(({ group, name, mark, seen }) =>
    typeof mark === 'string' ? [{ group: String(group), name: String(name), mark, seen: String(seen) }] : [],
  );
}

/** The attempts that got something in, or out. */
function findReached(tried: readonly Tried[]): readonly Tried[] {
  const { models, registry, allowed, contacts } = outside;
  const got = [models.raw(), registry.raw(), allowed.raw(), ...contacts].join('\n');
  return tried.filter(
    ({ mark, seen }) => [SECRET, KEY, 'ESCAPED'].some((word) => seen.includes(word)) || got.includes(mark),
  );
}

/** What came to the model and to the registry is what a well-behaved agent sends, with the key and nothing of the session's. */
function expectOnlyAllowed({ models, registry }: Outside): void {
  const paths =
    /^POST \/(?:v1\/(?:messages(?:\?beta=true)?|responses|chat\/completions)|v1beta\/models\/model-1:generateContent)$/;
  for (const { line, headers, body } of models.requests) {
    expect(line).toMatch(paths);
    expect([
      headers['x-api-key'],
      headers['x-goog-api-key'],
      headers['authorization']?.slice('Bearer '.length),
    ]).toContain(KEY);
    expect(headers['content-encoding']).toBeUndefined();
    const sent = parseJsonObject(body);
    const { maxOutputTokens } = parseJsonObject(JSON.stringify(sent?.['generationConfig'] ?? {})) ?? {};
    const limits = [
      sent?.['max_tokens'],
      sent?.['max_output_tokens'],
      sent?.['max_completion_tokens'],
      maxOutputTokens,
    ];
    expect(Math.max(...limits.map((limit) => Number(limit ?? 0)))).toBeLessThanOrEqual(MAX_OUTPUT_TOKENS);
    expect([MODEL, undefined]).toContain(sent?.['model']);
  }
  for (const { line, headers, body } of registry.requests) {
    expect(line).toMatch(/^(?:GET|HEAD) \/(?:left-pad|redirect-[a-z]+|tarball-elsewhere|index\/config\.json)$/);
    expect(Object.keys(headers).sort()).toEqual(expect.arrayContaining(['accept-encoding', 'user-agent']));
    for (const name of ['authorization', 'cookie', 'x-escape']) expect(headers[name]).toBeUndefined();
    expect(body).toBe('');
  }
}

it('no attempt to escape through the gateways, the registry proxies or past them reaches anything (T37, T38, T39)', async () => {
  const fixture = await createSiteFixture('bubblewrap');
  closers.push(fixture.remove);
  const registry = await openRegistry();
  const outputs: string[] = [];
  for (const dialect of DIALECTS) {
    const first = outputs.flatMap(toTried).length;
    outputs.push(await runInside(fixture, dialect, { registry, first }));
  }
  const tried = outputs.flatMap(toTried);
  process.stdout.write(`${String(tried.length)} attempts to escape from the sandbox\n`);

  expect(findReached(tried)).toEqual([]);
  expect(outside.contacts).toEqual([]);
  expect(outputs.map((output) => toLines(output).at(-1)?.['done'])).toEqual(
    outputs.map((output) => toTried(output).length),
  );
  expect(tried.length).toBeGreaterThanOrEqual(60);
  expect(new Set(tried.map(({ group }) => group))).toEqual(new Set(['model', 'registry', 'tunnel', 'machine']));
  expectOnlyAllowed(outside);
  // What is allowed worked, through the same relays and at the same time.
  const allowed = outputs.flatMap(toLines).filter((line) => 'allowed' in line);
  expect(allowed).toHaveLength(DIALECTS.length + 2);
  expect(outside.allowed.raw()).toContain('GET /flip ');
  for (const { seen } of allowed) expect(seen).toMatch(/^HTTP\/1\.1 200 /);
  expect(outputs.join('')).not.toContain(KEY);
}, 120_000);

it('the same attempts do reach what they are after where there are no walls', async () => {
  const home = await createTempFolder();
  closers.push(home.remove);
  const resolve = createResolver();
  const { forbiddenPort, models, registry } = outside;
  const proxies = await Promise.all([models, registry].map(({ port }) => startOpenProxy(port, resolve, forbiddenPort)));
  closers.push(...proxies.map(({ close }) => close));
  const [modelPort = 0, registryPort = 0] = proxies.map(({ port }) => port);
  const config = toConfig('anthropic', { modelPort, registryPort, hasNoWalls: true });
  const argv = [join(FOLDER, 'escape-program.ts'), '5000', 'all'];
  const { stdout } = await execa(process.execPath, argv, {
    env: { ESCAPE: JSON.stringify(config), HOME: home.path },
    timeout: TIMEOUT_MS,
  });
  const tried = toTried(stdout);
  const reached = Object.groupBy(findReached(tried), ({ group }) => group);

  // The others need walls to get past, or servers that help.
  // On a busy machine a few attempts run out of time.
  const least = { model: 75, registry: 30, tunnel: 25, machine: 10 };
  for (const [group, count] of Object.entries(least)) {
    expect(Object.entries(reached).find(([name]) => name === group)?.[1]?.length, group).toBeGreaterThan(count);
  }
  expect(outside.contacts).not.toEqual([]);
}, 120_000);
