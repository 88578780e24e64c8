import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { expectGone } from '../support/expect-gone.ts';
import { createCheckout } from './check-fixture.ts';

const PROJECT = join(import.meta.dirname, '../..');
const MAIN = join(PROJECT, 'src/main.ts');

describe('ratchet check as a process', () => {
  it('000.R43: its help and the documentation say that plans are compared engine by engine, and what the modes differ in', async () => {
    const { stdout } = await execa(process.execPath, [MAIN, 'check', '--help']);
    const documentation = await readFile(join(PROJECT, 'docs/engines.md'), 'utf8');

    expect(stdout).toMatch(/^usage: ratchet check \[PATH\.\.\.\]/u);
    expect(stdout).toContain('differ in one thing: CURRENT takes PATHs, TARGET never does');
    expect(stdout).toContain('is decided for each engine by itself');
    expect(stdout).toContain('if its two plans are equal, TARGET alone runs; otherwise CURRENT runs, and then TARGET');
    expect(documentation).toContain('CURRENT takes the paths that somebody asked for');
    expect(documentation).toContain('decided **for each engine by itself**');
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('on %s ends all that it started, and itself', async (signal) => {
    const { root, caches, write, remove } = await createCheckout({ isPlain: false });
    try {
      const fifo = join(caches, 'fifo');
      await execa('mkfifo', [fifo]);
      const command = JSON.stringify(['/bin/sh', '-c', `sleep 60 & echo $! >'${fifo}'; wait`]);
      const engine = `{ command: ${command}, format: jsonl, emptyMeansClean: true, globs: ["**/*.txt"], targets: project }`;
      await write({ 'a.txt': '', '.github/ratchet.yml': `version: 1\nengines:\n  slow: ${engine}\n` });
      const child = spawn(process.execPath, [MAIN, 'check'], {
        cwd: root,
        env: { PATH: process.env['PATH'], RATCHET_CACHE_DIR: caches },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const said = text(child.stderr);
      const exited = once(child, 'exit');
      const pid = Number((await readFile(fifo, 'utf8')).trim());

      child.kill(signal);

      expect(await exited).toEqual([3, null]);
      expect(await said).toContain('ratchet: check: stopped\n');
      await expectGone(pid);
    } finally {
      await remove();
    }
  });
});
