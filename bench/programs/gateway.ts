import { writeFileSync } from 'node:fs';
import { z } from 'zod';
import { createModelGateway } from '../../src/adapters/gateway/create-model-gateway.ts';
import { createKeyFiles } from '../../src/adapters/gateway/key-files.ts';
import { createStore } from '../../src/adapters/store/create-store.ts';
import { parseSessionId, toPullRequestKey } from '../../src/core/model/ids.ts';
import { recordingLog } from '../../test/support/store.ts';
import { answerCpu, serveParent } from '../child.ts';

/** Our side of row 20: the gateway with its ledger on a disk, and several sessions. */

const input = z
  .object({
    ...{ url: z.string(), database: z.string(), folder: z.string(), keyFile: z.string() },
    ...{ sessionsFile: z.string(), sessions: z.number() },
  })
  .parse(JSON.parse(process.argv[2] ?? ''));
const model = 'model-1';
const store = createStore({ path: input.database });
const gateway = createModelGateway({
  ...{ folder: input.folder, ledger: store, switches: store, limits: {}, keys: createKeyFiles(() => undefined) },
  ...{ clock: { now: () => Date.now() }, log: recordingLog().log },
});
const open = await Promise.all(
  Array.from({ length: input.sessions }, (_, index) =>
    gateway.open({
      sessionId: parseSessionId(`session-${String(index)}`),
      ...{ key: toPullRequestKey(100, index + 1), repositoryId: 100, installationId: 1 },
      endpoint: {
        ...{ name: 'agent-1', dialect: 'anthropic', url: input.url, keyFile: input.keyFile, models: [model] },
        prices: { [model]: { input: 3, cached: 0.3, written: 3.75, output: 15 } },
        maxOutputTokens: 10_000_000,
      },
      ...{ model, maxMicroUsd: 1_000_000_000_000_000, maxCalls: null, maxTokens: null },
    }),
  ),
);
writeFileSync(input.sessionsFile, JSON.stringify(open.map(({ socketPath, token }) => ({ socketPath, token }))));

serveParent(
  {
    ready: () => ({}),
    cpu: answerCpu,
    memory: () => {
      globalThis.gc?.();
      return { bytes: process.memoryUsage().rss };
    },
  },
  async () => {
    await gateway.close();
    store.close();
  },
);
