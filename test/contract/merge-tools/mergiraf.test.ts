import { createHash } from 'node:crypto';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FoundMergeTool, findMergiraf } from '../../../src/adapters/merge-tools/create-mergiraf.ts';
import { createBubblewrapSandbox } from '../../../src/adapters/sandbox/create-bubblewrap-sandbox.ts';
import { parseSha, type Sha } from '../../../src/core/model/ids.ts';
import { mergeStructures } from '../../../src/pipeline/fixup/merge-structures.ts';
import type { ConflictedFile } from '../../../src/ports/git.ts';
import { createVersionReader } from '../../../src/system/read-version.ts';
import { aFixup, aSession } from '../../support/builders.ts';
import { createFakeSessionFiles } from '../../support/fake-session-files.ts';
import { createTestLog, createTestSession, type TestSession } from '../../support/git-repository.ts';
import { createTestSites } from '../../support/sandbox-sites.ts';
import { IS_ROOT, SLOT_GID, toBubblewrapOptions } from '../sandbox/sandbox-fixture.ts';

/** Answers as mergiraf does, by a word in the merge base: its output for a conflict is recorded. */
const PROGRAM = `#!/bin/sh
case "$1" in --version) echo "mergiraf 0.12.1"; exit 0;; esac
test "$1" = merge && test "$3 $4 $5 $6" = "--base-name=base --left-name=ours --right-name=theirs --" || exit 2
case "$(cat "$7")" in
  conflict*) printf '<<<<<<< ours\\nours\\n||||||| base\\nconflict\\n=======\\ntheirs\\n>>>>>>> theirs\\n'; exit 1;;
  crash*) echo "Mergiraf: Could not read x" >&2; exit 255;;
  escape*) ls /workspace > /dev/null && test -z "$(ls -A /workspace)" && printf 'an empty tree, and no network\\n';;
  *) cat "$8" "$9"; echo "$2";;
esac
`;

const FILES = {
  base: 'base\n',
  ours: 'ours\r\n',
  theirs: 'theirs\r\n',
  conflict: 'conflict\n',
  crash: 'crash\n',
  escape: 'escape\n',
} as const;

let session: TestSession;
let program: string;

beforeAll(async () => {
  session = await createTestSession(FILES, { inMemory: false, slotGid: IS_ROOT ? SLOT_GID : null });
  program = join(session.root, 'tool', 'mergiraf');
  await mkdir(join(session.root, 'tool'));
  await writeFile(program, PROGRAM);
  await chmod(program, 0o755);
});

afterAll(async () => {
  await session.remove();
});

async function find(named: string | null, searchPath: readonly string[] = []): Promise<FoundMergeTool> {
  return findMergiraf({ program: named, searchPath, readVersion: createVersionReader(process.execPath) });
}

/** A file in conflict whose merge base is the file of the head with that name. */
function toConflict(base: keyof typeof FILES): ConflictedFile {
  const toBlob = (name: keyof typeof FILES): Sha => {
    const text = FILES[name];
    return parseSha(
      createHash('sha1')
        .update(`blob ${String(text.length)}\0${text}`)
        .digest('hex'),
    );
  };
  const sides = { baseBlob: toBlob(base), ourBlob: toBlob('ours'), theirBlob: toBlob('theirs') };
  return { path: `-src/${base}.ts`, ...sides, isText: true };
}

describe('findMergiraf', () => {
  it('finds the program that the operator names, or else on the PATH', async () => {
    const found = { kind: 'found', tool: { name: 'mergiraf', version: '0.12.1' } };

    expect(await find(program)).toMatchObject(found);
    expect(await find(null, [join(session.root, 'tool')])).toMatchObject(found);
  });

  it.each([
    ['off', 'off', { kind: 'off' }],
    ['not installed', null, { kind: 'missing', isWanted: false, why: 'there is no mergiraf on the PATH' }],
    ['named wrongly', '/nowhere/mergiraf', { kind: 'missing', isWanted: true }],
    ['another program', '/bin/true', { kind: 'missing', isWanted: true }],
  ])('tells what is %s', async (_what, named, expected) => {
    expect(await find(named)).toMatchObject(expected);
  });
});

describe('mergeStructures', () => {
  it('takes what mergiraf merges in a sealed site, and leaves conflicts and failures alone', async () => {
    const found = await find(program);
    if (found.kind !== 'found') throw new Error('the program was not found');
    const { tool } = found;
    const sandbox = createBubblewrapSandbox({ ...(await toBubblewrapOptions(session.root)), slots: 1 });
    const dataDir = join(session.root, 'data');
    const slotGid = IS_ROOT ? SLOT_GID : null;
    const programs = { [tool.programs]: () => tool.mounts };
    const sites = createTestSites({ sandbox, trees: session.git, dataDir, slotGid, programs });
    const files = (['base', 'conflict', 'crash', 'escape'] as const).map(toConflict);
    const deps = {
      clock: { now: Date.now },
      files: createFakeSessionFiles(),
      git: session.git,
      log: createTestLog(),
      sites,
    };

    const merged = await mergeStructures(
      deps,
      { ...session, session: { ...aSession(null), fixup: aFixup() } },
      { tool, files },
      session.signal,
    );

    expect(merged).toEqual({
      '-src/base.ts': 'ours\r\ntheirs\r\n--path-name=-src/base.ts\n',
      '-src/escape.ts': 'an empty tree, and no network\n',
    });
  });
});
