import { generateKeyPairSync } from 'node:crypto';
import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createStore } from '../../../src/adapters/store/create-store.ts';
import { runDoctor } from '../../../src/cli/doctor.ts';
import { diagnoseStart } from '../../../src/compose/diagnose-start.ts';
import { openAppFile } from '../../../src/compose/open-app-file.ts';
import { CHECK_STATES, type DoctorCheck } from '../../../src/core/doctor/doctor-check.ts';
import { WANTED_EVENTS, WANTED_PERMISSIONS } from '../../../src/core/doctor/wanted-access.ts';
import type { Permissions } from '../../../world/state.ts';
import { type LogLine, recordingLog } from '../../support/store.ts';
import { aScene, type Scene } from '../../world/a-world.ts';

const Report = z.strictObject({
  checks: z.array(
    z.strictObject({ name: z.string(), state: z.enum(CHECK_STATES), detail: z.string(), fix: z.string() }),
  ),
});
const SECRET = 'a-webhook-secret-of-32-characters';
const HOOK = 'http://127.0.0.1:9/api/github/webhooks';
const PERMISSIONS: Permissions = Object.fromEntries(WANTED_PERMISSIONS.map(({ name, level }) => [name, level]));
const EVENTS = WANTED_EVENTS.map(({ name }) => name);

const CIRCUIT = { failures: 1, openedAt: 0 };
const NO_BUDGETS = Object.fromEntries(
  ['FIXUP', 'PULL_REQUEST', 'DAY', 'MONTH'].map((scope) => [`RATCHET_${scope}_USD`, 'none']),
);

let scene: Scene;
let registry: ReturnType<typeof createServer>;
let registryUrl = '';
let folder = '';

beforeAll(async () => {
  scene = await aScene();
  registry = createServer((request, response) =>
    response.writeHead(request.url?.startsWith('/down') === true ? 503 : 200).end('{}'),
  );
  await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
  const address = registry.address();
  registryUrl = `http://127.0.0.1:${typeof address === 'object' && address !== null ? String(address.port) : ''}`;
});
afterAll(async () => {
  await scene.world.close();
  await new Promise((resolve) => registry.close(resolve));
  expect(scene.world.violations).toEqual([]);
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ratchet-doctor-'));
  await chmod(folder, 0o711);
  createStore({ path: join(folder, 'ratchet.db') }).close();
  scene.world.setAppAccess({ permissions: PERMISSIONS, events: EVENTS });
  scene.world.setAppPermissions(scene.repo, PERMISSIONS);
  scene.world.setWebhookUrl(HOOK);
});
afterEach(async () => {
  scene.world.faults.clear();
  await rm(folder, { recursive: true, force: true });
});

function variables(change: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  return {
    APP_ID: String(scene.world.app.id),
    PRIVATE_KEY: scene.world.app.privateKey,
    WEBHOOK_SECRET: SECRET,
    GHE_HOST: new URL(scene.world.url).host,
    GHE_PROTOCOL: 'http',
    RATCHET_DATA_DIR: folder,
    RATCHET_AGENT: 'command',
    RATCHET_AGENT_COMMAND: '["/bin/true"]',
    RATCHET_NPM_REGISTRY: registryUrl,
    RATCHET_PYPI_INDEX: registryUrl,
    ...change,
  };
}

/** Nothing leaves this machine. */
const fetchHere: typeof fetch = async (input, init) => {
  const { hostname } = new URL(input instanceof Request ? input.url : input);
  if (hostname === '127.0.0.1') return fetch(input, init);
  if (hostname === 'proxy.golang.org') return new Response('', { status: 404 });
  throw Object.assign(new TypeError('fetch failed'), {
    cause: Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }),
  });
};

async function runWith(given: Readonly<Record<string, string>>, args: readonly string[] = ['--json']) {
  return runDoctor(args, {
    variables: given,
    uid: process.getuid?.() ?? null,
    nodePath: process.execPath,
    isColored: false,
    fetch: fetchHere,
    stop: new AbortController().signal,
  });
}

async function checksOf(change: Readonly<Record<string, string>> = {}): Promise<readonly DoctorCheck[]> {
  const { stdout } = await runWith(variables(change));
  return Report.parse(JSON.parse(stdout)).checks;
}

function toText({ name, state, detail }: DoctorCheck): string {
  return `${state} ${name}: ${detail}`;
}

const NO_CRATES = 'warn registries: crates.io (index.crates.io): it cannot be reached (ENOTFOUND)';
/** Deliveries depend on what other tests made the world send; they have a test of their own. */
const DELIVERIES = /^(?:warn|fail) deliveries: /u;

/** What is not well, without what is so in every test here. */
async function troublesOf(change: Readonly<Record<string, string>> = {}): Promise<readonly string[]> {
  const checks = await checksOf(change);
  const texts = checks.filter(({ state }) => state !== 'ok').map(toText);
  expect(texts).toContain(NO_CRATES);
  for (const { state, fix } of checks) expect(fix === '').toBe(state === 'ok');
  return texts.filter((text) => text !== NO_CRATES && !DELIVERIES.test(text));
}

describe('ratchet doctor', () => {
  it('looks at everything, and leaves nothing behind', async () => {
    const checks = await checksOf();

    const troubles = checks.filter(({ state }) => state !== 'ok').map(toText);
    expect(troubles.filter((text) => !DELIVERIES.test(text))).toEqual([NO_CRATES]);
    expect(checks.map(({ name }) => name)).toEqual([
      ...['environment', 'app', 'permissions', 'events', 'installations', 'webhook', 'deliveries', 'clock', 'git'],
      ...['data folder', 'disk', 'database', 'circuits', 'switches', 'sandbox', 'agents', 'merge tool'],
      ...['registries', 'registries', 'registries', 'registries'],
    ]);
    expect((await readdir(folder)).filter((name) => !name.startsWith('ratchet.db'))).toEqual([]);
  });

  it('names each permission and event that is missing or too much, with what stops working', async () => {
    const others = Object.fromEntries(Object.entries(PERMISSIONS).filter(([name]) => name !== 'contents'));
    scene.world.setAppAccess({
      permissions: { ...others, actions: 'read', workflows: 'write' },
      events: [...EVENTS.filter((name) => name !== 'issue_comment' && name !== 'push'), 'workflow_job'],
    });

    expect(await troublesOf()).toEqual([
      'warn permissions: actions: write is missing: failed jobs are not run again before an agent starts',
      'fail permissions: contents: write is missing: nothing can be cloned or pushed',
      'warn permissions: the App has more than it needs: workflows: write',
      'fail events: issue_comment is missing: commands in comments do nothing',
      'warn events: push is missing: conflicts that a push to the base causes are noticed late',
      'warn events: the App gets events that it does not use: workflow_job',
      'warn installations: "acme" has not accepted the permissions of the App: actions, workflows',
    ]);
  });

  it('names installations that have not accepted new permissions, or are suspended', async () => {
    scene.world.setAppPermissions(scene.repo, { ...PERMISSIONS, contents: 'read' });
    expect(await troublesOf()).toEqual([
      'warn installations: "acme" has not accepted the permissions of the App: contents',
    ]);

    scene.world.suspendApp(scene.repo);
    await scene.world.settled();
    const checks = await checksOf();
    scene.world.unsuspendApp(scene.repo);
    const texts = checks.map(toText);
    expect(texts).toContain('warn installations: the installation of "acme" is suspended');
    expect(texts).toContainEqual(expect.stringMatching(/^fail deliveries: \d+ of the last \d+ were not received$/u));
  });

  it('sees that GitHub sends deliveries elsewhere, without showing the whole address', async () => {
    scene.world.setWebhookUrl('https://ratchet.example.com/hooks?token=precious');

    const { stdout } = await runWith(variables());
    expect(stdout).toContain(
      'GitHub sends to ratchet.example.com/hooks, and this server listens on /api/github/webhooks',
    );
    expect(stdout).not.toContain('precious');
  });

  it('compares the clock with that of GitHub', async () => {
    scene.world.faults.skewClock(90_000);

    expect(await troublesOf()).toContainEqual(
      expect.stringMatching(/^fail clock: this machine is (?:89|90|91) s behind GitHub$/u),
    );
  });

  it('fails each check of a GitHub that is not reachable, and makes the others', async () => {
    const troubles = await troublesOf({ GHE_HOST: '127.0.0.1:1' });

    expect(troubles.map((text) => text.split(':')[0])).toEqual(['fail app', 'fail webhook', 'fail clock']);
  });

  it('says that GitHub refuses the key', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const checks = await checksOf({ PRIVATE_KEY: key });
    const [app] = checks.filter(({ name }) => name === 'app');

    expect(app?.state).toBe('fail');
    expect(app?.detail).toContain('401');
    expect(app?.fix).toContain('Check APP_ID, the private key');
    expect(JSON.stringify(checks)).not.toContain('PRIVATE KEY-----');
  });

  it('lists all problems of the environment at once, and calls nothing fine that it did not look at', async () => {
    const { exitCode, stdout } = await runWith({
      ...variables(),
      APP_ID: 'x',
      WEBHOOK_SECRET: 'short',
      RATCHET_AGNET: 'y',
    });

    expect(exitCode).toBe(3);
    expect(Report.parse(JSON.parse(stdout)).checks.map(toText)).toEqual([
      'fail environment: APP_ID must be a whole number',
      'fail environment: WEBHOOK_SECRET must have at least 16 characters',
      'fail environment: RATCHET_AGNET is not known; did you mean RATCHET_AGENT?',
      'warn everything else: it was not checked',
    ]);
  });

  it('says which App is used: that of the variables, the stored one, or none', async () => {
    const none = variables({ APP_ID: '', PRIVATE_KEY: '', WEBHOOK_SECRET: '' });
    const ofVariables = (await checksOf()).find(({ name }) => name === 'environment');
    const { exitCode, stdout } = await runWith(none);
    const file = openAppFile(folder);
    const { id: appId, privateKey } = scene.world.app;
    const named = {
      slug: 'ratchet-bot',
      name: 'Ratchet',
      owner: 'acme',
      pageUrl: 'https://github.test/apps/ratchet-bot',
    };
    const githubApiUrl = `${scene.world.url}/api/v3`;
    await file.create({ ...named, appId, privateKey, githubApiUrl, webhookSecret: SECRET });
    const stored = Report.parse(JSON.parse((await runWith(none)).stdout)).checks;
    const both = (await checksOf()).find(({ name }) => name === 'environment');
    const elsewhere = await runWith({ ...none, GHE_HOST: 'ghe.acme.corp', GHE_PROTOCOL: 'https' });

    expect(ofVariables?.detail).toContain('; the App is that of the variables');
    expect(exitCode).toBe(3);
    expect(stdout).toContain('there is no GitHub App yet: run `ratchet init` to register one, or set APP_ID');
    expect(stored.find(({ name }) => name === 'environment')?.detail).toContain(`stored in ${file.path}`);
    expect(stored.find(({ name }) => name === 'app')?.state).toBe('ok');
    expect(both?.detail).toContain(`of the variables, and the one stored in ${file.path} is not used`);
    expect(elsewhere.stdout).toContain(
      `belongs to ${githubApiUrl}, and the variables name https://ghe.acme.corp/api/v3`,
    );
    expect(JSON.stringify([stored, both, elsewhere])).not.toContain(SECRET);
  });

  it('reads the database of a running service without disturbing it: circuits, switches, schema', async () => {
    const store = createStore({ path: join(folder, 'ratchet.db') });
    store.switchAgentsOff({ repositoryId: null, offSince: 0, by: 'ada', reason: 'too expensive' });
    store.saveCircuit({ ...CIRCUIT, fingerprint: 'a', agent: 'claude', fault: 'auth', until: null });
    store.saveCircuit({ ...CIRCUIT, fingerprint: 'b', agent: 'codex', fault: 'rate_limited', until: 1 });

    const troubles = await troublesOf();
    store.switchAgentsOn(null);
    store.close();

    expect(troubles).toEqual([
      'warn circuits: the model of claude is not called until its configuration changes (auth)',
      'warn switches: agents are switched off for all repositories since 1970-01-01 00:00 UTC: "too expensive"',
    ]);
  });

  it('finds a damaged database, a service that does not answer, and an agent that is not there', async () => {
    await writeFile(join(folder, 'ratchet.db'), 'no database, but long enough to be looked at'.repeat(100));
    const change = {
      RATCHET_AGENT_COMMAND: '["/no/such/agent"]',
      REDIS_URL: 'redis://:precious-password@127.0.0.1:1',
      RATCHET_NPM_REGISTRY: `${registryUrl}/down`,
    };

    expect(await troublesOf(change)).toEqual([
      'fail database: it is damaged: file is not a database',
      'fail agents: command (command): the agent’s program /no/such/agent was not found, or cannot be executed'.replace(
        '’',
        "'",
      ),
      'warn redis: connect ECONNREFUSED 127.0.0.1:1',
      `warn registries: npm (${new URL(registryUrl).host}): it answered 503`,
    ]);
  });

  it('uses the key of a model only if nobody else can read it, and calls the model only on request', async () => {
    const keyFile = join(folder, 'key');
    await writeFile(keyFile, 'model-key-0123456789\n', { mode: 0o400 });
    const models = await scene.world.startModels({ key: 'model-key-0123456789' });
    const change = {
      RATCHET_MODEL_API: 'anthropic',
      RATCHET_MODEL_URL: models.url,
      RATCHET_MODEL_KEY_FILE: keyFile,
      RATCHET_MODELS: 'claude-sonnet-4-5',
      ...NO_BUDGETS,
    };

    expect(await troublesOf(change)).toEqual([]);
    expect(models.requests).toHaveLength(0);

    const asked = await runWith(variables(change), ['--json', '--call-model']);
    expect(asked.stdout).toContain('"name":"model","state":"ok","detail":"command: claude-sonnet-4-5 answered"');
    expect(models.requests).toHaveLength(1);

    await chmod(keyFile, 0o440);
    const { stdout } = await runWith(variables(change), ['--json', '--call-model']);
    expect(stdout).toContain('must be readable by its owner alone: chmod 400');
    expect(models.requests).toHaveLength(1);
    expect(stdout).not.toContain('model-key-0123456789');
  });

  it('prints a table for people, and refuses what it does not know', async () => {
    const { exitCode, stdout, stderr } = await runWith(variables({ GHE_HOST: '127.0.0.1:1' }), []);

    expect([exitCode, stderr]).toEqual([3, '']);
    expect(stdout).toMatch(/^ok {4}environment {2}the variables, and the files that they name, can be used; /u);
    expect(stdout).toContain(
      `fail  clock        GitHub could not be reached\n                   Check APP_ID, the private key`,
    );
    expect(stdout).toMatch(/\n\n4 failures, 1 warning, \d+ ok\n$/u);
    expect(await runWith(variables(), ['--fast'])).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: 'ratchet: doctor: unexpected argument "--fast"\n',
    });
  });
});

describe('the diagnosis of the start', () => {
  function start(baseUrl: string): {
    readonly lines: readonly LogLine[];
    readonly ended: Promise<void>;
    readonly stop: () => Promise<void>;
  } {
    const store = createStore({ path: join(folder, 'ratchet.db') });
    const { log, lines } = recordingLog();
    const { id: appId, privateKey } = scene.world.app;
    const environment = { appId, githubApiUrl: baseUrl, webhookPath: '/api/github/webhooks' };
    const clock = { now: () => Date.now() };
    const parts = { log, clock, store, dataDir: folder, redact: (text: string) => text };
    const { stop, ended } = diagnoseStart({ environment, privateKey }, parts);
    return {
      lines,
      stop: async () => {
        await stop();
        store.close();
      },
      ended,
    };
  }

  it('writes what is not well to the log, with what to do', async () => {
    scene.world.setAppAccess({ permissions: { ...PERMISSIONS, contents: 'read' }, events: EVENTS });
    const { lines, ended, stop } = start(`${scene.world.url}/api/v3`);
    await ended;
    await stop();

    const [line, ...more] = lines.filter(({ level, fields }) => level === 'warn' && fields['check'] === 'permissions');
    expect(more).toEqual([]);
    expect(line?.fields).toMatchObject({
      state: 'fail',
      detail: 'contents: write is missing: nothing can be pushed',
    });
    expect(line?.fields['fix']).toContain('Set "contents" to write');
    expect(lines.filter(({ fields }) => fields['check'] === 'deliveries')).toEqual([]);
    expect(lines.at(-1)).toMatchObject({ level: 'info', message: 'start diagnosed' });
  });

  it('ends with the service, and says nothing then', async () => {
    const { lines, stop } = start('http://127.0.0.1:1/api/v3');
    await stop();

    expect(lines.filter(({ message }) => message === 'start diagnosed')).toEqual([]);
  });
});
