import { chmod, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import process from 'node:process';
import { pipeline } from 'node:stream';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { CLI_PROFILES } from '../../../src/adapters/agents/cli-profiles.ts';
import { type AgentPlace, createCliAgent } from '../../../src/adapters/agents/create-cli-agent.ts';
import type { HostAgent } from '../../../src/adapters/agents/host-agent.ts';
import { createBubblewrapSandbox } from '../../../src/adapters/sandbox/create-bubblewrap-sandbox.ts';
import { toCommand } from '../../../src/pipeline/prepare/with-site.ts';
import type { AgentEvent, AgentOutput } from '../../../src/ports/agent.ts';
import type { ModelEndpoint } from '../../../src/ports/model-gateway.ts';
import type { SiteOutcome } from '../../../src/ports/site.ts';
import { createVersionReader } from '../../../src/system/read-version.ts';
import { type Models, startModels } from '../../../world/models/start-models.ts';
import { FAKE_CLIS, type FakeCli, type FakeCliHabit, writeFakeCli } from '../../support/fake-cli.ts';
import { createTestSession, type TestSession } from '../../support/git-repository.ts';
import { NEVER } from '../../support/never.ts';
import { createTestSites } from '../../support/sandbox-sites.ts';
import { IS_ROOT, SLOT_GID, toBubblewrapOptions } from '../sandbox/sandbox-fixture.ts';
import { aRequest } from './agent-request.ts';

const TOKEN = 'the-token-of-the-session';
const PORT = 8790;
const PLACE: AgentPlace = {
  siteRoot: '/workspace',
  readable: ['/ratchet/evidence'],
  searchPath: ['/usr/bin'],
  readVersion: createVersionReader(process.execPath),
};
const REQUEST = aRequest({ instructions: { task_prompt: 'Fix sum.js. {"run_id": "run-1", "task_id": "task-1"}' } });

let session: TestSession;
let models: Models;
let socketPath: string;
let closeRelay: () => Promise<void>;
let options: Awaited<ReturnType<typeof toBubblewrapOptions>>;

beforeAll(async () => {
  const files = { 'sum.js': 'export const sum = (a, b) => a - b;\n', 'sum.test.js': '// none\n' };
  session = await createTestSession(files, { inMemory: false, slotGid: IS_ROOT ? SLOT_GID : null });
  options = await toBubblewrapOptions(session.root);
  models = await startModels({
    key: TOKEN,
    script: {
      steps: [
        { do: 'read', file: 'sum.js' },
        { do: 'edit', file: 'sum.js', find: 'a - b', replace: 'a + b' },
        { do: 'run', command: 'node --check sum.js' },
      ],
    },
  });
  const relay = createServer((inner) => {
    const outer = connect(Number(new URL(models.url).port), '127.0.0.1');
    pipeline(inner, outer, inner, () => undefined);
  });
  const folder = join(session.root, 'relay');
  await mkdir(folder, { mode: 0o711 });
  socketPath = join(folder, 'model.sock');
  await new Promise<void>((resolve) => relay.listen(socketPath, resolve));
  await chmod(socketPath, 0o777);
  closeRelay = () => new Promise((resolve) => relay.close(() => resolve()));
});

afterEach(() => {
  models.reset();
});

afterAll(async () => {
  await models.close();
  await closeRelay();
  await session.remove();
});

const DIALECTS = { claude: 'anthropic', codex: 'openai', gemini: 'gemini', opencode: 'openai' } as const;

function toEndpoint(kind: FakeCli): ModelEndpoint {
  const rest = { url: models.url, keyFile: '/none', models: ['a-model'], prices: {}, maxOutputTokens: 1000 };
  return { name: kind, dialect: DIALECTS[kind], ...rest };
}

async function anAgent(kind: FakeCli, habit: FakeCliHabit = 'usual'): Promise<HostAgent> {
  const path = await writeFakeCli(join(session.root, 'clis', `${kind}-${habit}`), kind, { habit });
  return createCliAgent(CLI_PROFILES[kind], { name: kind, path, endpoint: toEndpoint(kind) }, PLACE);
}

interface Ran {
  readonly outcome: SiteOutcome;
  readonly events: readonly AgentEvent[];
  readonly output: AgentOutput;
  readonly sum: string;
  readonly saw: string;
}

/** Runs the agent in a site whose only way out leads to the model. */
async function run(agent: HostAgent): Promise<Ran> {
  const sites = createTestSites({
    ...{ sandbox: createBubblewrapSandbox(options), trees: session.git, dataDir: join(session.root, 'data') },
    ...{ slotGid: IS_ROOT ? SLOT_GID : null, programs: { [agent.name]: agent.mounts } },
  });
  const signal = NEVER;
  const tree = { repository: session.repository, treeSha: session.headSha, masked: [], hasHistory: false };
  const site = await sites.open(
    {
      ...{ name: 'agent', tree, dependencies: null, network: 'relays', limits: 'enforced', isolation: 'full' },
      ...{ relays: [{ name: 'model', socketPath, port: PORT }], inputs: { 'log.txt': 'red' }, programs: [agent.name] },
    },
    signal,
  );
  onTestFinished(() => site.close());
  const model = { address: `http://127.0.0.1:${String(PORT)}`, token: TOKEN, model: 'a-model', maxUsd: null };
  const reader = agent.newEventReader();
  const events: AgentEvent[] = [];
  const command = toCommand({
    ...agent.command(REQUEST, model),
    ...{ timeoutMs: 120_000, maxOutputBytes: 1024 * 1024 },
  });
  const onStdout = (chunk: Uint8Array): void => void events.push(...reader.push(chunk));
  const outcome = await site.run({ ...command, network: 'relays', onStdout }, signal);
  const read = async (path: string): Promise<string> =>
    Buffer.from((await site.readFile(path, 1_000_000)) ?? '').toString('utf8');
  const output = agent.parseOutput({ stdout: outcome.stdoutTail }, REQUEST);
  return { outcome, events, output, sum: await read('sum.js'), saw: await read('agent-saw.txt') };
}

describe.each(FAKE_CLIS)('the stand-in of %s', (kind) => {
  it('repairs the file through the relay, in events and a result that its adapter reads (001.R15, 001.R35)', async () => {
    const agent = await anAgent(kind);

    const { outcome, events, output, sum } = await run(agent);

    expect(await agent.check()).toMatchObject({ kind: 'ok', isNewer: false });
    expect(outcome, outcome.stderrTail).toMatchObject({ kind: 'exited', exitCode: 0, processesLeft: 0 });
    expect(sum).toContain('a + b');
    expect(models.spent().calls).toBe(4);
    expect(models.calls().map(({ call }) => call?.model)).toEqual(['a-model', 'a-model', 'a-model', 'a-model']);
    expect(events).toContainEqual({ kind: 'doing', what: 'editing', detail: 'sum.js' });
    expect(events).toContainEqual({ kind: 'doing', what: 'running', detail: 'node --check sum.js' });
    expect(events.at(-1)).toEqual({ kind: 'final', isError: false, detail: '' });
    expect(output).toMatchObject({ kind: 'result', result: { status: 'success' } });
  });

  it('fails where its calls do, and says so', async () => {
    models.behave({ kind: 'fail', as: '429' });

    const { outcome, events, output } = await run(await anAgent(kind));

    expect(outcome.exitCode).not.toBe(0);
    expect(models.spent().calls).toBe(3);
    expect(events.at(-1)).toMatchObject({ kind: 'final', isError: true });
    expect(output.kind).toBe('invalid');
  });
});

describe('a stand-in', () => {
  it('sees the token, and no key', async () => {
    const { saw } = await run(await anAgent('claude', 'prints'));

    expect(saw).toContain(TOKEN);
    expect(saw).not.toContain('/none');
  });

  it('reaches nobody where it calls another address than its own', async () => {
    const { outcome, events, output } = await run(await anAgent('claude', 'strays'));

    expect(outcome.exitCode).toBe(1);
    expect(events.at(-1)?.detail).toMatch(/EAI_AGAIN|ENOTFOUND|ECONNREFUSED|ENETUNREACH/u);
    expect(output.kind).toBe('invalid');
    expect(models.requests).toEqual([]);
  });

  it('can have bad habits', async () => {
    models.behave({ kind: 'fail', as: '401' });
    const lies = await run(await anAgent('claude', 'lies'));
    const calls = models.spent().calls;
    const silent = await run(await anAgent('claude', 'silent'));

    for (const { outcome, output } of [lies, silent]) {
      expect([outcome.exitCode, output.kind]).toEqual([0, 'result']);
    }
    expect([calls, models.spent().calls]).toEqual([1, 1]);
    expect((await run(await anAgent('claude', 'crashes'))).outcome.exitCode).toBe(7);
  });
});

describe('an agent whose program', () => {
  it.each<[string, string | null, RegExp | null]>([
    ['is too old', '0.1.0', /^claude 0\.1\.0 .* is too old: install @anthropic-ai\/claude-code@2\.1\.332$/u],
    ['is newer than what was tried', '3.0.0 (Claude Code)', null],
    ['prints no version', 'hello', /printed no version/u],
  ])('%s', async (_what, version, why) => {
    const folder = join(session.root, 'clis', 'versions', String(version?.length));
    const path = await writeFakeCli(folder, 'claude', version === null ? {} : { version });
    const agent = createCliAgent(CLI_PROFILES.claude, { name: 'x', path, endpoint: toEndpoint('claude') }, PLACE);

    const check = await agent.check();

    if (why === null) expect(check).toEqual({ kind: 'ok', version: '3.0.0', isNewer: true });
    else expect(check.kind === 'unavailable' ? check.why : 'it can be started').toMatch(why);
  });

  it('disappears is reported, and so is another version in its place', async () => {
    const folder = join(session.root, 'clis', 'moving');
    const path = await writeFakeCli(folder, 'codex');
    const agent = createCliAgent(CLI_PROFILES.codex, { name: 'x', path, endpoint: toEndpoint('codex') }, PLACE);
    const first = await agent.check();
    await rm(path);
    const second = await agent.check();
    await writeFakeCli(folder, 'codex', { version: 'codex-cli 0.172.0' });

    expect(first).toEqual({ kind: 'ok', version: '0.171.0', isNewer: false });
    expect(second).toMatchObject({ kind: 'unavailable' });
    expect(second.kind === 'unavailable' ? second.why : '').toMatch(/codex was not found.*@openai\/codex@0\.171\.0/u);
    expect(await agent.check()).toEqual({ kind: 'ok', version: '0.172.0', isNewer: true });
  });

  it('is asked once for its version, with an environment of its own', async () => {
    process.env['RATCHET_CANARY'] = 'canary';
    onTestFinished(() => {
      delete process.env['RATCHET_CANARY'];
    });
    const folder = join(session.root, 'clis', 'asked');
    await mkdir(folder, { recursive: true });
    const path = join(folder, 'claude');
    await writeFile(path, `#!/bin/sh\nenv >> '${folder}/env'; touch ~/left; echo 2.1.332\n`, { mode: 0o755 });
    await chmod(path, 0o755);
    const agent = createCliAgent(CLI_PROFILES.claude, { name: 'x', path, endpoint: toEndpoint('claude') }, PLACE);

    const checks = [await agent.check(), await agent.check()];

    const seen = await readFile(join(folder, 'env'), 'utf8');
    const names = seen.split('\n').flatMap((line) => (line === '' ? [] : [line.split('=')[0]]));
    expect(checks).toEqual([
      { kind: 'ok', version: '2.1.332', isNewer: false },
      { kind: 'ok', version: '2.1.332', isNewer: false },
    ]);
    expect(names.filter((name) => name !== 'PWD').toSorted()).toEqual(['HOME', 'NO_COLOR', 'PATH']);
  });

  it('does not answer in time is reported', async () => {
    const folder = join(session.root, 'clis', 'slow');
    await mkdir(folder, { recursive: true });
    const path = join(folder, 'gemini');
    await writeFile(path, '#!/bin/sh\nexec sleep 100\n', { mode: 0o755 });
    const place = { ...PLACE, readVersion: createVersionReader(process.execPath, 100) };
    const agent = createCliAgent(CLI_PROFILES.gemini, { name: 'x', path, endpoint: toEndpoint('gemini') }, place);

    const check = await agent.check();

    expect(check.kind === 'unavailable' ? check.why : '').toMatch(/did not answer/u);
  });

  it('lies among packages of npm is mounted with all of them', async () => {
    const root = join(session.root, 'clis', 'npm');
    const launcher = await writeFakeCli(join(root, 'node_modules', '@openai', 'codex', 'bin'), 'codex');
    await mkdir(join(root, 'node_modules', '.bin'));
    const path = join(root, 'node_modules', '.bin', 'codex');
    await symlink(launcher, path);

    const agent = createCliAgent(CLI_PROFILES.codex, { name: 'x', path, endpoint: toEndpoint('codex') }, PLACE);

    const packages = join(root, 'node_modules');
    expect(agent.mounts()).toEqual([{ source: packages, target: packages, writable: false }]);
    expect(agent.command(REQUEST, { address: 'http://x', token: 't', model: 'm', maxUsd: null }).argv[0]).toBe(
      launcher,
    );
  });

  it('is on the search path needs no path', async () => {
    const folder = join(session.root, 'clis', 'searched');
    await writeFakeCli(folder, 'opencode');
    const place = { ...PLACE, searchPath: ['/usr/bin', folder] };
    const options = { name: 'x', path: null, endpoint: toEndpoint('opencode') };

    expect(await createCliAgent(CLI_PROFILES.opencode, options, place).check()).toMatchObject({ kind: 'ok' });
    expect(await createCliAgent(CLI_PROFILES.opencode, options, PLACE).check()).toMatchObject({ kind: 'unavailable' });
  });
});
