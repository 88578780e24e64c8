import { execa } from 'execa';
import { expect, it } from 'vitest';
import type { BrowserTask } from '../../../src/core/model/browser-step.ts';
import { readBrowserReport } from '../../../src/schemas/browser-task.ts';

const TASK: BrowserTask = {
  browser: '/nonexistent',
  timeoutMs: 300,
  serve: { argv: ['sleep', '600'], url: 'http://127.0.0.1:8124' },
  actions: [{ type: 'open', path: '/' }],
};

// The executor ends a step too, and on a busy machine it may do so first: the time limit of the program is tested without it.
it('ends before its step does, and names the port at which nothing serves', async () => {
  const program = execa(process.execPath, ['src/adapters/browser/browser-program.ts'], {
    input: JSON.stringify(TASK),
    detached: true,
  });
  try {
    const { stdout } = await program;
    expect(stdout.split('\n').map(readBrowserReport)).toEqual([
      { type: 'end', problem: 'nothing serves at port 8124', said: '' },
    ]);
  } finally {
    // What the program leaves is ended by the place, and here by its group.
    process.kill(-(program.pid ?? Number.NaN), 'SIGKILL');
  }
});
