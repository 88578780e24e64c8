import process from 'node:process';
import { expect, it } from 'vitest';
import { createDiskWatch } from '../../../../src/adapters/sandbox/limits/watch-disk.ts';

it('does not count the files of the machine while a sandbox is still being set up', async () => {
  // Such a process has the temporary folder of the machine, like this one.
  const options = { perl: '/usr/bin/perl', folders: [], quota: { bytes: 0, entries: 0 } };
  const watch = await createDiskWatch(options);

  expect(await watch.isExceeded([process.pid])).toBe(false);
});
