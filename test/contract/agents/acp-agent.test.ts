import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import type { ToolKind } from '@agentclientprotocol/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleAcpClient } from '../../../scripts/build/bundle-acp-client.ts';
import { answerPermission } from '../../../src/adapters/agents/acp-permission.ts';
import { createAcpAgent } from '../../../src/adapters/agents/create-acp-agent.ts';
import type { HostAgent } from '../../../src/adapters/agents/host-agent.ts';
import type { AgentEvent } from '../../../src/ports/agent.ts';
import type { ModelEndpoint } from '../../../src/ports/model-gateway.ts';
import { startModels } from '../../../world/models/start-models.ts';
import { createTempFolder } from '../../support/git-repository.ts';
import { aRequest } from './agent-request.ts';

const AGENT = join(import.meta.dirname, '../../support/fake-acp-agent.mjs');
const ENDPOINT: ModelEndpoint = {
  ...{ name: 'acp', dialect: 'openai', url: 'http://127.0.0.1:1', keyFile: '/none', models: ['m'] },
  ...{ prices: {}, maxOutputTokens: 1000 },
};
const REQUEST = aRequest();

let root: string;
let remove: () => Promise<void>;
let client: string;
let count = 0;

beforeAll(async () => {
  ({ path: root, remove } = await createTempFolder());
  client = join(root, 'acp-client-program.mjs');
  await bundleAcpClient(client);
});

afterAll(() => remove());

function anAgent(habit: string, siteRoot: string): HostAgent {
  const place = { siteRoot, readable: [], nodePath: process.execPath, acpClientProgram: client };
  return createAcpAgent({ name: 'acp', argv: [process.execPath, AGENT, habit], endpoint: ENDPOINT, ...place });
}

interface Ran {
  readonly exitCode: number;
  readonly events: readonly AgentEvent[];
  readonly output: ReturnType<HostAgent['parseOutput']>;
  readonly sum: string;
  readonly stdout: string;
}

/** Runs the client with the agent, without a sandbox. `change` changes its arguments; `onLine` may stop it. */
async function run(
  habit: string,
  { address = 'http://127.0.0.1:1', change = (argv: readonly string[]) => argv, stopAt = '' } = {},
): Promise<Ran> {
  count += 1;
  const folder = join(root, `work-${String(count)}`);
  await mkdir(folder);
  await writeFile(join(folder, 'sum.js'), 'export const sum = (a, b) => a - b;\n');
  const agent = anAgent(habit, folder);
  const { argv, env, stdin } = agent.command(REQUEST, { address, token: 'the-token', model: 'm', maxUsd: null });
  const [file = '', ...args] = change(argv);
  const child = spawn(file, args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(stdin);
  const reader = agent.newEventReader();
  const events: AgentEvent[] = [];
  child.stdout.on('data', (chunk: Buffer) => {
    events.push(...reader.push(chunk));
    if (stopAt !== '' && chunk.toString('utf8').includes(stopAt)) child.kill('SIGTERM');
  });
  const [stdout] = await Promise.all([text(child.stdout), once(child, 'close')]);
  const output = agent.parseOutput({ stdout }, REQUEST);
  return {
    exitCode: child.exitCode ?? -1,
    events,
    output,
    sum: await readFile(join(folder, 'sum.js'), 'utf8'),
    stdout,
  };
}

const last = ({ events }: Ran): AgentEvent | undefined => events.at(-1);
/** The backstops are far away: tests set them lower. */
const withLimits =
  (...limits: readonly [toolCalls: number, tokens: number, seconds: number]) =>
  (argv: readonly string[]): readonly string[] => [...argv.slice(0, 4), ...limits.map(String), ...argv.slice(7)];

describe('an agent that speaks ACP', () => {
  it.each(['usual', 'login', 'garbage'])('does its work: %s', async (habit) => {
    const ran = await run(habit);

    expect(ran.exitCode, ran.stdout).toBe(0);
    expect(ran.sum).toContain('a + b');
    expect(ran.events).toEqual([
      { kind: 'doing', what: 'reading', detail: 'sum.js' },
      { kind: 'doing', what: 'editing', detail: 'sum.js' },
      { kind: 'doing', what: 'running', detail: 'node --test' },
      { kind: 'final', isError: false, detail: '' },
    ]);
    expect(ran.output).toMatchObject({ kind: 'result', result: { status: 'success', summary: 'stayed inside' } });
    expect(ran.stdout).toContain('{"type":"agent","name":"fake-acp","version":"1.2.3"}');
  });

  it('finds its model by the variables of the usual clients', async () => {
    const models = await startModels({ key: 'the-token' });
    const ran = await run('model', { address: models.url });
    await models.close();

    expect(models.calls().map(({ path, call }) => [path, call?.model])).toEqual([['/v1/chat/completions', 'm']]);
    expect(ran.sum).toContain('a + b');
  });

  it.each<[string, Parameters<typeof run>[1], RegExp]>([
    ['endless', { change: withLimits(20, 100, 60) }, /^too many calls of tools$/u],
    ['deaf', { change: withLimits(20, 100, 60) }, /^too many calls of tools$/u],
    ['hungry', {}, /^too many tokens$/u],
    ['waits', { change: withLimits(20, 100, 0.2) }, /^out of time$/u],
    ['endless', { stopAt: '"tool"' }, /^stopped$/u],
    ['refuses', {}, /^refusal$/u],
    ['error', {}, /the model said 429/u],
    ['dies', {}, /^the agent exited \(3\)$/u],
    ['usual', { change: (argv) => [...argv.slice(0, 7), '/no/such/agent'] }, /cannot be started/u],
  ])('that is or does %s ends with the reason', async (habit, how, why) => {
    const ran = await run(habit, how);

    expect(ran.exitCode).toBe(1);
    expect(last(ran)).toMatchObject({ kind: 'final', isError: true });
    expect(last(ran)?.detail).toMatch(why);
    expect(ran.output.kind).toBe('invalid');
  });

  it('is checked: its program, and the client', async () => {
    const place = { siteRoot: '/workspace', readable: [], nodePath: process.execPath };
    const check = (argv: readonly string[], acpClientProgram = client): Promise<unknown> =>
      createAcpAgent({ name: 'acp', argv, endpoint: ENDPOINT, ...place, acpClientProgram }).check();

    expect(await check([process.execPath, AGENT])).toEqual({ kind: 'ok', version: null, isNewer: false });
    expect(await check(['/no/such/agent'])).toMatchObject({ kind: 'unavailable' });
    expect(await check([process.execPath], '/no/client')).toMatchObject({ kind: 'unavailable' });
  });
});

describe('answerPermission', () => {
  const OPTIONS = [
    { optionId: 'a', name: '', kind: 'allow_always' },
    { optionId: 'y', name: '', kind: 'allow_once' },
    { optionId: 'n', name: '', kind: 'reject_once' },
  ] as const;
  const FOLDERS = { root: '/workspace', readable: ['/ratchet/evidence'] };
  const answer = (kind: ToolKind | null, ...paths: readonly string[]): string => {
    const call = { kind, locations: paths.map((path) => ({ path })) };
    const { outcome } = answerPermission(call, OPTIONS, FOLDERS);
    return outcome.outcome === 'selected' ? outcome.optionId : 'cancelled';
  };

  it.each<[ToolKind | null, readonly string[], string]>([
    ['edit', ['/workspace/a.js'], 'y'],
    ['edit', ['/workspace/a.js', '/workspace/b/c.js'], 'y'],
    ['edit', ['a.js'], 'y'],
    ['execute', [], 'y'],
    [null, [], 'y'],
    ['read', ['/ratchet/evidence/log.txt'], 'y'],
    ['read', ['/workspace/.git/HEAD'], 'y'],
    ['edit', ['/ratchet/evidence/log.txt'], 'n'],
    ['edit', ['/workspace/a.js', '/etc/passwd'], 'n'],
    ['edit', ['../x'], 'n'],
    ['edit', ['/workspace/../etc/x'], 'n'],
    ['edit', ['/workspace-2/x'], 'n'],
    ['delete', ['/workspace/.git/config'], 'n'],
    ['edit', ['/workspace/sub/.GIT/hooks/x'], 'n'],
    ['read', ['/etc/passwd'], 'n'],
    ['fetch', [], 'n'],
    ['switch_mode', [], 'n'],
  ])('%s %j: %s', (kind, paths, expected) => {
    expect(answer(kind, ...paths)).toBe(expected);
  });

  it('cancels where it is offered nothing that fits', () => {
    const only = (kind: 'allow_always' | 'reject_always'): unknown =>
      answerPermission({ kind: 'fetch' }, [{ optionId: 'x', name: '', kind }], FOLDERS);

    expect(only('allow_always')).toEqual({ outcome: { outcome: 'cancelled' } });
    expect(only('reject_always')).toEqual({ outcome: { outcome: 'selected', optionId: 'x' } });
  });
});
