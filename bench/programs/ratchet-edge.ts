import { generateKeyPairSync } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { createLog } from '../../src/adapters/log/create-log.ts';
import { createEmbeddedTransport } from '../../src/adapters/queue/create-embedded-transport.ts';
import { createQueue } from '../../src/adapters/queue/create-queue.ts';
import { createStore } from '../../src/adapters/store/create-store.ts';
import { parseCommands } from '../../src/core/commands/parse-commands.ts';
import { parseDeliveryId, parseSha } from '../../src/core/model/ids.ts';
import { createRedactor } from '../../src/core/redact/create-redactor.ts';
import { createServer } from '../../src/web/server.ts';
import { createGroupCommit } from '../../src/webhooks/group-commit.ts';
import { createProbotApp } from '../../src/webhooks/probot-app.ts';
import { createWebhookEdge } from '../../src/webhooks/webhook-edge.ts';
import { answerCpu, serveParent } from '../child.ts';

/** Our side of row 1: the webhook endpoint as the App builds it, a database on disk, and runs that do nothing. */

const Input = z.object({
  secret: z.string(),
  path: z.string(),
  database: z.string(),
  /** Duration of a run of the queue, in milliseconds. */
  runMs: z.number(),
  /** The pull request that the deliveries are about. */
  watched: z.object({
    installationId: z.number(),
    repositoryId: z.number(),
    owner: z.string(),
    name: z.string(),
    number: z.number(),
    headSha: z.string().transform(parseSha),
    headRef: z.string(),
  }),
});

const { secret, path, database, watched, runMs } = Input.parse(JSON.parse(process.argv[2] ?? ''));
const appId = 4242;
const clock = { now: () => Date.now() };
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const log = createLog({
  level: 'info',
  destination: createWriteStream('/dev/null'),
  redact: createRedactor([secret, pem]),
});
const store = createStore({ path: database, log });
const queue = createQueue({
  ...{ name: 'evaluate', store, transport: createEmbeddedTransport(), clock, log },
  ...{ concurrency: 4, leaseMs: 60_000, retryBackoffMs: { initial: 1_000, max: 300_000 } },
});

const { number, headSha, headRef, ...repository } = watched;
const watchedId = parseDeliveryId('00000000-0000-4000-8000-000000000000');
store.ingest([
  {
    ...{
      id: watchedId,
      bodyHash: '0'.repeat(64),
      eventName: 'pull_request',
      action: 'opened',
      receivedAt: clock.now(),
    },
    ...{ event: { kind: 'pull_request_changed', repository, number, headSha, headRef, baseRef: 'main' }, commands: [] },
  },
]);

let runs = 0;
await queue.start(async () => {
  runs += 1;
  if (runMs > 0) await sleep(runMs);
  return { nextCheckAt: null };
});
const probot = await createProbotApp({
  ...{ appId, privateKey: pem, secret, baseUrl: 'http://127.0.0.1:1', log },
  announce: queue.announce,
});
let woken = 0;
const edge = createWebhookEdge({
  ...{ secrets: [secret], path, own: { appId, botUserId: 99_000_001 }, log, clock },
  parseCommands: (body) => parseCommands(body),
  ingest: createGroupCommit(store),
  onAccepted: (accepted) => {
    if (accepted.wakes.length > 0) woken += 1;
    probot.receive(accepted);
  },
});
const server = createServer({ edge, readiness: () => ({ isReady: true, checks: [] }), log });
const port = await server.listen({ host: '127.0.0.1', port: 0 });

serveParent(
  {
    port: () => ({ port }),
    cpu: answerCpu,
    drain: async () => {
      await probot.settled();
      return { handled: woken, runs };
    },
  },
  async () => {
    await server.close(0);
    await queue.stop(1_000);
    store.close();
  },
);
