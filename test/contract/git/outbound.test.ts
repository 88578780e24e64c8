import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer as createProxy, type Server } from 'node:http';
import { createServer } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const CHILD = join(import.meta.dirname, 'children/reach-outside.ts');
const HOST = 'git.internal.test';
const SHA = 'a'.repeat(40);
const PASSWORD = 'proxy-canary';

let folder: string;
let origin: Server;
let proxy: Server;
let asked: string[] = [];

/** A server with a certificate that no machine trusts, and a proxy that alone knows where it is. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ratchet-outbound-'));
  await chmod(folder, 0o711);
  const names = ['-subj', `/CN=${HOST}`, '-addext', `subjectAltName=DNS:${HOST}`];
  const files = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'ca.pem')];
  await execa('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...names, ...files]);
  const [key, cert] = [await readFile(join(folder, 'key.pem')), await readFile(join(folder, 'ca.pem'))];
  origin = createServer({ key, cert }, (request, response) => {
    const isRefs = request.url?.startsWith('/repo.git/info/refs') === true;
    response.setHeader('content-type', 'text/plain').end(isRefs ? `${SHA}\trefs/heads/main\n` : 'the api');
  });
  const { port } = await listen(origin);
  proxy = createProxy();
  proxy.on('connect', (request, socket) => {
    const given = request.headers['proxy-authorization'];
    if (given === undefined) {
      // git sends credentials only when it is asked for them.
      const lines = ['HTTP/1.1 407 Who?', 'Proxy-Authenticate: Basic realm="proxy"', 'Connection: close', '', ''];
      socket.end(lines.join('\r\n'));
      return;
    }
    asked.push(`${request.url ?? ''} ${given}`);
    const upstream = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
    for (const one of [socket, upstream]) one.on('error', () => upstream.destroy());
  });
  await listen(proxy);
  await execa('openssl', ['genrsa', '-traditional', '-out', join(folder, 'app.pem'), '2048']);
});
afterAll(async () => {
  for (const server of [origin, proxy]) {
    server.closeAllConnections();
    server.close();
  }
  await rm(folder, { recursive: true, force: true });
});

async function listen(server: Server): Promise<{ readonly port: number }> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('it does not listen');
  return address;
}

async function reach(
  variables: Readonly<Record<string, string>>,
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  asked = [];
  await writeFile(join(folder, 'script.json'), '{"steps":[]}');
  const env = {
    ...{ PATH: process.env['PATH'], APP_ID: '1', PRIVATE_KEY_PATH: join(folder, 'app.pem'), RATCHET_AGENT: 'fake' },
    ...{ WEBHOOK_SECRET: 'a-secret-of-the-tests', RATCHET_FAKE_AGENT_SCRIPT: join(folder, 'script.json') },
    ...variables,
  };
  return execa(process.execPath, [CHILD, `https://${HOST}`, folder], { env, extendEnv: false });
}

async function toProxyUrl(): Promise<string> {
  const address = proxy.address();
  return `http://user:${PASSWORD}@127.0.0.1:${String(typeof address === 'object' ? address?.port : 0)}`;
}

describe('a service behind a proxy, with a certificate authority of its own', () => {
  it('reaches API, models and git by the proxy, with its credentials, and trusts the authority in both', async () => {
    const { stdout, stderr } = await reach({
      HTTPS_PROXY: await toProxyUrl(),
      NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'),
    });

    expect(JSON.parse(stdout)).toEqual({ api: 'the api', head: SHA, model: 200 });
    const credentials = `Basic ${Buffer.from(`user:${PASSWORD}`).toString('base64')}`;
    expect(new Set(asked)).toEqual(new Set([`${HOST}:443 ${credentials}`]));
    // One connection each, at least.
    expect(asked.length).toBeGreaterThanOrEqual(3);
    expect(stdout + stderr).not.toContain(PASSWORD);
  });

  it('trusts no certificate that nobody vouches for', async () => {
    const { stdout } = await reach({ HTTPS_PROXY: await toProxyUrl() });

    expect(stdout).not.toContain('the api');
    expect(stdout).not.toContain(SHA);
    expect(stdout).toMatch(/certificate/iu);
    expect(JSON.parse(stdout)).toMatchObject({ model: 'cut' });
    expect(stdout).not.toContain(PASSWORD);
  });

  it('leaves the proxy out for the hosts of NO_PROXY', async () => {
    const { stdout } = await reach({ HTTPS_PROXY: await toProxyUrl(), NO_PROXY: HOST });

    expect(asked).toEqual([]);
    expect(stdout).not.toContain('the api');
  });
});
