import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startModels } from '../../world/models/start-models.ts';
import { type AgentStage, setAgentStage } from '../support/agent-stage.ts';
import { AT_ONCE, MANY_SLOTS } from '../support/e2e.ts';
import { FAKE_CLIS, writeFakeCli } from '../support/fake-cli.ts';
import { HOSTILE_AGENT_CONFIG } from '../support/hostile-agent-config.ts';
import { makeDataDir, removeDataDir } from '../support/ratchet-process.ts';
import { ownPushes, untilConcluded } from '../support/red-repository.ts';

let folder: string;

beforeAll(async () => {
  folder = await makeDataDir();
});

afterAll(() => removeDataDir(folder));

describe('agents of all APIs', AT_ONCE, () => {
  let stage: AgentStage;

  beforeAll(async () => {
    const agents = await Promise.all(
      FAKE_CLIS.map(async (kind) => ({ name: kind, kind, path: await writeFakeCli(join(folder, kind), kind) })),
    );
    stage = await setAgentStage(agents, MANY_SLOTS);
  });

  afterAll(() => stage.close());

  it.concurrent.each(FAKE_CLIS)(
    '%s: from red to green, and nothing runs that the repository brings (T34)',
    async (kind) => {
      const { world, models } = stage;
      const red = await stage.enable(kind, { files: HOSTILE_AGENT_CONFIG });

      const summary = await untilConcluded(world, red, 'success');

      expect(await world.fileAt(red.repo, red.number, 'sum.mjs')).toContain('left + right');
      expect(await world.fileAt(red.repo, red.number, 'hooked.txt')).toBeNull();
      expect(await world.fileAt(red.repo, red.number, 'AGENTS.md')).toBe(HOSTILE_AGENT_CONFIG['AGENTS.md']);
      expect(summary).toContain('1 file, +1 −1');
      expect(ownPushes(world, red.repo)).toHaveLength(1);
      const calls = models.calls().filter(({ call }) => call?.model === kind);
      expect(calls).toHaveLength(5);
      expect(calls.at(-1)?.body).toMatch(/(?<!echo )looked everywhere/u);
      expect(calls.flatMap(({ body }) => body.match(/LEAK \/\w+[^\\"]*/gu) ?? [])).toEqual([]);
    },
  );

  it('leave the key nowhere', async () => {
    expect(await stage.ratchet.stop()).toBe(0);

    expect(await stage.findKey()).toEqual([]);
  });
});

it('the demo takes its pull request from red to green with an agent and a key', async () => {
  const key = 'canary-of-the-demo';
  const repair = {
    find: 'Math.floor(cents * (1 + percent / 1000))',
    replace: 'Math.round(cents * (1 + percent / 100))',
  };
  const models = await startModels({ key, script: { steps: [{ do: 'edit', file: 'price.mjs', ...repair }] } });
  const keyFile = join(folder, 'demo.key');
  await writeFile(keyFile, key);
  await chmod(keyFile, 0o400);
  const path = await writeFakeCli(join(folder, 'demo'), 'claude');
  const options = ['--key-file', keyFile, '--agent-path', path, '--model-url', models.url];
  const demo = async (...args: readonly string[]): Promise<readonly [number | undefined, string]> => {
    const run = { all: true, reject: false, timeout: 300_000 } as const;
    const { exitCode, all } = await execa(process.execPath, ['demo/demo.ts', ...args], run);
    return [exitCode, all];
  };

  const [exitCode, told] = await demo('--agent', 'claude', ...options);
  const refused = await demo('--agent', 'claude');
  await models.close();

  expect(exitCode, told).toBe(0);
  expect(told).toContain('The agent is claude with claude-sonnet-5-5. A fixup may cost 1 USD.');
  expect(told).toContain('2 calls to claude-sonnet-5-5');
  expect(told).not.toContain(key);
  expect(refused).toEqual([2, "--agent claude needs --key-file, a file with the API's key"]);
});
