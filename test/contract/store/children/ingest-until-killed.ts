import { createStore } from '../../../../src/adapters/store/create-store.ts';
import { aDelivery, pullRequestChanged } from '../../../support/store.ts';

// Acknowledges each delivery on stdout after it was stored; the parent kills it in the middle of that.
const store = createStore({ path: process.argv[2] ?? '' });
const first = Number(process.argv[3]);
for (let nth = first; nth < first + 100_000; nth += 1) {
  store.ingest([aDelivery(String(nth), pullRequestChanged({ number: nth + 1 }))]);
  process.stdout.write(`${String(nth)}\n`);
}
