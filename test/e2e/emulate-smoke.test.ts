import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { createEmulator, type Emulator } from 'emulate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createGitHub } from '../../src/adapters/github/create-github.ts';
import { parseSha, type Sha } from '../../src/core/model/ids.ts';
import type { RepositoryRef } from '../../src/core/model/pull-request.ts';
import type { CheckRunContent, GitHub } from '../../src/ports/github.ts';
import { createMemoryLog, type RunningEdge, secret, startEdge } from '../webhooks/edge-fixture.ts';

/**
 * A second opinion: the adapter and the edge against `emulate`, a GitHub that nobody of this project wrote. It has no
 * GraphQL and no reactions; what it lacks is covered by `test/contract/github` and by the world.
 */

const userToken = 'user-token';
const signal = new AbortController().signal;

/**
 * Passes emulate's deliveries on to the edge. It numbers them by the clock, where GitHub sends a GUID: the one header that
 * is replaced; body and signature go through as they are.
 */
function createFront(target: () => string): Server {
  async function pass(request: IncomingMessage): Promise<number> {
    const headers = new Headers({ 'content-type': 'application/json', 'x-github-delivery': randomUUID() });
    for (const name of ['x-github-event', 'x-hub-signature-256']) headers.set(name, String(request.headers[name]));
    const body = new Uint8Array(await buffer(request));
    return (await fetch(target(), { method: 'POST', headers, body })).status;
  }
  return createServer((request, response) => {
    void pass(request).then((status) => response.writeHead(status).end());
  });
}

describe('against emulate', () => {
  let edge: RunningEdge;
  let front: Server;
  let emulator: Emulator;
  let github: GitHub;
  let repository: RepositoryRef;
  let headSha: Sha;

  beforeAll(async () => {
    edge = await startEdge({ own: { appId: 77, botUserId: null } });
    front = createFront(() => edge.url);
    await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
    const address = front.address();
    const frontPort = typeof address === 'object' ? address?.port : 0;
    emulator = await createEmulator({
      service: 'github',
      port: 0,
      seed: {
        tokens: { [userToken]: { login: 'ada', scopes: ['repo'] } },
        github: {
          users: [{ login: 'ada' }],
          repos: [{ owner: 'ada', name: 'widget' }],
          apps: [
            {
              app_id: 77,
              slug: 'ratchet',
              name: 'Ratchet',
              permissions: {
                checks: 'write',
                contents: 'write',
                issues: 'write',
                pull_requests: 'write',
                metadata: 'read',
                actions: 'read',
                statuses: 'read',
              },
              events: ['check_run', 'push', 'pull_request', 'issue_comment'],
              webhook_url: `http://127.0.0.1:${String(frontPort)}/`,
              webhook_secret: secret,
              installations: [{ installation_id: 7, account: 'ada' }],
            },
          ],
        },
      },
    });
    const read = async (path: string): Promise<unknown> => {
      const response = await fetch(`${emulator.url}${path}`, { headers: { authorization: `token ${userToken}` } });
      return response.json();
    };
    repository = {
      installationId: 7,
      repositoryId: z.object({ id: z.number() }).parse(await read('/repos/ada/widget')).id,
      owner: 'ada',
      name: 'widget',
    };
    const main = await read('/repos/ada/widget/git/ref/heads/main');
    headSha = parseSha(z.object({ object: z.object({ sha: z.string() }) }).parse(main).object.sha);
    github = createGitHub({
      appId: 77,
      privateKey: emulator.generatedSecrets[0]?.value ?? '',
      baseUrl: emulator.url,
      userAgent: 'ratchet-smoke',
      log: createMemoryLog(),
      clock: { now: Date.now },
      limits: { youngTokenMs: 0, writeSpacingMs: 0 },
    });
  });

  afterAll(async () => {
    await emulator.close();
    front.close();
    await edge.close();
  });

  it('mints a token with the App key and takes a check run from created to completed', async () => {
    const content: CheckRunContent = {
      name: 'Ratchet',
      headSha,
      externalId: 'smoke',
      status: 'in_progress',
      conclusion: null,
      title: 'Looking',
      summary: 'One moment.',
      actions: [],
    };

    const id = await github.createCheckRun(repository, content, signal);
    await github.updateCheckRun(repository, id, { ...content, status: 'completed', conclusion: 'success' }, signal);

    const response = await fetch(`${emulator.url}/repos/ada/widget/check-runs/${String(id)}`, {
      headers: { authorization: `token ${userToken}` },
    });
    expect(await response.json()).toMatchObject({
      name: 'Ratchet',
      status: 'completed',
      conclusion: 'success',
      head_sha: headSha,
    });
  });

  it('has its signed deliveries accepted, each stored once', async () => {
    await expect
      .poll(() => edge.ingested.map(({ eventName, action }) => `${eventName}.${String(action)}`))
      .toEqual(['check_run.created', 'check_run.completed']);
    expect(edge.ingested[0]?.event).toMatchObject({ kind: 'ci_changed', headSha });
  });

  it('mints a git token for this repository alone', async () => {
    const token = await github.mintGitToken(repository, 'read', signal);

    expect(token.token).toMatch(/^ghs_/);
    expect(token.expiresAt).toBeGreaterThan(Date.now());
    await expect(github.mintGitToken({ ...repository, repositoryId: 424_242 }, 'read', signal)).rejects.toMatchObject({
      code: 'INVALID',
    });
  });

  it('posts a comment once, and takes the missing reaction route in its stride', async () => {
    const response = await fetch(`${emulator.url}/repos/ada/widget/issues`, {
      method: 'POST',
      headers: { authorization: `token ${userToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ title: 'A place for comments' }),
    });
    const { number } = z.object({ number: z.number() }).parse(await response.json());

    await github.ensureComment({ repository, number }, '<!-- m -->', 'hello <!-- m -->', signal);
    await github.ensureComment({ repository, number }, '<!-- m -->', 'hello <!-- m -->', signal);
    const comments = await fetch(`${emulator.url}/repos/ada/widget/issues/${String(number)}/comments`);
    expect(await comments.json()).toHaveLength(1);
    await expect(
      github.addReaction(repository, { kind: 'issue_comment', id: 1 }, 'eyes', signal),
    ).resolves.toBeUndefined();
  });

  it('knows the permission of its owner', async () => {
    expect(await github.readPermission(repository, 'ada', signal)).toMatchObject({ permission: 'admin' });
    expect(await github.readPermission(repository, 'mallory', signal)).toEqual({ userId: 0, permission: 'none' });
  });
});
