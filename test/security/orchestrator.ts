/**
 * A service of its own for tests that need one: its environment holds canaries, and it can be killed. Runs one shell
 * script in a sandbox below the folder of argument 1, with the bwrap of argument 3 if there is one, and prints the outcome as JSON.
 */
import { writeSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { createBubblewrapSandbox, DEFAULT_PROGRAMS } from '../../src/adapters/sandbox/create-bubblewrap-sandbox.ts';
import { toBubblewrapOptions } from '../contract/sandbox/sandbox-fixture.ts';
import { NEVER } from '../support/never.ts';

const [root = '', script = '', bwrap = DEFAULT_PROGRAMS.bwrap] = process.argv.slice(2);
const programs = { ...DEFAULT_PROGRAMS, bwrap };
const sandbox = createBubblewrapSandbox({ ...(await toBubblewrapOptions(root)), programs });
const slot = await sandbox.acquireSlot(NEVER);
const workDir = join(root, 'data', 'work');
await mkdir(workDir, { recursive: true });
await sandbox.giveToSlot(workDir, slot);

const outcome = await sandbox.run(
  {
    argv: ['/bin/sh', '-c', script],
    env: { PATH: `${sandbox.toolsDir}/bin:/usr/bin:/bin`, HOME: '/tmp', LC_ALL: 'C' },
    cwd: '/workspace',
    stdin: '',
    mounts: [{ source: workDir, target: '/workspace', writable: true }],
    slot,
    timeoutMs: 120_000,
    maxOutputBytes: 4 * 1024 * 1024,
    stdoutPath: join(root, 'stdout.log'),
    stderrPath: join(root, 'stderr.log'),
  },
  NEVER,
);
writeSync(1, JSON.stringify(outcome));
