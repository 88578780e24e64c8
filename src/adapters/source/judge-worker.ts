import { parentPort } from 'node:worker_threads';
import type { ChangedTexts } from '../../ports/test-judge.ts';
import { examineSides } from './examine-change.ts';

/** The thread of `createTestJudge`: it waits for one change, judges it, and is ended. */
parentPort?.once('message', (change: ChangedTexts) => {
  parentPort?.postMessage(examineSides(change));
});
