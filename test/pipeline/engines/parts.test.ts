import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

import { parseRunId } from '../../../src/core/model/ids.ts';

import { createTreeReader } from '../../../src/pipeline/engines/create-tree-reader.ts';
import { forEachAtOnce } from '../../../src/pipeline/engines/for-each-at-once.ts';
import { parsePythonPackages, toProbeArguments } from '../../../src/pipeline/engines/python-packages.ts';
import type { SessionRepository } from '../../../src/ports/git.ts';
import { fakeSha } from '../../support/builders.ts';
import { createFakeGit } from '../../support/fake-git.ts';
import { createTempFolder } from '../../support/git-repository.ts';

it('reads what is asked for at the same time by one call of git', async () => {
  const journal: string[] = [];
  const git = createFakeGit({ branch: 'b', headSha: fakeSha('head'), onPush: () => undefined, journal });
  git.texts({ head: { a: '\uFEFFone', b: 'four' } });
  const mirror = { repositoryId: 1, gitDir: '/m', objectsDir: '/m/objects' };
  const signal = AbortSignal.timeout(5000);
  const repository: SessionRepository = {
    ...{ runId: parseRunId('session-1'), mirror, controlDir: '/c', headSha: fakeSha('head') },
  };
  const read = createTreeReader(git, { repository, treeSha: fakeSha('head') }, signal);

  const texts = await Promise.all([read('a', 100), read('b', 4), read('b', 3), read('none', 9)]);
  const later = await read('a', 100);

  expect(texts).toEqual(['one', 'four', null, null]);
  expect(later).toBe('one');
  expect(journal.filter((call) => call === 'git.readFiles')).toHaveLength(2);
});

describe('work on many things at once', () => {
  it('begins no more after one failed, waits for what runs, and tells the first error', async () => {
    const journal: string[] = [];
    const work = async (item: number): Promise<void> => {
      journal.push(`begin ${String(item)}`);
      if (item === 1) throw new Error('first');
      await new Promise((done) => setImmediate(done));
      journal.push(`end ${String(item)}`);
    };

    await expect(forEachAtOnce([1, 2, 3, 4], 2, work)).rejects.toThrow('first');

    expect(journal).toEqual(['begin 1', 'begin 2', 'end 2']);
  });

  it('does nothing where there is nothing', async () => {
    await expect(forEachAtOnce([], 2, () => Promise.reject(new Error('called')))).resolves.toBeUndefined();
  });
});

const run = promisify(execFile);
const hasPython = await run('python3', ['--version']).then(
  () => true,
  () => false,
);

describe.runIf(hasPython)('a real interpreter', () => {
  it('tells what is installed, and is not led astray by modules of the repository', async () => {
    const { path, remove } = await createTempFolder({ inMemory: true });
    try {
      for (const name of ['json.py', 'email.py', 'os.py']) await writeFile(join(path, name), 'raise SystemExit(9)\n');
      const info = join(path, 'known_tool-4.5.dist-info');
      await mkdir(info);
      await writeFile(join(info, 'METADATA'), 'Metadata-Version: 2.1\nName: known-tool\nVersion: 4.5\n');
      const names = ['known-tool', 'no-such-tool'];
      const probe = async () =>
        parsePythonPackages((await run('python3', [...toProbeArguments(names)], { cwd: path })).stdout, names);

      const first = await probe();
      await mkdir(join(path, 'plugin-1.0.dist-info'));
      const second = await probe();

      expect(first?.versions).toEqual({ 'known-tool': '4.5', 'no-such-tool': null });
      expect(second?.versions).toEqual(first?.versions);
      expect(second?.digest).not.toBe(first?.digest);
    } finally {
      await remove();
    }
  });
});
