import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createSessionFiles } from '../../../src/adapters/files/create-session-files.ts';
import { parsePullRequestKey, parseRunId } from '../../../src/core/model/ids.ts';
import type { SessionFiles } from '../../../src/ports/session-files.ts';

const SESSION = parseRunId('session-1');
const NO_LIMITS = { before: 0, maxBytesEach: Number.MAX_SAFE_INTEGER, maxBytes: Number.MAX_SAFE_INTEGER };

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

  it('are read as text, up to a limit', async () => {
    await files.writeArtifact(SESSION, 'patch.diff', 'a€b');

    expect(await files.readArtifact(SESSION, 'patch.diff', 1000)).toBe('a€b');
    expect(await files.readArtifact(SESSION, 'patch.diff', 4)).toBe('a€');
    expect(await files.readArtifact(SESSION, 'patch.diff', 2)).toBe('a\uFFFD');
    expect(await files.readArtifact(SESSION, 'other.diff', 1000)).toBeNull();
    expect(await files.readArtifact(parseRunId('session-2'), 'patch.diff', 1000)).toBeNull();
  });

  it('are not read through a link, and not from another place', async () => {
    await writeFile(join(dataDir, 'precious'), 'precious');
    await mkdir(inArtifacts(SESSION), { recursive: true });
    await symlink(join(dataDir, 'precious'), inArtifacts(SESSION, 'patch.diff'));

    await expect(files.readArtifact(SESSION, 'patch.diff', 1000)).rejects.toMatchObject({ code: 'ELOOP' });
    await expect(files.readArtifact(SESSION, '../precious', 1000)).rejects.toThrow('not a file name of ours');
  });

  it('are swept when they are older than asked, the others stay', async () => {
    await files.writeArtifact(SESSION, 'patch.diff', 'old');
    await files.writeArtifact(parseRunId('session-2'), 'patch.diff', 'young');
    await utimes(inArtifacts(SESSION), 1_000, 1_000);

    await files.sweep({ ...NO_LIMITS, before: 2_000_000 }, () => null);

    expect(await readdir(inArtifacts())).toEqual(['session-2']);
  });

  it('of a pull request go, the oldest first, where they are too many', async () => {
    const [older, newer, other] = ['older', 'newer', 'other'].map(parseRunId);
    for (const [nth, id] of [older, newer, other].entries()) {
      await files.writeArtifact(id ?? SESSION, 'agent.stdout.log', 'x'.repeat(1000));
      await utimes(inArtifacts(id ?? ''), 10 + nth, 10 + nth);
    }
    const keys = [parsePullRequestKey('1#1'), parsePullRequestKey('1#2')] as const;

    await files.sweep({ ...NO_LIMITS, maxBytesEach: 1500 }, (id) => (id === other ? keys[1] : keys[0]));

    expect((await readdir(inArtifacts())).toSorted()).toEqual(['newer', 'other']);
  });

  it('keep the start of an output that floods', async () => {
    async function* flood(): AsyncIterable<Uint8Array> {
      for (;;) yield Buffer.alloc(1024 * 1024, 'x');
    }

    await files.writeArtifact(SESSION, 'agent.stdout.log', flood());

    const text = await readFile(inArtifacts(SESSION, 'agent.stdout.log'), 'utf8');
    expect(text.length).toBeLessThan(16 * 1024 * 1024 + 100);
    expect(text).toMatch(/x\n\[cut: Ratchet keeps the first 16 MiB of an output\]\n$/);
  });

  it('that were never made are no error for a sweep', async () => {
    await expect(files.sweep(NO_LIMITS, () => null)).resolves.toBeUndefined();
  });
});
