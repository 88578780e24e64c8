import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { CliResult } from '../../src/cli/cli-result.ts';
import { runInit } from '../../src/cli/init.ts';
import { startWorld, type World } from '../../world/start-world.ts';
import { createSignedIn, HOOK, walkToGitHub } from '../support/set-up-stage.ts';
import { SHARED_BY_WORLDS } from '../support/shared-world.ts';

interface Init {
  readonly world: World;
  readonly dataDir: string;
  readonly run: (
    args?: readonly string[],
    variables?: Readonly<Record<string, string>>,
  ) => {
    readonly link: Promise<string>;
    readonly ended: Promise<CliResult>;
    readonly stop: () => void;
    readonly told: () => string;
  };
}

async function anInit(): Promise<Init> {
  const world = await startWorld(SHARED_BY_WORLDS);
  const dataDir = await mkdtemp(join(tmpdir(), 'ratchet-init-'));
  onTestFinished(async () => {
    await world.close();
    await rm(dataDir, { recursive: true, force: true });
  });
  return {
    world,
    dataDir,
    run(args = [], variables = {}) {
      const stopping = new AbortController();
      const { promise: link, resolve } = Promise.withResolvers<string>();
      let told = '';
      const ended = runInit(args, {
        variables: {
          ...{ HOST: '127.0.0.1', PORT: '0', GHE_HOST: new URL(world.url).host, GHE_PROTOCOL: 'http' },
          ...{ RATCHET_DATA_DIR: dataDir, ...variables },
        },
        tell: (text) => {
          told += text;
          resolve(/http:\S+token=\S+/u.exec(told)?.[0] ?? '');
        },
        fetch,
        stop: stopping.signal,
      });
      return { link, ended, stop: () => stopping.abort(), told: () => told };
    },
  };
}

describe('ratchet init', () => {
  it('registers an App for an organization, stores it, and says how to go on; no agent is needed for it', async () => {
    const { world, dataDir, run } = await anInit();
    world.createUser('widgets');
    const { link, ended, told } = run(['--org', 'widgets', '--webhook-url', HOOK]);

    const browser = createSignedIn(world);
    const shown = await browser.open((await walkToGitHub({ world, browser, link: await link })).href);
    const { exitCode, stdout, stderr } = await ended;

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(shown.html).toContain('The terminal says how to start Ratchet.');
    expect(stdout).toContain(`Its key and secret are in ${join(dataDir, 'github-app.json')}.`);
    expect(stdout).toContain('Start Ratchet with `ratchet serve`');
    expect(stdout + told()).not.toContain(world.app.webhookSecret);
    expect((await stat(join(dataDir, 'github-app.json'))).mode & 0o777).toBe(0o600);

    const again = await run().ended;

    expect({ exitCode: again.exitCode, stdout: again.stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(again.stderr).toContain(`(${String(world.app.id)}, ${world.url}/apps/ratchet-bot) is registered already`);
    expect(again.stderr).toContain('move that file away, run `ratchet init` again');
    expect(world.violations).toEqual([]);
  });

  it('says that nothing was stored when it is stopped', async () => {
    const { run } = await anInit();
    const { link, ended, stop } = run();
    await link;
    stop();

    expect(await ended).toEqual({ exitCode: 1, stdout: '', stderr: 'ratchet: init: stopped, no App was stored\n' });
  });

  it.each([
    [{ APP_ID: '7' }, 'variables name a GitHub App'],
    [{ WEBHOOK_SECRET_PREVIOUS: 'x' }, 'variables name a GitHub App'],
    [{ PORT: 'x' }, 'PORT must be a whole number'],
    [{ RATCHET_AGENT: 'clod' }, 'RATCHET_AGENT must be'],
    [{ RATCHET_DATA_DIRR: 'x' }, 'RATCHET_DATA_DIRR is not known; did you mean RATCHET_DATA_DIR?'],
  ])('opens no page with %j', async (variables, why) => {
    const { run } = await anInit();
    const { exitCode, stdout, stderr } = await run([], variables).ended;

    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(why);
  });

  it.each([
    [['--organisation', 'x'], "Unknown option '--organisation'"],
    [['--org'], '--org needs a value'],
    [['now'], 'unexpected argument "now"'],
    [['--org', 'a b'], '--org "a b": An organization is given by its login'],
    [['--org', '../x'], '--org "../x": '],
    [['--webhook-url', 'nonsense'], '--webhook-url: The webhook address is no http:// or https:// address.'],
    [['--webhook-url', 'https://user:pass@example.com'], 'must hold no user'],
    [['--webhook-url', ''], '--webhook-url: GitHub has to know where to send webhooks.'],
  ])('refuses %j', async (args, why) => {
    const { run } = await anInit();

    const { exitCode, stdout, stderr } = await run(args).ended;

    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(why);
  });
});
