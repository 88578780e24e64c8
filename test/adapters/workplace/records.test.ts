import { mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readState } from './read-state.ts';
import { createWorkplaceFixture, toShell, type WorkplaceFixture } from './workplace-fixture.ts';

const SIGNAL = (): AbortSignal => AbortSignal.timeout(120_000);
const COMMAND = { cwd: '.', timeoutMs: 60_000, maxOutputBytes: 100_000 };
let fixture: WorkplaceFixture;

beforeEach(async () => {
  fixture = await createWorkplaceFixture();
  const { root } = fixture;
  await mkdir(join(root, '.git'));
  await writeFile(join(root, '.git', 'config'), '[core]\n\texcludesFile = /dev/zero\n');
  await mkdir(join(root, 'src/deep'), { recursive: true });
  await mkdir(join(root, 'empty'));
  await mkdir(join(root, 'node_modules/a'), { recursive: true });
  await writeFile(join(root, '.gitignore'), 'node_modules\n*.log\n');
  await writeFile(join(root, 'src/run.sh'), '#!/bin/sh\n', { mode: 0o755 });
  await writeFile(join(root, 'src/deep/data'), Buffer.from([0, 255, 10, 13]));
  await writeFile(join(root, 'secret'), 'x', { mode: 0o600 });
  await writeFile(join(root, 'kept.log'), 'ignored, but no folder');
  await writeFile(join(root, 'node_modules/a/index.js'), 'one');
  await symlink('src/run.sh', join(root, 'link'));
  await symlink('nowhere', join(root, 'broken'));
  await writeFile(Buffer.concat([Buffer.from(`${root}/caf`), Buffer.from([0xe9])]), 'latin1 name');
  await fixture.give();
});
afterEach(async () => {
  await fixture.close();
});

/** What a command may do, each in a shell of its own. */
const DEEDS = [
  ['changes a file', 'echo changed > src/deep/data'],
  ['removes everything', 'rm -rf src secret link broken empty kept.log .gitignore caf*'],
  ['adds files and folders', 'mkdir -p new/a/b && echo x > new/a/b/c && ln -s /etc/passwd new/p'],
  ['changes modes', 'chmod 000 src/run.sh && chmod 777 secret && chmod 700 empty'],
  ['locks its own user out', 'chmod 000 src/deep && chmod 000 src'],
  ['makes a file of a folder', 'rm -rf src && echo file > src'],
  ['makes a folder of a file', 'rm secret && mkdir -p secret/x && echo y > secret/x/y'],
  ['makes a link of a folder', 'rm -rf src && ln -s /etc src'],
  ['turns a link elsewhere', 'ln -sfn /etc/passwd link && ln -sfn src broken'],
  ['moves things around', 'mv src elsewhere && mv secret src'],
  ['makes a pipe', 'mkfifo pipe'],
  ['ignores what it adds', 'echo hidden >> .gitignore && mkdir hidden && echo x > hidden/x'],
  [
    'swaps two files of the same size and time',
    'echo a > p; cp -p src/run.sh q; mv q secret; touch -r src/run.sh secret',
  ],
  ['makes its own repository', 'mkdir -p sub && echo x > sub/y'],
] as const;

describe('the record of a workplace', () => {
  it.each(DEEDS)(
    'brings everything back after a command that %s, also twice and after a restart (004.R15)',
    async (_what, deed) => {
      const { root, place, reopen } = fixture;
      const before = await readState(root);
      const id = await place.recordAll(SIGNAL());
      expect(await readState(root)).toEqual(before);
      await place.run({ ...COMMAND, argv: toShell(deed) }, SIGNAL());
      expect(await readState(root)).not.toEqual(before);
      await reopen().restoreAll(id, SIGNAL());
      expect(await readState(root)).toEqual(before);
      await place.restoreAll(id, SIGNAL());
      expect(await readState(root)).toEqual(before);
    },
  );

  it('leaves ignored folders as they are, and names them', async () => {
    const { root, place } = fixture;
    const id = await place.recordAll(SIGNAL());
    await place.run(
      { ...COMMAND, argv: toShell('echo two > node_modules/a/index.js; echo changed > kept.log') },
      SIGNAL(),
    );
    expect(await place.restoreAll(id, SIGNAL())).toEqual({ ignored: ['node_modules'], newGit: [] });
    expect(await readFile(join(root, 'node_modules/a/index.js'), 'utf8')).toBe('two\n');
    expect(await readFile(join(root, 'kept.log'), 'utf8')).toBe('ignored, but no folder');
  });

  describe('in an ignored folder', () => {
    const DEED =
      'echo x > dist/tracked.js; rm dist/deep/run.sh; chmod 755 dist/mine; echo x > dist/cache/a; rm -r node_modules';

    beforeEach(async () => {
      const { root, repository, give } = fixture;
      for (const folder of [root, repository]) {
        await mkdir(join(folder, 'dist/deep'), { recursive: true });
        await mkdir(join(folder, 'dist/cache'));
        await writeFile(join(folder, '.gitignore'), 'node_modules\ndist\n');
        await writeFile(join(folder, 'dist/tracked.js'), 'built\n');
        await writeFile(join(folder, 'dist/deep/run.sh'), '#!/bin/sh\n', { mode: 0o755 });
        await writeFile(join(folder, 'dist/mine'), 'not tracked, beside tracked ones');
        await writeFile(join(folder, 'dist/cache/a'), 'one');
      }
      await give();
    });

    it('brings back what git tracks, and leaves the folders in which it tracks nothing (004.R15)', async () => {
      const { root, repository, place } = fixture;
      await execa('git', ['init', '--quiet'], { cwd: repository });
      await execa('git', ['add', '--force', '.gitignore', 'dist/tracked.js', 'dist/deep/run.sh'], { cwd: repository });
      const id = await place.recordAll(SIGNAL());
      await place.run({ ...COMMAND, argv: toShell(DEED) }, SIGNAL());
      expect(await place.restoreAll(id, SIGNAL())).toEqual({ ignored: ['dist/cache', 'node_modules'], newGit: [] });
      expect(await readFile(join(root, 'dist/tracked.js'), 'utf8')).toBe('built\n');
      expect((await stat(join(root, 'dist/deep/run.sh'))).mode & 0o777).toBe(0o755);
      expect((await stat(join(root, 'dist/mine'))).mode & 0o777).toBe(0o644);
      expect(await readFile(join(root, 'dist/cache/a'), 'utf8')).toBe('x\n');
    });

    it('takes no part of a repository that lost its index, or that has a program of its own', async () => {
      const { root, repository, place, outside } = fixture;
      await execa('git', ['init', '--quiet'], { cwd: repository });
      const program = join(outside, 'program');
      await writeFile(program, `#!/bin/sh\ntouch ${outside}/ran\n`, { mode: 0o755 });
      await execa('git', ['config', 'core.fsmonitor', program], { cwd: repository });
      await writeFile(join(repository, '.git/index'), 'no index');
      const id = await place.recordAll(SIGNAL());
      await place.run({ ...COMMAND, argv: toShell(DEED) }, SIGNAL());
      expect(await place.restoreAll(id, SIGNAL())).toEqual({ ignored: ['dist', 'node_modules'], newGit: [] });
      expect(await readFile(join(root, 'dist/tracked.js'), 'utf8')).toBe('x\n');
      await expect(stat(join(outside, 'ran'))).rejects.toThrow('ENOENT');
    });
  });

  it('never touches what belongs to git', async () => {
    const { root, place } = fixture;
    const id = await place.recordAll(SIGNAL());
    await writeFile(join(root, '.git', 'config'), 'changed by its owner');
    await place.restoreAll(id, SIGNAL());
    expect(await readFile(join(root, '.git', 'config'), 'utf8')).toBe('changed by its owner');
  });

  it('is shared by commands that run at the same time, and is from before the first of them', async () => {
    const { root, place } = fixture;
    const before = await readState(root);
    const first = await place.recordAll(SIGNAL());
    const wait = 'touch begun; i=0; while [ ! -e go ]; do i=$((i+1)); [ $i -gt 6000 ] && exit 9; sleep 0.01; done';
    const running = place.run({ ...COMMAND, argv: toShell(wait) }, SIGNAL());
    // A command has begun when its own file is there: only commands may look meanwhile.
    const seen = toShell('i=0; while [ ! -e begun ]; do i=$((i+1)); [ $i -gt 6000 ] && exit 9; sleep 0.01; done');
    expect((await place.run({ ...COMMAND, argv: seen }, SIGNAL())).exitCode).toBe(0);
    const second = await place.recordAll(SIGNAL());
    expect(second).toBe(first);
    await place.run({ ...COMMAND, argv: toShell('touch go') }, SIGNAL());
    await running;
    await place.restoreAll(second, SIGNAL());
    expect(await readState(root)).toEqual(before);
  });

  it('refuses a record that is missing or damaged, and removes nothing', async () => {
    const { root, place } = fixture;
    const before = await readState(root);
    for (const id of ['../../etc', 'f'.repeat(24), '']) {
      await expect(place.restoreAll(id, SIGNAL())).rejects.toMatchObject({ code: 'DISK_FAILED' });
    }
    expect(await readState(root)).toEqual(before);
  });
});
