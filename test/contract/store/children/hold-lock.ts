import { acquireControlPlaneLock } from '../../../../src/adapters/store/control-plane-lock.ts';

// Takes the lock of the folder in argv and keeps it until it is killed, though nothing here refers to it any more.
acquireControlPlaneLock(process.argv[2] ?? '');
globalThis.gc?.();
process.stdout.write('held\n');
setInterval(() => undefined, 60_000);
