import { spawn } from 'node:child_process';
import { createHmac, generateKeyPairSync, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BUNDLE_FOLDER } from '../support/build-bundle.ts';
import { makeDataDir, removeDataDir } from '../support/ratchet-process.ts';

const MAIN = fileURLToPath(new URL(`../../${BUNDLE_FOLDER}/main.js`, import.meta.url));
const TIMEOUT_MS = 300_000;

const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});

const TOKEN = 'the-token-of-the-operators';
const OPERATOR = { headers: { authorization: `Bearer ${TOKEN}` } };
const REFUSED: unknown = expect.arrayContaining([expect.objectContaining({ name: 'github', state: 'fail' })]);

/** A port that was free a moment ago. */
async function findFreePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return String(typeof address === 'object' ? address?.port : 0);
}

type Variables = Readonly<Record<string, string>>;

/** A GitHub that knows nobody. Its port is also one that is taken. */
let github: Server;
let folder: string;

beforeAll(async () => {
  github = createServer((_request, response) => response.writeHead(404).end('{}')).listen(0, '127.0.0.1');
  await once(github, 'listening');
});
afterAll(async () => {
  github.close();
  await once(github, 'close');
});
beforeEach(async () => {
  folder = await makeDataDir();
  await writeFile(join(folder, 'script.json'), '{"steps":[]}');
});
afterEach(() => removeDataDir(folder));

function githubPort(): string {
  const address = github.address();
  if (typeof address !== 'object' || address === null) throw new Error('the local GitHub does not listen');
  return String(address.port);
}

function goodVariables(): Variables {
  return {
    APP_ID: '1',
    PRIVATE_KEY: privateKey,
    WEBHOOK_SECRET: 'a secret of the tests',
    HOST: '127.0.0.1',
    PORT: '0',
    GHE_HOST: `127.0.0.1:${githubPort()}`,
    GHE_PROTOCOL: 'http',
    RATCHET_DATA_DIR: join(folder, 'data'),
    RATCHET_ADMIN_TOKEN: TOKEN,
    RATCHET_AGENT: 'fake',
    RATCHET_FAKE_AGENT_SCRIPT: join(folder, 'script.json'),
  };
}

interface Ended {
  /** null: it was killed. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Running {
  readonly ended: Promise<Ended>;
  /** Its port; null when it ended before. */
  readonly listening: Promise<string | null>;
  readonly stop: () => void;
}

/** `ratchet serve` with these variables and no others. Where it does not end in time, it is killed. */
function start(variables: Variables): Running {
  const env = { PATH: process.env['PATH'], ...variables };
  const child = spawn(process.execPath, [MAIN, 'serve'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const timer = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS);
  const listening = Promise.withResolvers<string | null>();
  const ended = Promise.withResolvers<Ended>();
  let [stdout, stderr] = ['', ''];
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    const port = /"port":(\d+),.*"msg":"listening"/u.exec(stdout)?.[1];
    if (port !== undefined) listening.resolve(port);
  });
  child.once('close', (exitCode) => {
    clearTimeout(timer);
    listening.resolve(null);
    ended.resolve({ exitCode, stdout, stderr });
  });
  return { ended: ended.promise, listening: listening.promise, stop: () => void child.kill('SIGTERM') };
}

function serveToEnd(variables: Variables): Promise<Ended> {
  return start(variables).ended;
}

/** Starts the App, waits until it listens, has `work` done meanwhile, and stops it. */
async function whileServing(work: (url: string) => Promise<void>): Promise<Ended> {
  const app = start(goodVariables());
  const port = await app.listening;
  await work(`http://127.0.0.1:${String(port)}`);
  app.stop();
  return app.ended;
}

describe('a start with a bad environment', () => {
  it('lists everything that is missing when the App is half set', async () => {
    expect(await serveToEnd({ WEBHOOK_SECRET_PREVIOUS: 'a secret of the tests' })).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: [
        'ratchet: cannot start:',
        '  - APP_ID is required',
        '  - WEBHOOK_SECRET is required',
        '  - RATCHET_AGENT is required',
        '  - exactly one of PRIVATE_KEY and PRIVATE_KEY_PATH is required',
        '',
      ].join('\n'),
    });
  });

  it('lists what is wrong with variables and with the key file together', async () => {
    const { exitCode, stderr } = await serveToEnd({
      ...goodVariables(),
      PRIVATE_KEY: '',
      PRIVATE_KEY_PATH: join(folder, 'no-key.pem'),
      PORT: '99999',
      RATCHET_RECHECK: '5',
    });

    expect(exitCode).toBe(2);
    expect(stderr).toContain('\n  - PORT must be from 0 to 65535\n');
    expect(stderr).toContain('\n  - RATCHET_RECHECK is not known');
    expect(stderr).toContain('\n  - PRIVATE_KEY_PATH: there is no file ');
    expect(await readdir(folder)).toEqual(['script.json']);
  });

  it.each([
    ['is a file', 'script.json'],
    ['lies below a file', 'script.json/data'],
    ['cannot be made', '../../proc/ratchet'],
  ])('refuses a data folder that %s', async (_what, path) => {
    const dataDir = join(folder, path);
    const { exitCode, stderr } = await serveToEnd({ ...goodVariables(), RATCHET_DATA_DIR: dataDir });

    expect(exitCode).toBe(2);
    expect(stderr).toContain(`  - RATCHET_DATA_DIR: ${dataDir} cannot be used (E`);
    expect(stderr.split('\n')).toHaveLength(3);
  });

  it('refuses a damaged database and leaves it as it is', async () => {
    const path = join(folder, 'ratchet.db');
    const damaged = Buffer.alloc(8192, 'no database');
    await writeFile(path, damaged);
    const { exitCode, stderr } = await serveToEnd({ ...goodVariables(), RATCHET_DATA_DIR: folder });

    expect(exitCode).toBe(2);
    expect(stderr).toContain(`  - the database ${path} is damaged`);
    expect(damaged.equals(await readFile(path))).toBe(true);
  });

  it('refuses a database that was cut to nothing, and says what to do', async () => {
    await whileServing(() => Promise.resolve());
    const path = join(folder, 'data', 'ratchet.db');
    await truncate(path);

    const { exitCode, stderr } = await serveToEnd(goodVariables());

    expect(exitCode).toBe(2);
    expect(stderr).toContain(`  - the database ${path} is empty: it was cut off`);
    expect(stderr).toContain('Restore a backup');
  });

  it.each([
    ['script', { RATCHET_FAKE_AGENT_SCRIPT: '/nonexistent/script.json' }, '/nonexistent/script.json'],
    ['program', { RATCHET_AGENT: 'command', RATCHET_AGENT_COMMAND: '["/nonexistent/agent"]' }, '/nonexistent/agent'],
  ])('refuses an agent whose %s is missing', async (_what, change, path) => {
    const { exitCode, stderr } = await serveToEnd({ ...goodVariables(), ...change });

    expect(exitCode).toBe(2);
    expect(stderr).toContain('  - RATCHET_AGENT: ');
    expect(stderr).toContain(path);
  });

  it.each([
    ['is not there', null, 'NODE_EXTRA_CA_CERTS: there is no file '],
    ['has no certificate', 'nothing', 'does not hold the PEM of a certificate'],
  ])(
    'refuses certificates of an own authority whose file %s: Node would go on without them',
    async (_what, text, problem) => {
      const path = join(folder, 'ca.pem');
      if (text !== null) await writeFile(path, text);
      const { exitCode, stderr } = await serveToEnd({ ...goodVariables(), NODE_EXTRA_CA_CERTS: path });

      expect(exitCode).toBe(2);
      expect(stderr).toContain('ratchet: cannot start:\n  - NODE_EXTRA_CA_CERTS');
      expect(stderr).toContain(problem);
    },
  );

  it('refuses key files that are missing, empty, or readable by others, all at once and without their content', async () => {
    const agents = ['missing', 'empty', 'open'].map((name) => ({
      ...{ name, kind: 'command', command: ['/bin/true'], api: 'anthropic', models: ['claude-sonnet-5-5'] },
      keyFile: join(folder, name),
    }));
    await writeFile(join(folder, 'empty'), '\n', { mode: 0o400 });
    await writeFile(join(folder, 'open'), 'sk-canary', { mode: 0o644 });
    await writeFile(join(folder, 'agents.json'), JSON.stringify({ agents }));
    const file = { RATCHET_AGENT: '', RATCHET_FAKE_AGENT_SCRIPT: '', RATCHET_AGENTS_FILE: join(folder, 'agents.json') };
    const { exitCode, stderr, stdout } = await serveToEnd({ ...goodVariables(), ...file });

    expect(exitCode).toBe(2);
    expect(stderr.split('\n')).toEqual([
      'ratchet: cannot start:',
      `  - RATCHET_AGENTS_FILE: the agent missing: the key file ${join(folder, 'missing')} does not exist`,
      `  - RATCHET_AGENTS_FILE: the agent empty: the key file ${join(folder, 'empty')} is empty`,
      `  - RATCHET_AGENTS_FILE: the agent open: the key file ${join(folder, 'open')} must be readable by its owner alone: chmod 400`,
      '',
    ]);
    expect(stdout + stderr).not.toContain('sk-canary');
  });

  it('ends in one line when the port is taken, and leaves a data folder that the next start can use', async () => {
    const { exitCode, stderr } = await serveToEnd({ ...goodVariables(), PORT: githubPort() });

    expect({ exitCode, stderr }).toEqual({
      exitCode: 3,
      stderr: `ratchet: cannot start: listen EADDRINUSE: address already in use 127.0.0.1:${githubPort()}\n`,
    });
    expect(await whileServing(() => Promise.resolve())).toMatchObject({ exitCode: 0, stderr: '' });
  });

  it('refuses a data folder that another process works in, and does not disturb it (S14)', async () => {
    const first = await whileServing(async () => {
      const second = await serveToEnd(goodVariables());

      expect(second.exitCode).toBe(2);
      expect(second.stderr).toContain('  - another Ratchet process is using this data folder');
    });

    expect(first).toMatchObject({ exitCode: 0, stderr: '' });
  });
});

describe('a full disk', () => {
  it('of the log costs lines of it, and nothing else', async () => {
    const variables = { ...goodVariables(), PORT: await findFreePort() };
    const env = { PATH: process.env['PATH'], ...variables };
    const serving = execa('sh', ['-c', 'exec "$0" "$1" serve > /dev/full', process.execPath, MAIN], {
      env,
      reject: false,
    });
    await expect
      .poll(async () =>
        fetch(`http://127.0.0.1:${variables.PORT}/healthz`).then(
          ({ status }) => status,
          () => null,
        ),
      )
      .toBe(200);
    serving.kill('SIGTERM');
    const { exitCode, stderr } = await serving;

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  });

  /** Only root can make a small disk. */
  it.runIf(process.getuid?.() === 0)('of the data is named at the start', async () => {
    const data = join(folder, 'data');
    await mkdir(data);
    const small = `mount -t tmpfs -o size=400k tmpfs ${data} && exec "$0" "$1" serve`;
    const env = { PATH: process.env['PATH'], ...goodVariables() };
    const options = { env, reject: false, timeout: TIMEOUT_MS } as const;
    const { exitCode, stderr } = await execa(
      'unshare',
      ['--mount', 'sh', '-c', small, process.execPath, MAIN],
      options,
    );

    expect(exitCode).toBe(2);
    expect(stderr).toContain(`the database ${join(data, 'ratchet.db')} cannot be used: its disk is full`);
    expect(stderr).toContain('make room, and start again');
  });
});

describe('a start', () => {
  it('says whether the sandbox can run, answers for its health, and ends when it is asked to (trap 127)', async () => {
    const { exitCode, stdout, stderr } = await whileServing(async (url) => {
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
      // This GitHub knows no App: the operator sees that, and others only that it is not ready.
      const readiness = async (): Promise<unknown> => (await fetch(`${url}/readyz`, OPERATOR)).json();
      await expect.poll(readiness).toMatchObject({ status: 'not ready', checks: REFUSED });
      expect(await (await fetch(`${url}/readyz`)).json()).toEqual({ status: 'not ready' });
    });

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(/"msg":"(?:sandbox found|the sandbox cannot run, no fixup will be launched)"/u);
    expect(stdout).not.toContain('a secret of the tests');
    expect(stdout).toMatch(/"version":"\d+\.\d+\.\d+".*"msg":"listening"/u);
  });
});

describe('a database that is lost while the App runs', () => {
  it.each([
    ['removed', (path: string) => rm(path)],
    ['cut to nothing', (path: string) => truncate(path)],
  ])('%s: it is not ready, says so, takes no delivery, and ends when it is asked to', async (_what, lose) => {
    const { exitCode, stdout, stderr } = await whileServing(async (url) => {
      await lose(join(folder, 'data', 'ratchet.db'));

      const readiness = await fetch(`${url}/readyz`, OPERATOR);

      expect(readiness.status).toBe(503);
      expect(JSON.stringify(await readiness.json())).toMatch(/the database file was (?:removed|overwritten)/u);
      expect((await postPush(url)).status).toBe(503);
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
    });

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toContain('the database is lost: stop Ratchet, restore a backup, and start it again');
  });

  /** A delivery as GitHub sends it. */
  function postPush(url: string): Promise<Response> {
    const body = JSON.stringify({ zen: 'Keep it logically awesome.' });
    const headers = {
      'content-type': 'application/json',
      'x-github-event': 'ping',
      'x-github-delivery': randomUUID(),
      'x-hub-signature-256': `sha256=${createHmac('sha256', 'a secret of the tests').update(body).digest('hex')}`,
    };
    return fetch(`${url}/api/github/webhooks`, { method: 'POST', headers, body });
  }
});

describe('the command line', () => {
  async function ratchet(...args: readonly string[]): Promise<Ended> {
    const { exitCode, stdout, stderr } = await execa(process.execPath, [MAIN, ...args], {
      input: '/ratchet help',
      reject: false,
      timeout: TIMEOUT_MS,
    });
    return { exitCode: exitCode ?? null, stdout, stderr };
  }

  it.each([
    [[], 'ratchet: no command is given; see ratchet --help'],
    [['fix'], 'ratchet: unknown command "fix"; see ratchet --help'],
    [['serve', 'now'], 'ratchet: serve: unexpected argument "now"; it takes none, see ratchet serve --help'],
    [['explain'], 'explain: say what to explain: decision, ci, reviews, exit, command'],
    [['explain', 'decision'], 'explain decision: the input is not JSON: '],
  ])('refuses %j with exit code 2 and one line', async (args, line) => {
    const { exitCode, stdout, stderr } = await ratchet(...args);

    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(line);
    expect(stderr).not.toContain('\n');
  });

  it('answers on stdout alone', async () => {
    const stdout = '{"commands":[{"name":"help","args":[]}],"unread":[]}';

    expect(await ratchet('explain', 'command')).toEqual({ exitCode: 0, stdout, stderr: '' });
  });

  it.each([[['--help']], [['-h']], [['help']], [['explain', '--help']]])('shows how it is used: %j', async (args) => {
    const { exitCode, stdout, stderr } = await ratchet(...args);

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(/^usage: ratchet/u);
  });
});
