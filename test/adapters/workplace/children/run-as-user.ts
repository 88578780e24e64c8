import { createUnsafeSandbox } from '../../../../src/adapters/sandbox/create-unsafe-sandbox.ts';
import { createWorkplace } from '../../../../src/adapters/workplace/create-workplace.ts';
import { SILENT } from '../../../../src/compose/silent-log.ts';
import { readState } from '../read-state.ts';

/** A process of its own, so that it can run as a normal user: records the folder or a file of it, runs a shell deed and undoes it. */
const [base = '', undo = '', deed = ''] = process.argv.slice(2);
const root = `${base}/work`;
const sandbox = createUnsafeSandbox({
  slots: 1,
  toolsDir: base,
  newId: () => crypto.randomUUID(),
  log: SILENT,
});
const slot = { index: 0, uid: null, gid: null };
const place = createWorkplace({
  ...{ root, records: `${base}/records`, scratch: `${base}/scratch`, repository: root, sandbox, slot, env: {} },
});
const signal = AbortSignal.timeout(60_000);

async function prepare(): Promise<() => Promise<unknown>> {
  if (undo === 'all') {
    const id = await place.recordAll(signal);
    return () => place.restoreAll(id, signal);
  }
  const record = await place.record(undo, 'entry');
  return () => place.restore(record);
}

const before = await readState(root);
const restore = await prepare();
const recorded = await readState(root);
const command = { argv: ['/bin/sh', '-c', deed], cwd: '.', timeoutMs: 30_000, maxOutputBytes: 100_000 };
const end = await place.run(command, signal);
await restore();
process.stdout.write(
  JSON.stringify({
    uid: process.getuid?.(),
    exitCode: end.exitCode,
    before,
    recorded,
    after: await readState(root),
  }),
);
