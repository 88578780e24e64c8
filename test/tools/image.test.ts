import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { chmod, chown, cp, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { CONTAINER_UID, makeContainer } from '../support/container.ts';

const ROOT = join(import.meta.dirname, '../..');
const STOP_MS = 10_000;

/** The steps of the Dockerfile by hand, since no container engine runs here: the same files, the same commands, an empty folder. */
async function buildImage(folder: string): Promise<void> {
  const build = join(folder, 'build');
  const app = join(folder, 'app');
  const { stdout } = await execa('git', ['-C', ROOT, 'ls-files', '-z', '--cached', '--others', '--exclude-standard']);
  const ignored = (await readFile(join(ROOT, '.dockerignore'), 'utf8')).trim().split('\n');
  const paths = stdout.split('\0').filter((path) => path !== '' && !ignored.includes(path.split('/')[0] ?? ''));
  for (const path of paths) {
    // A file that is deleted and not yet committed.
    await cp(join(ROOT, path), join(build, path)).catch((error: unknown) => {
      if (!String(error).includes('ENOENT')) throw error;
    });
  }
  const [stage = '', last = ''] = (await readFile(join(ROOT, 'Dockerfile'), 'utf8')).split(/^FROM /mu).slice(1);
  for (const [, command = ''] of stage.matchAll(/^RUN (.+)$/gmu)) {
    // What `npm ci` of the checkout fetched is in the cache: nothing is fetched again.
    const env = {
      PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
      npm_config_prefer_offline: 'true',
    };
    await execa('sh', ['-ec', command], { cwd: build, env, timeout: 300_000 });
  }
  await mkdir(app);
  for (const [, name = ''] of last.matchAll(/^COPY --from=build \/build\/(\S+)/gmu)) {
    await cp(join(build, name), join(app, name), { recursive: true, verbatimSymlinks: true });
  }
  await mkdir(join(folder, 'bin'));
  await symlink('/app/dist/main.js', join(folder, 'bin/ratchet'));
  await cp(process.execPath, join(folder, 'bin/node'));
}

/** A port that was free a moment ago. */
async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Where the tests do not run as root, runc cannot make a container. */
describe.runIf(process.getuid?.() === 0)(
  'the image, built by hand and started as its user in namespaces of its own',
  () => {
    let folder: string;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'ratchet-image-'));
      await chmod(folder, 0o755);
      await buildImage(folder);
      await mkdir(join(folder, 'data'), { mode: 0o711 });
      await chown(join(folder, 'data'), CONTAINER_UID, CONTAINER_UID);
    });
    afterAll(async () => {
      await rm(folder, { recursive: true, force: true });
    });

    const toMounts = (): NonNullable<Parameters<typeof makeContainer>[0]['mounts']> => ({
      '/app': { from: join(folder, 'app') },
      '/usr/local/bin': { from: join(folder, 'bin') },
      '/data': { from: join(folder, 'data'), isWritable: true },
    });

    it('answers for its version by the name on the PATH', async () => {
      const container = await makeContainer({ args: ['ratchet', '--version'], mounts: toMounts() });
      try {
        const { stdout } = await container.run({ timeout: 60_000 });

        expect(stdout).toMatch(/^\d+\.\d+\.\d+$/u);
      } finally {
        await container.remove();
      }
    });

    it('serves with a read-only root and no capability, finds its sandbox, passes its own health check, and stops in time', async () => {
      const port = await findPort();
      const { privateKey } = generateKeyPairSync('rsa', {
        modulusLength: 2048,
        privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
        publicKeyEncoding: { type: 'spki', format: 'pem' },
      });
      const env = {
        ...{ NODE_ENV: 'production', HOST: '0.0.0.0', PORT: String(port), RATCHET_DATA_DIR: '/data' },
        ...{ RATCHET_AGENT: 'command', RATCHET_AGENT_COMMAND: '["/usr/bin/true"]' },
        ...{ APP_ID: '1', WEBHOOK_SECRET: 'a secret of the tests', PRIVATE_KEY: privateKey.replaceAll('\n', '\\n') },
        // Nobody answers there.
        ...{ GHE_HOST: '127.0.0.1:9', GHE_PROTOCOL: 'http' },
      };
      const container = await makeContainer({ args: ['ratchet', 'serve'], env, mounts: toMounts() });
      try {
        const serving = container.run({ reject: false, buffer: true, timeout: 120_000 });
        const health =
          /^HEALTHCHECK .* CMD (\[.*\])$/mu.exec(await readFile(join(ROOT, 'Dockerfile'), 'utf8'))?.[1] ?? '[]';
        const [program = '', ...args] = z.array(z.string()).parse(JSON.parse(health));
        const check = async (): Promise<number | undefined> =>
          (await execa(program, args, { env: { PORT: String(port) }, reject: false })).exitCode;
        await expect.poll(check, { timeout: 60_000 }).toBe(0);
        const askedAt = performance.now();
        await container.kill('TERM');
        const { exitCode, stdout } = await serving;

        expect(exitCode).toBe(0);
        expect(performance.now() - askedAt).toBeLessThan(STOP_MS);
        expect(stdout).toContain('"msg":"sandbox found"');
        expect(stdout).toContain('"msg":"stopped"');
        expect(await check()).toBe(1);
      } finally {
        await container.remove();
      }
    });
  },
);
