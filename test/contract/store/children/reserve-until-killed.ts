import { createStore } from '../../../../src/adapters/store/create-store.ts';
import { parseSessionId, toPullRequestKey } from '../../../../src/core/model/ids.ts';

// Acknowledges each reservation on stdout after it was stored; the parent kills it in the middle of that.
const store = createStore({ path: process.argv[2] ?? '' });
for (let nth = 0; nth < 100_000; nth += 1) {
  store.reserveCall(
    {
      ...{ sessionId: parseSessionId('s1'), key: toPullRequestKey(100, 7), repositoryId: 100, installationId: 1 },
      ...{ agent: 'claude', model: 'm', startedAt: 1_000 + nth, reservedMicroUsd: 100 },
      reserved: { input: 1, cached: 0, written: 0, output: 1 },
    },
    {},
  );
  process.stdout.write(`${String(nth)}\n`);
}
