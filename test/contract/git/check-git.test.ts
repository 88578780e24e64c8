import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkGit } from '../../../src/adapters/git/check-git.ts';
import { DEFAULT_GIT_PATH } from '../../../src/adapters/git/create-git.ts';
import { temporaryFolder } from '../../support/store.ts';

async function pathWithGit(version: string): Promise<string> {
  const temporary = temporaryFolder();
  onTestFinished(temporary.remove);
  const folder = join(temporary.path, 'bin');
  await mkdir(folder);
  await writeFile(join(folder, 'git'), `#!/bin/sh\necho "git version ${version}"\n`, { mode: 0o755 });
  return folder;
}

describe('checkGit (T24)', () => {
  it('tells the version of the git of this machine', async () => {
    expect(await checkGit(DEFAULT_GIT_PATH)).toMatch(/^\d+\.\d+/);
  });

  it.each(['2.38.0', '2.39.5', '2.50.1.windows.1', '3.0.0'])('takes git %s', async (version) => {
    expect(await checkGit(await pathWithGit(version))).toBe(version);
  });

  it.each(['2.37.9', '1.9.1'])('refuses git %s, and says what is needed', async (version) => {
    await expect(checkGit(await pathWithGit(version))).rejects.toThrow(
      `git 2.38 or later is required; this is ${version}`,
    );
  });

  it('says that there is none', async () => {
    await expect(checkGit('/nowhere')).rejects.toThrow('git is required and was not found on the PATH');
  });
});
