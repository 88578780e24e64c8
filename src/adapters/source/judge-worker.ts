import { parentPort, workerData } from 'node:worker_threads';
import type { ChangedTexts } from '../../ports/test-judge.ts';
import { examineSides } from './examine-change.ts';

/** The thread of `createTestJudge`: it judges one change and ends. */
// oxlint-disable-next-line ours/banned-syntax -- the only sender is createTestJudge
parentPort?.postMessage(examineSides(workerData as ChangedTexts));
