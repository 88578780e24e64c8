import { readdir, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Browser, createBrowser, type Shown } from '../support/browser.ts';
import { type Stage, setStage } from '../support/e2e.ts';
import type { Ratchet } from '../support/ratchet-process.ts';
import { openRedPullRequest, REPAIR, untilConcluded, WRITER } from '../support/red-repository.ts';

/** No variable names an App. */
const NO_APP = { APP_ID: '', PRIVATE_KEY: '', WEBHOOK_SECRET: '' };
/** An operator who is signed in on GitHub. */
const OPERATOR = 'acme';

let stage: Stage;
let browser: Browser;
let port: number;
let stderr: string;

beforeEach(async () => {
  stage = await setStage();
  browser = createBrowser();
  browser.setCookie('127.0.0.1', 'user_session', stage.world.userToken(OPERATOR));
  port = await findFreePort();
  stderr = '';
});
afterEach(() => stage.close());

/** Starts the App without any App, and resolves with the address that it prints and with the started App. */
async function startWithoutApp(
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly link: string; readonly ratchet: Promise<Ratchet> }> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const ratchet = stage.start({
    script: { steps: [REPAIR] },
    env: { ...NO_APP, PORT: String(port), RATCHET_WEBHOOK_URL: `http://127.0.0.1:${String(port)}`, ...env },
    onStderr: (text) => {
      stderr += text;
      const link = /http:\S+\/setup\?token=\S+/u.exec(stderr)?.[0];
      if (link !== undefined) resolve(link);
    },
  });
  ratchet.catch(reject);
  return { link: await promise, ratchet };
}

/** The walk of a person: the form, GitHub's page with the name, and back. */
async function register(form: Shown, name = 'Ratchet of Acme'): Promise<Shown> {
  const onGitHub = await browser.send(form, 1);
  expect(onGitHub.html).toContain('Create GitHub App');
  return browser.send(onGitHub, 0, { name });
}

describe('a start without a GitHub App', () => {
  it('serves the page that registers one, stores it, goes on without a restart, and drives a pull request to green', async () => {
    const { world } = stage;
    const { link, ratchet: starting } = await startWithoutApp();
    const token = new URL(link).searchParams.get('token') ?? '';

    const form = await browser.open(link);
    expect(form.url).toBe(`http://127.0.0.1:${String(port)}/setup`);
    expect(form.html).not.toContain(token);
    const last = await register(form);
    const { code = '', state = '' } = Object.fromEntries(new URL(last.url).searchParams);

    expect(last.status).toBe(200);
    expect(last.html).toContain('<strong>Ratchet of Acme</strong>');
    expect(last.html).toContain(`${world.url}/apps/${world.app.slug}/installations/new`);
    const ratchet = await starting;
    const red = await openRedPullRequest(world);
    world.comment({ ...red, login: WRITER, body: '/ratchet enable' });
    await untilConcluded(world, red, 'success');

    // The pages are gone.
    expect((await browser.open(link)).status).toBe(404);
    expect((await browser.open(last.url)).status).toBe(404);
    expect(world.deliveries.some(({ event, status }) => event === 'issue_comment' && status === 202)).toBe(true);
    // What must stay secret is in no log.
    const log = `${JSON.stringify(ratchet.lines)}\n${stderr.replaceAll(link, '')}`;
    for (const secret of [token, code, state, world.app.webhookSecret, world.app.privateKey.slice(100, 140)]) {
      expect(secret).not.toBe('');
      expect(log).not.toContain(secret);
    }
    const path = join(ratchet.dataDir, 'github-app.json');
    expect(stderr).toContain(`Its key and secret are in ${path}.`);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await readdir(ratchet.dataDir)).filter((entry) => entry.startsWith('github-app'))).toEqual([
      'github-app.json',
    ]);

    // The next start takes the stored App, and opens no page.
    stderr = '';
    expect(await ratchet.stop()).toBe(0);
    const again = await stage.start({
      script: {},
      env: { ...NO_APP, PORT: String(port) },
      onStderr: (text) => {
        stderr += text;
      },
    });
    await again.untilLog((line) => line.msg === 'GitHub tells who this App is', 'GitHub to know the stored App');
    expect(stderr).toBe('');
    expect(world.violations).toEqual([]);
  });
});

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}
