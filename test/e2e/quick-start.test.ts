import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startWorld, type World } from '../../world/start-world.ts';
import { readDocument } from '../docs/read-document.ts';
import { createBrowser } from '../support/browser.ts';
import { startInstalledRegistry } from '../support/installed-registry.ts';
import { openRedPullRequest, ownPushes, REPAIR, untilConcluded, WRITER } from '../support/red-repository.ts';
import { SHARED_BY_WORLDS } from '../support/shared-world.ts';

const PROJECT = join(import.meta.dirname, '../..');
const { blocks } = readDocument(readFileSync('docs/first-pull-request.md', 'utf8'));

/** The block of the page in which this stands. */
function findBlock(words: string): string {
  const [found, ...more] = blocks.filter(({ text }) => text.includes(words));
  if (found === undefined || more.length > 0) throw new Error(`the page has not exactly one block with ${words}`);
  return found.text;
}

let world: World;
let registry: Awaited<ReturnType<typeof startInstalledRegistry>>;
let folder: string;
let port: number;
let app: ChildProcess | null;

beforeEach(async () => {
  app = null;
  world = await startWorld(SHARED_BY_WORLDS);
  registry = await startInstalledRegistry(PROJECT);
  folder = await mkdtemp(join(tmpdir(), 'ratchet-quick-start-'));
  await execa('chmod', ['711', folder]);
  port = await findFreePort();
});
afterEach(async () => {
  if (app !== null && app.exitCode === null) {
    const ended = once(app, 'exit');
    app.kill('SIGTERM');
    await ended;
  }
  await registry.close();
  await world.close();
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  expect(world.violations).toEqual([]);
});

/** A block as it is typed on this machine: in folders of the test, against a local GitHub, and with the scripted agent. */
function toLocal(text: string): string {
  const { host } = new URL(world.url);
  return text
    .replaceAll('/opt/ratchet', join(folder, 'opt'))
    .replaceAll('/etc/ratchet', join(folder, 'etc'))
    .replaceAll('/var/lib/ratchet', join(folder, 'data'))
    .replace('https://ratchet.example.com', `http://127.0.0.1:${String(port)}\nGHE_HOST=${host}\nGHE_PROTOCOL=http`)
    .replace('PORT=3000', `PORT=${String(port)}`)
    .replace(/RATCHET_AGENT=claude.*/u, `RATCHET_AGENT=fake\nRATCHET_FAKE_AGENT_SCRIPT=${join(folder, 'script.json')}`)
    .replace(/^RATCHET_MODEL(?:_KEY_FILE|S)=.*\n?/gmu, '');
}

/** The commands that the page types in a checkout are run there; npm reads from this machine alone. */
function toEnvironment(): Record<string, string> {
  const paths = [join(folder, 'opt/node_modules/.bin'), join(PROJECT, 'node_modules/node/bin'), process.env['PATH']];
  return {
    ...{ PATH: paths.join(delimiter), HOME: folder },
    ...{ npm_config_registry: registry.url, npm_config_cache: join(folder, 'npm'), npm_config_audit: 'false' },
  };
}

async function type(
  text: string,
  input = '',
): Promise<{ readonly stdout: string; readonly exitCode: number | undefined }> {
  const options = { cwd: folder, env: toEnvironment(), extendEnv: false, input, reject: false } as const;
  const { exitCode, stdout, stderr } = await execa('sh', ['-e', '-c', toLocal(text)], options);
  return { exitCode, stdout: `${stdout}\n${stderr}` };
}

/** Starts the App as the page does, and resolves with the link that it prints. */
async function startApp(text: string): Promise<string> {
  // `exec`: a signal reaches the App itself, as Ctrl-C does in a terminal.
  const child = spawn('sh', ['-e', '-c', toLocal(text).replace(/^ratchet serve$/mu, 'exec ratchet serve')], {
    ...{ cwd: folder, env: toEnvironment(), stdio: ['ignore', 'ignore', 'pipe'] },
  });
  app = child;
  return new Promise((resolve, reject) => {
    let shown = '';
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      shown += chunk;
      const link = /http:\S+\/setup\?token=\S+/u.exec(shown)?.[0];
      if (link !== undefined) resolve(link);
    });
    child.once('exit', () => reject(new Error(`the App did not start:\n${shown}`)));
  });
}

describe('the quick start', () => {
  it('takes an operator from the packed tarball in an empty folder to a green pull request', async () => {
    // 1. and 2. Install it, and store a key. The checkout has been installed already.
    await execa('npm', ['pack', '--pack-destination', folder], { cwd: PROJECT });
    const installed = await type(findBlock('npm pack').replace('npm ci && npm pack', ''));
    expect(installed, installed.stdout).toMatchObject({ exitCode: 0 });
    const stored = await type(findBlock('umask 377'), 'a key that is none\n');
    expect(stored, stored.stdout).toMatchObject({ exitCode: 0 });
    expect((await stat(join(folder, 'etc/model.key'))).mode & 0o777).toBe(0o400);

    // 3. The configuration.
    await writeFile(join(folder, 'script.json'), JSON.stringify({ steps: [REPAIR] }));
    await writeFile(join(folder, 'etc/environment'), toLocal(findBlock('RATCHET_WEBHOOK_URL=')));

    // 4. Start it, and register the App: the form, GitHub's page with the name, and back.
    const browser = createBrowser();
    browser.setCookie('127.0.0.1', 'user_session', world.userToken('acme'));
    const link = await startApp(findBlock('ratchet serve'));
    const onGitHub = await browser.send(await browser.open(link), 1);
    const last = await browser.send(onGitHub, 0, { name: 'Ratchet of Acme' });
    expect(last.html).toContain('/installations/new');

    // 5. Check that everything is in place. A warning may be about this machine; a failure is none of its business.
    const doctor = await type(findBlock('ratchet doctor'));
    expect([0, 1], doctor.stdout).toContain(doctor.exitCode);

    // 6. and 7. The repository, and a comment on its red pull request.
    const red = await openRedPullRequest(world, {
      policy: `${findBlock('validate: npm test')}\nci: { settleSeconds: 1 }\n`,
      files: {
        'package-lock.json': '{"name":"calculator","lockfileVersion":3,"packages":{"":{"name":"calculator"}}}\n',
      },
    });
    world.comment({ ...red, login: WRITER, body: findBlock('/ratchet enable') });
    const summary = await untilConcluded(world, red, 'success');

    expect(summary).toContain('All green');
    expect(ownPushes(world, red.repo)).toHaveLength(1);
  });
});

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}
