import { execFile } from 'node:child_process';
import { chown, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createTempFolder } from '../../support/git-repository.ts';

/** Root may enter every folder, so this runs as another user. */
const USER = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
const PROGRAM = join(import.meta.dirname, 'children/run-as-user.ts');
const run = promisify(execFile);

const State = z.record(z.string(), z.string());
const Printed = z.object({
  uid: z.int().positive(),
  exitCode: z.literal(0),
  before: State,
  recorded: State,
  after: State,
});

let base: string;
let remove: () => Promise<void>;

beforeEach(async () => {
  const temporary = await createTempFolder();
  base = await realpath(temporary.path);
  remove = temporary.remove;
  if (USER.uid !== undefined) await chown(base, USER.uid, USER.gid);
});
afterEach(async () => {
  await remove();
});

async function undo(what: string, setUp: string, deed: string): Promise<z.infer<typeof Printed>> {
  const folders = 'mkdir -p work/src work/shut scratch records && chmod 700 records && cd work';
  const files = 'echo one > src/a && echo two > shut/b && printf x > kept';
  await run('/bin/sh', ['-c', `${folders} && ${files} && ${setUp}`], { ...USER, cwd: base });
  const { stdout } = await run(process.execPath, [PROGRAM, base, what, deed], { ...USER, cwd: base, timeout: 60_000 });
  return Printed.parse(JSON.parse(stdout));
}

const DEEP = `i=0; while [ $i -lt 30 ]; do mkdir ${'n'.repeat(200)} && cd ${'n'.repeat(200)} || break; i=$((i+1)); done`;

describe('a normal user', () => {
  it.each([
    ['leaves a new folder that nobody may write to', 'true', 'mkdir -p n/m && echo x > n/m/f && chmod 555 n/m n'],
    [
      'removes a file from a folder that is closed again',
      'chmod 555 shut',
      'chmod 755 shut && rm shut/b && chmod 555 shut',
    ],
    ['works beside a folder that nobody may enter', 'chmod 444 shut', 'echo x > new && rm src/a'],
    ['works beside a folder that nobody may read', 'chmod 000 shut', 'echo x > new && rm src/a'],
    ['leaves a folder that nobody may enter', 'true', 'rm src/a && echo x > src/new && chmod 444 src'],
    ['closes the folder of the plan itself', 'true', 'rm src/a && chmod 000 src . '],
    [
      'makes a closed repository within a new folder',
      'true',
      'mkdir -p sub/.git/x && echo x > sub/.git/x/y && chmod 555 sub/.git/x sub/.git sub',
    ],
    [
      'makes a file of a closed folder',
      'mkdir shut/in && echo x > shut/in/f && chmod 555 shut/in shut',
      'chmod -R u+w shut && rm -r shut && echo x > shut',
    ],
    ['nests folders as deep as a shell can', 'true', DEEP],
    [
      'leaves what a killed write left over',
      'true',
      'echo x > .ratchet-00ff.tmp && echo x > src/.ratchet-00ff.tmp && mkdir .ratchet-0.tmp',
    ],
  ])('undoes a command that %s (004.R15)', async (_what, setUp, deed) => {
    const { before, recorded, after } = await undo('all', setUp, deed);
    expect(before).toMatchObject({ kept: 'file 644 eA==' });
    expect(recorded).toEqual(before);
    expect(after).toEqual(before);
  });

  it.each([
    ['was removed from', 'chmod 555 shut', 'chmod 755 shut && rm shut/b && chmod 555 shut', 'folder 555'],
    ['was changed in', 'true', 'echo x > shut/b && chmod 444 shut', 'folder 444'],
    ['was changed beside a leftover in', 'true', 'echo x > shut/b && echo x > shut/.ratchet-00ff.tmp', 'folder 755'],
  ])('brings back a file that %s a closed folder, and keeps its mode (004.R15)', async (_what, setUp, deed, mode) => {
    const { before, after } = await undo('shut/b', setUp, deed);
    expect(after).toEqual({ ...before, shut: mode });
  });

  it('removes a file, and the folder that was made for it, although both are closed (004.R15)', async () => {
    const { before, after } = await undo('fresh/file', 'true', 'mkdir fresh && echo x > fresh/file && chmod 444 fresh');
    expect(after).toEqual(before);
  });
});
