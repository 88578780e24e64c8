import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { chmod, readdir, stat, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { openStage } from '../support/e2e.ts';
import { openRedPullRequest, REPAIR, untilConcluded, WRITER } from '../support/red-repository.ts';

/** Only root can act as another user. Anybody else judges by the modes alone. */
const OTHER = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : null;
const run = promisify(execFile);

/** Prints those of the files named by its arguments that it can open, one a line. */
const OPEN_EACH = `for (const path of process.argv.slice(1)) try {
  fs.closeSync(fs.openSync(path, 'r'));
  console.log(path);
} catch {}`;

async function listFiles(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

async function isOpenToOthers(dataDir: string, path: string): Promise<boolean> {
  const folders = relative(dataDir, path).split('/').slice(0, -1);
  const above = folders.map((_, index) => join(dataDir, ...folders.slice(0, index + 1)));
  const modes = await Promise.all(above.map(async (folder) => (await stat(folder)).mode));
  return modes.every((mode) => (mode & constants.S_IXOTH) !== 0) && ((await stat(path)).mode & constants.S_IROTH) !== 0;
}

/** The files that another local user can read, relative to the data folder. That user is told all names. */
async function findReadable(dataDir: string, paths: readonly string[]): Promise<readonly string[]> {
  if (OTHER === null) {
    const open = await Promise.all(paths.map((path) => isOpenToOthers(dataDir, path)));
    return paths.filter((_, index) => open[index]).map((path) => relative(dataDir, path));
  }
  const { stdout } = await run(process.execPath, ['-e', OPEN_EACH, ...paths], {
    ...OTHER,
    cwd: '/',
    maxBuffer: 2 ** 26,
  });
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((path) => relative(dataDir, path));
}

describe('another user of the machine', () => {
  it('can read nothing of the data folder but the tools of the sandbox, though it knows every name', async ({
    onTestFinished,
  }) => {
    const { world, start } = await openStage(onTestFinished);
    const first = await start({ script: { steps: [REPAIR] } });
    const red = await openRedPullRequest(world);
    world.comment({ ...red, login: WRITER, body: '/ratchet enable' });
    await untilConcluded(world, red, 'success');
    const { dataDir } = first;

    const paths = await listFiles(dataDir);
    const readable = await findReadable(dataDir, paths);

    const names = paths.map((path) => relative(dataDir, path));
    for (const part of [
      'ratchet.db',
      'ratchet.db-wal',
      'ratchet.db-shm',
      'control-plane.lock',
      'artifacts/',
      'mirrors/',
    ]) {
      expect(names.filter((name) => name.startsWith(part))).not.toEqual([]);
    }
    // The script of the agent is a file of this test. It shows that the other user gets as far as that.
    expect(readable).toContain('agent-script.json');
    expect(readable.filter((name) => !name.startsWith('tools/') && name !== 'agent-script.json')).toEqual([]);
  });

  it('loses what an earlier version left open to it', async ({ onTestFinished }) => {
    const { start } = await openStage(onTestFinished);
    const first = await start({ script: { steps: [] } });
    const { dataDir } = first;
    await first.stop();
    const opened = ['ratchet.db', 'ratchet.db.before-migration-2', 'control-plane.lock'].map((name) =>
      join(dataDir, name),
    );
    await writeFile(opened[1] ?? '', 'a copy');
    for (const path of opened) await chmod(path, 0o644);

    await start({ script: { steps: [] } });

    expect(await findReadable(dataDir, opened)).toEqual([]);
  });
});
