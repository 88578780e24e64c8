import { spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { execa, execaSync } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { startInstalledRegistry } from '../support/installed-registry.ts';

const PROJECT = join(import.meta.dirname, '../..');

let folder: string;
let registry: Awaited<ReturnType<typeof startInstalledRegistry>>;
let program: string;

/** As an operator does it: packed, and installed into an empty folder, from a registry on this machine. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ratchet-package-'));
  registry = await startInstalledRegistry(PROJECT);
  const { stdout } = await execa('npm', ['pack', '--json', '--pack-destination', folder], { cwd: PROJECT });
  expect(stdout).toContain('ratchet');
  const [tarball = ''] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'));
  const place = join(folder, 'place');
  await mkdir(place);
  await writeFile(join(place, 'package.json'), '{}');
  const flags = ['--no-audit', '--no-fund', `--registry=${registry.url}`, `--cache=${join(folder, 'cache')}`];
  await execa('npm', ['install', ...flags, join('..', tarball)], { cwd: place });
  program = join(place, 'node_modules/.bin/ratchet');
});
afterAll(async () => {
  await registry.close();
  await rm(folder, { recursive: true, force: true });
});

const PATH = [join(PROJECT, 'node_modules/node/bin'), process.env['PATH']].join(delimiter);
const ratchet = (args: readonly string[], cwd = folder) =>
  execa(program, args, { cwd, env: { PATH, HOME: folder }, extendEnv: false, reject: false, stdin: 'ignore' });

const IS_OLD = /^v(?:1\d|2[0-3])\./u;
/** A Node that is too old, where this machine has one. */
const OLD_NODE = ['/usr/bin/node', '/usr/local/bin/node'].find(
  (path) => existsSync(path) && IS_OLD.test(execaSync(path, ['--version']).stdout),
);

describe('the package', () => {
  it('says its version', async () => {
    expect(await ratchet(['--version'])).toMatchObject({ exitCode: 0, stdout: manifest.version });
  });

  it('runs the engines over a checkout', async () => {
    const checkout = join(folder, 'checkout');
    await mkdir(join(checkout, '.github'), { recursive: true });
    await writeFile(join(checkout, 'a.txt'), 'text\n');
    const engine =
      '{ command: ["/bin/true"], format: jsonl, emptyMeansClean: true, globs: ["**/*.txt"], targets: project }';
    await writeFile(join(checkout, '.github/ratchet.yml'), `version: 1\nengines:\n  nothing: ${engine}\n`);
    await execa('git', ['init', '-q'], { cwd: checkout });

    const { exitCode, stdout, stderr } = await ratchet(['check', '--json'], checkout);

    expect(exitCode, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ engineErrors: [], summary: { hasFailures: false } });
  });

  it('serves', async () => {
    const { privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    await writeFile(join(folder, 'script.json'), '{"steps":[]}');
    const child = spawn(program, ['serve'], {
      env: {
        ...{ PATH, APP_ID: '1', PRIVATE_KEY: privateKey, WEBHOOK_SECRET: 'a-secret-of-the-tests', PORT: '0' },
        ...{ HOST: '127.0.0.1', GHE_HOST: '127.0.0.1:1', GHE_PROTOCOL: 'http', RATCHET_AGENT: 'fake' },
        ...{ RATCHET_DATA_DIR: join(folder, 'data'), RATCHET_FAKE_AGENT_SCRIPT: join(folder, 'script.json') },
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = new Promise((resolve) => void child.once('close', resolve));
    const port = await new Promise<string>((resolve, reject) => {
      let text = '';
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        const found = /"port":(\d+),.*"msg":"listening"/u.exec(text)?.[1];
        if (found !== undefined) resolve(found);
      });
      child.once('close', () => reject(new Error(text)));
    });

    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  });

  it.skipIf(OLD_NODE === undefined)(
    'says in one line that this Node is too old (where the machine has such a one)',
    async () => {
      const { exitCode, stdout, stderr } = await execa(OLD_NODE ?? '', [program, 'serve'], { reject: false });

      expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: '' });
      expect(stderr).toMatch(/^ratchet: needs Node 24 or later, and this is Node 2\d\.\S+ \(\/\S+\)$/u);
      expect(manifest.engines.node).toBe('>=24');
    },
  );

  it('contains everything once, no source maps, and installs what is not bundled and nothing else', async () => {
    const root = join(folder, 'place/node_modules/@ratchet-bot/ratchet');
    const files = (await readdir(root, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));

    expect(files.filter((name) => name.endsWith('.map'))).toEqual([]);
    const migrations = files.filter((name) => name.endsWith('.sql'));
    expect(migrations.length).toBeGreaterThan(0);
    expect(migrations.every((name) => name.startsWith('dist/migrations/'))).toBe(true);
    expect(files.filter((name) => /^(?:src|test|world|scripts|node_modules)\//u.test(name))).toEqual([]);
    expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'app.yml', 'package.json', 'dist/main.js']));
    const installed = await readdir(join(folder, 'place/node_modules'));
    expect(installed).toEqual(expect.arrayContaining(Object.keys(manifest.dependencies)));
    expect(installed.filter((name) => ['probot', 'octokit', 'zod', 'typescript'].includes(name))).toEqual([]);
  });
});
