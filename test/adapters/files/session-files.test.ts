import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createSessionFiles } from '../../../src/adapters/files/create-session-files.ts';
import { parseRunId } from '../../../src/core/model/ids.ts';
import type { SessionFiles } from '../../../src/ports/session-files.ts';

const SESSION = parseRunId('session-1');

let dataDir: string;
let files: SessionFiles;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'ratchet-files-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  files = createSessionFiles({ dataDir });
});

function inArtifacts(...names: readonly string[]): string {
  return join(dataDir, 'artifacts', ...names);
}

describe('artifacts', () => {
  it('are written whole, text or bytes, anew each time, and are nobody else’s to read', async () => {
    await files.writeArtifact(SESSION, 'patch.diff', 'a longer first text');
    await files.writeArtifact(SESSION, 'patch.diff', 'diff');
    async function* chunks(): AsyncIterable<Uint8Array> {
      yield Buffer.from('one\n');
      yield Buffer.from([0xff, 0x00]);
    }
    await files.writeArtifact(SESSION, 'agent.stdout.log', chunks());

    expect(await readFile(inArtifacts(SESSION, 'patch.diff'), 'utf8')).toBe('diff');
    expect(await readFile(inArtifacts(SESSION, 'agent.stdout.log'))).toEqual(Buffer.from('one\n\xff\0', 'latin1'));
    expect((await stat(inArtifacts(SESSION))).mode & 0o777).toBe(0o700);
    expect((await stat(inArtifacts(SESSION, 'patch.diff'))).mode & 0o777).toBe(0o600);
  });

  it.each(['..', '../other', 'a/b', '.hidden', '', 'a\0b', 'x'.repeat(65)])('are never called %j', async (name) => {
    await expect(files.writeArtifact(SESSION, name, 'text')).rejects.toThrow('not a file name of ours');
    expect(await readdir(dataDir)).toEqual([]);
  });

  it('are not written through a link', async () => {
    const target = join(dataDir, 'precious');
    await writeFile(target, 'precious');
    await mkdir(inArtifacts(SESSION), { recursive: true });
    await symlink(target, inArtifacts(SESSION, 'patch.diff'));

    await expect(files.writeArtifact(SESSION, 'patch.diff', 'text')).rejects.toMatchObject({ code: 'ELOOP' });
    expect(await readFile(target, 'utf8')).toBe('precious');
  });

  it('are swept when they are older than asked, the others stay', async () => {
    await files.writeArtifact(SESSION, 'patch.diff', 'old');
    await files.writeArtifact(parseRunId('session-2'), 'patch.diff', 'young');
    await utimes(inArtifacts(SESSION), 1_000, 1_000);

    await files.sweep(2_000_000);

    expect(await readdir(inArtifacts())).toEqual(['session-2']);
  });

  it('that were never made are no error for a sweep', async () => {
    await expect(files.sweep(0)).resolves.toBeUndefined();
  });
});
