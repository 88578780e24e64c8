import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createStore } from '../../../src/adapters/store/create-store.ts';
import { parsePullRequestKey } from '../../../src/core/model/ids.ts';
import { aDelivery, pullRequestChanged, temporaryFolder } from '../../support/store.ts';

const writer = fileURLToPath(new URL('children/ingest-until-killed.ts', import.meta.url));

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

/** Lets a process of its own ingest from `first` on and kills it after `minAcks` acknowledgements; the last one it gave. */
async function ingestUntilKilled(path: string, first: number, minAcks: number): Promise<number> {
  const child = spawn(process.execPath, [writer, path, String(first)], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  for await (const chunk of child.stdout.setEncoding('utf8')) {
    output += String(chunk);
    if (output.split('\n').length > minAcks) child.kill('SIGKILL');
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  expect(child.signalCode).toBe('SIGKILL');
  // The last line counts only when it was written whole.
  return Number(output.slice(0, output.lastIndexOf('\n')).split('\n').at(-1));
}

describe('a process that is killed after it acknowledged', () => {
  it('has lost no delivery, no workspace and no wake-up that it acknowledged', async () => {
    const path = join(folder.path, 'ratchet.db');
    let next = 0;
    for (const minAcks of [1, 20, 75]) {
      const last = await ingestUntilKilled(path, next, minAcks);
      expect(last).toBeGreaterThanOrEqual(next);

      const store = createStore({ path });
      const due = new Set(store.dueWakeups('evaluate', Number.MAX_SAFE_INTEGER, 1_000_000));
      for (let nth = 0; nth <= last; nth += 1) {
        const key = parsePullRequestKey(`100#${String(nth + 1)}`);
        expect(store.workspace(key)).not.toBeNull();
        expect(due.has(key)).toBe(true);
        const again = store.ingest([aDelivery(String(nth), pullRequestChanged({ number: nth + 1 }))]);
        expect(again).toEqual([{ kind: 'duplicate' }]);
      }
      store.close();
      next = last + 1;
    }
  });
});
