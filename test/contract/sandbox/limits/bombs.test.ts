import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SandboxOutcome } from '../../../../src/ports/sandbox.ts';
import { removeTree } from '../../../../src/system/remove-tree.ts';
import { NEVER } from '../../../support/never.ts';
import { createSandboxFixture, type SandboxFixture } from '../sandbox-fixture.ts';

const MEBIBYTE = 1024 ** 2;

/** Small enough that a bomb is over soon, large enough for what the other commands here do. */
const LIMITS = {
  maxProcesses: 48,
  maxMemoryBytes: 192 * MEBIBYTE,
  maxDiskBytes: 32 * MEBIBYTE,
  maxDiskEntries: 1000,
} as const;

/** Each would go on for ever. */
const BOMBS = {
  'one process that takes all memory': ['memory_limit', `perl -e 'my @all; push @all, "x" x 1e6 while 1'`],
  'many processes that take it together': [
    'memory_limit',
    `for i in 1 2 3 4 5 6 7 8; do perl -e 'my $all = "x" x 50e6; sleep 100' & done; wait`,
  ],
  'a fork bomb': ['process_limit', `perl -e 'fork while 1'`],
  'processes that sleep': [
    'process_limit',
    `perl -e 'while (1) { my $pid = fork; sleep 1000 if defined $pid and not $pid }'`,
  ],
  'large files in the workspace': ['disk_quota', 'while :; do i=$((i+1)); head -c 10000000 /dev/zero > file-$i; done'],
  'a file in the home folder': ['disk_quota', 'while :; do cat /usr/bin/perl >> $HOME/file; done'],
  'a million files': ['disk_quota', `perl -e 'while (1) { mkdir "d" . ++$i; open(F, ">", "d$i/$_") for 1 .. 50 }'`],
  'a million names of one file': ['disk_quota', `perl -e 'open(F, ">", "file"); link "file", "link" . ++$i while 1'`],
  'a million files in memory': ['disk_quota', `perl -e 'open(F, ">", "/tmp/" . ++$i) while 1'`],
  'files that it holds open, but has deleted': [
    'disk_quota',
    `perl -e 'while (1) { open($f[++$i], ">", "f"); unlink "f"; syswrite $f[$i], "x" x 5e6 }'`,
  ],
  'files in folders that it closed': [
    'disk_quota',
    `perl -e 'while (1) { mkdir "h" . ++$i; open(F, ">", "h$i/f"); syswrite F, "x" x 5e6; close F; chmod 0, "h$i" }'`,
  ],
} as const;

describe('a command without end', () => {
  let fixture: SandboxFixture;
  let neighbour: Promise<SandboxOutcome>;
  let stopFile: string;

  beforeAll(async () => {
    fixture = await createSandboxFixture('bubblewrap', { limits: LIMITS });
    const slot = await fixture.sandbox.acquireSlot(NEVER);
    stopFile = join(fixture.root, 'data', 'stop');
    await writeFile(stopFile, '');
    neighbour = fixture.sh(
      'until grep -q stop /stop; do sleep 0.1; done; echo survived',
      {
        slot,
        mounts: [{ source: stopFile, target: '/stop', writable: false }],
        cwd: '/',
        timeoutMs: 120_000,
        stdoutPath: join(fixture.root, 'neighbour.out'),
        stderrPath: join(fixture.root, 'neighbour.err'),
      },
      new AbortController().signal,
    );
  });

  /** Takes away what a command left, as the end of its site does. */
  async function clear(): Promise<void> {
    for (const name of ['work', 'home']) {
      const folder = join(fixture.root, 'data', name);
      expect(await removeTree(folder)).toBe(true);
      await mkdir(folder);
      await fixture.sandbox.giveToSlot(folder, fixture.slot);
    }
  }

  afterAll(async () => {
    await fixture.remove();
  });

  it.each(Object.entries(BOMBS))('ends with its reason (T41): %s', async (_what, [kind, script]) => {
    const outcome = await fixture.sh(script);
    await clear();
    const next = await fixture.sh('echo next');

    expect(outcome).toMatchObject({ kind, processesLeft: 0 });
    expect(outcome.durationMs).toBeLessThan(60_000);
    expect(next).toMatchObject({ kind: 'exited', exitCode: 0, stdoutTail: 'next\n' });
  });

  it('ends with its reason even if it is quicker than the watcher', async () => {
    const outcome = await fixture.sh('head -c 40000000 /dev/zero > file');

    expect(outcome.kind).toBe('disk_quota');
    await clear();
  });

  it.each([
    [
      'memory that processes share',
      `perl -e 'my $all = "x" x 45e6; for (1 .. 8) { if (not fork) { sleep 1; exit } } 1 while wait > 0'`,
    ],
    ['a peak of processes', `perl -e 'for (1 .. 60) { if (not fork) { exit } } 1 while wait > 0'`],
    ['files that it removes', 'for i in 1 2 3 4 5 6; do head -c 9000000 /dev/zero > file; rm file; sleep 0.2; done'],
  ])('goes on with %s', async (_what, script) => {
    expect(await fixture.sh(`${script} && echo finished`)).toMatchObject({ kind: 'exited', stdoutTail: 'finished\n' });
  });

  it('ends no other sandbox', async () => {
    await writeFile(stopFile, 'stop\n');

    expect(await neighbour).toMatchObject({ kind: 'exited', exitCode: 0, processesLeft: 0 });
    expect(await readFile(join(fixture.root, 'neighbour.out'), 'utf8')).toBe('survived\n');
  });
});
