import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { findToolchains } from '../../../src/compose/find-toolchains.ts';
import { ConfigError } from '../../../src/core/model/errors.ts';
import { createSandboxFixture, type SandboxFixture } from './sandbox-fixture.ts';

let fixture: SandboxFixture;
beforeEach(async () => {
  fixture = await createSandboxFixture();
  await program('tools-1.2/lib/greet', 'echo hello');
  await program('tools-1.2/bin/own', `${at('tools')}/lib/greet; ${at('tools-1.2')}/lib/greet`);
  await symlink('../lib/greet', at('tools-1.2/bin/greet'));
  await symlink('/usr/bin/env', at('tools-1.2/bin/env'));
  await symlink('../gone', at('tools-1.2/bin/gone'));
  await symlink('tools-1.2', at('tools'));
});
afterEach(async () => fixture.remove());

const at = (path: string): string => join(fixture.root, path);
const program = async (path: string, text: string): Promise<void> => {
  await mkdir(dirname(at(path)), { recursive: true });
  await writeFile(at(path), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
};
const find = async (...folders: readonly string[]) => {
  const { sandbox, slot } = fixture;
  return findToolchains(folders, { toolsDir: sandbox.toolsDir, slot });
};

it('that are named by a link are seen by that name, and by their own', async () => {
  const { folders, mounts } = await find(at('tools'));
  const work = { source: fixture.workDir, target: '/workspace', writable: false };

  const { exitCode } = await fixture.sh(`${folders.join()}/bin/own; ${folders.join()}/bin/greet`, {
    mounts: [work, ...mounts],
  });

  expect(folders).toEqual([at('tools')]);
  expect([exitCode, await fixture.readStdout()]).toEqual([0, 'hello\nhello\nhello\n']);
});

it('without a link are mounted once', async () => {
  expect((await find(at('tools-1.2'))).mounts).toHaveLength(1);
});

it('are refused where programs lead out of what a sandbox sees: they would be missing there without a word', async () => {
  await program('other/bin/far', 'echo far');
  await symlink(at('other/bin/far'), at('tools-1.2/bin/far'));
  await mkdir(at('linked'));
  await symlink(at('other/bin'), at('linked/bin'));

  await expect(find(at('tools'))).rejects.toThrow(/"far" in \S+tools\/bin lead out of the folder/u);
  await expect(find(at('linked'))).rejects.toThrow(/"far" in \S+linked\/bin lead out/u);
  expect((await find(at('tools'), at('other'))).mounts).toHaveLength(3);
});

it.each(['none', 'tools/lib'])('without programs are refused: %s', async (path) => {
  await expect(find(at(path))).rejects.toThrow(ConfigError);
});
