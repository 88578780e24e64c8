import { createStore } from '../../../../src/adapters/store/create-store.ts';
import { parseRunId } from '../../../../src/core/model/ids.ts';
import { anAttemptEnd, SUCCEEDED } from '../../../support/task-store.ts';

// Claims and finishes tasks until there are none, and prints the id of each. With a third argument: claims one and waits to be killed.
const [path = '', workerId = '', waits] = process.argv.slice(2);
const store = createStore({ path });
const runId = parseRunId('run-1');
const LOCK_WAIT_MS = 60_000;
const within = <Result>(work: () => Result): Promise<Result> => store.onceWritable(work, LOCK_WAIT_MS);
for (;;) {
  const now = Date.now();
  const task = await within(() => store.claimNextTask(runId, { workerId, now, until: now + 60_000 }));
  if (task === null) break;
  const claim = { taskId: task.id, workerId };
  const attempt = await within(() => store.createAttempt(claim, { agentName: 'scripted', startedAt: now }));
  process.stdout.write(`${String(task.id)}\n`);
  if (waits !== undefined) await new Promise(() => setInterval(() => undefined, 60_000));
  const end = anAttemptEnd({ status: 'succeeded', cause: null, at: Date.now() });
  await within(() => {
    store.finishAttempt(claim, attempt.id, end, SUCCEEDED);
  });
}
store.close();
