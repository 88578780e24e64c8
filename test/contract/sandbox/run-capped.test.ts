import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTempFolder } from '../../support/git-repository.ts';

const MODULE = pathToFileURL(join(import.meta.dirname, '../../../src/adapters/sandbox/run-capped.ts')).href;

let root: string;
let removeRoot: () => Promise<void>;

beforeEach(async () => {
  ({ path: root, remove: removeRoot } = await createTempFolder());
});

afterEach(async () => {
  await removeRoot();
});

describe('a process for which no pipe is left (EMFILE)', () => {
  it.each([5, 7, 9])('is not started, and does not end the service (%i descriptors left)', async (left) => {
    const program = `
      import { closeSync, openSync } from 'node:fs';
      const { runCapped } = await import(${JSON.stringify(MODULE)});
      const open = [];
      try { for (;;) open.push(openSync('/dev/null', 'r')); } catch {}
      for (let count = 0; count < ${String(left)}; count += 1) closeSync(open.pop());
      const outcome = await runCapped({
        argv: ['/bin/true'], env: {}, cwd: '/', stdin: '', timeoutMs: 5000, graceMs: 100, maxOutputBytes: 1000,
        stdoutPath: ${JSON.stringify(join(root, 'stdout'))}, stderrPath: ${JSON.stringify(join(root, 'stderr'))},
        onStatus: () => undefined, interrupt: async () => undefined, kill: (child) => child.kill('SIGKILL'),
      }, new AbortController().signal);
      for (const fd of open) closeSync(fd);
      // Whatever was rejected unheard ends the process before this.
      await new Promise((resolve) => setImmediate(resolve));
      process.stdout.write(outcome.kind);`;
    const shell = 'ulimit -n 64 && exec "$0" --input-type=module -e "$1"';

    const { stdout } = await promisify(execFile)('/bin/sh', ['-c', shell, process.execPath, program]);

    expect(stdout).toBe('not_started');
  });
});
