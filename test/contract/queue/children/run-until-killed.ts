import { createBullmqTransport } from '../../../../src/adapters/queue/create-bullmq-transport.ts';
import { createEmbeddedTransport } from '../../../../src/adapters/queue/create-embedded-transport.ts';
import { createQueue } from '../../../../src/adapters/queue/create-queue.ts';
import { createStore } from '../../../../src/adapters/store/create-store.ts';
import { recordingLog } from '../../../support/store.ts';

// Wakes a key, says so when its run has begun, and never ends that run: the parent kills the process in the middle of it.
const [path = '', queueName = '', redisUrl = ''] = process.argv.slice(2);
const { log } = recordingLog();
const queue = createQueue({
  name: 'q',
  store: createStore({ path }),
  transport:
    redisUrl === '' ? createEmbeddedTransport() : createBullmqTransport({ redisUrl, queueName, prefix: 'test', log }),
  clock: { now: Date.now },
  log,
  concurrency: 2,
  leaseMs: 60_000,
  retryBackoffMs: { initial: 10, max: 100 },
});
await queue.start(async (key) => {
  process.stdout.write(`${key}\n`);
  return await new Promise(() => undefined);
});
await queue.wake('k');
setInterval(() => undefined, 60_000);
