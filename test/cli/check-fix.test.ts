import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Checkout, createCheckout, parseDocument, parseReport } from './check-fixture.ts';

let checkout: Checkout;

beforeEach(async () => {
  checkout = await createCheckout({ isPlain: false });
});
afterEach(() => checkout.remove());

/** Tells of each line which holds BAD or HARD. */
const GREP = `grep -nHE 'BAD|HARD' "$@" | while IFS=: read -r path line text; do
  echo "{\\"path\\":\\"$path\\",\\"line\\":$line,\\"rule\\":\\"bad\\",\\"severity\\":\\"high\\",\\"message\\":\\"$text\\"}"
done`;
/** Mends what is BAD, and says with exit code 1 that it changed something, as many fixers do. */
const MEND = `sed -i 's/BAD/good/' "$@"; exit 1`;

function toShell(script: string): readonly string[] {
  return ['/bin/sh', '-c', script, 'engine', '{targets}'];
}

function toPolicy(change: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, string>> {
  const engine = {
    command: toShell(GREP),
    fix: toShell(MEND),
    format: 'jsonl',
    globs: ['**/*.txt'],
    emptyMeansClean: true,
    ...change,
  };
  return { '.github/ratchet.yml': `version: 1\nengines:\n  own: ${JSON.stringify(engine)}\n` };
}

async function read(path: string): Promise<string> {
  return readFile(join(checkout.root, path), 'utf8');
}

const Fix = z.object({
  fix: z.object({
    changed: z.array(z.string()),
    fixers: z.array(
      z.object({ engine: z.string(), files: z.number(), before: z.number().nullable(), after: z.number().nullable() }),
    ),
  }),
});

async function fix(argv: readonly string[] = []): Promise<z.infer<typeof Fix>['fix'] & { readonly exitCode: number }> {
  const { exitCode, stdout } = await checkout.check(['--fix', '--json', ...argv]);
  return { exitCode, ...Fix.parse(parseDocument(stdout)).fix };
}

describe('ratchet check --fix', () => {
  it('003.R16: runs the fixer in place, and says which files it changed and what is left', async () => {
    await checkout.write({ 'a.txt': 'BAD\nHARD\n', 'b.txt': 'BAD\n', 'c.txt': 'fine\n', ...toPolicy() });
    await checkout.commitAll();
    await checkout.write({ 'a.txt': 'mine\nBAD\nHARD\n' });

    const text = await checkout.check(['--fix']);

    expect(text.stdout).toContain(
      'Fixed\n  own: 3 findings before, 1 after (3 files)\n  changed a.txt\n  changed b.txt\n\na.txt\n  3 ',
    );
    expect(text.exitCode).toBe(1);
    expect([await read('a.txt'), await read('b.txt')]).toEqual(['mine\ngood\nHARD\n', 'good\n']);
    expect((await checkout.check(['--fix'])).stdout).toContain(
      '1 finding before, 1 after (3 files)\n  no file was changed\n',
    );
  });

  it('ends with 0 where nothing is left', async () => {
    await checkout.write({ 'a.txt': 'BAD\n', ...toPolicy() });

    expect(await fix()).toEqual({
      exitCode: 0,
      changed: ['a.txt'],
      fixers: [{ engine: 'own', files: 1, before: 1, after: 0 }],
    });
  });

  it('leaves files outside of the paths alone, and links wherever they lead', async () => {
    const outside = join(checkout.caches, 'outside.txt');
    await writeFile(outside, 'BAD\n');
    await checkout.write({ 'a/x.txt': 'BAD\n', 'b/x.txt': 'BAD\n', 'a/-e.txt': 'BAD\n', ...toPolicy() });
    await symlink(outside, join(checkout.root, 'a/link.txt'));
    await symlink('../b/x.txt', join(checkout.root, 'a/inner.txt'));
    await symlink('../b', join(checkout.root, 'a/folder'));

    expect((await fix(['a'])).changed).toEqual(['a/-e.txt', 'a/x.txt']);
    expect([await readFile(outside, 'utf8'), await read('b/x.txt')]).toEqual(['BAD\n', 'BAD\n']);
  });

  it('with a base, mends only files that the change touches', async () => {
    await checkout.write({ 'a.txt': 'BAD\n', 'b.txt': 'BAD\n', ...toPolicy() });
    await checkout.commitAll();
    await checkout.git('checkout', '-qb', 'topic');
    await checkout.write({ 'b.txt': 'BAD\nBAD\n', 'new.txt': 'BAD\n' });

    expect(await fix(['--base', 'main'])).toMatchObject({ exitCode: 0, changed: ['b.txt', 'new.txt'] });
    expect(await read('a.txt')).toBe('BAD\n');
  });

  it('with --plan, says what would be mended and changes nothing', async () => {
    await checkout.write({ 'a.txt': 'BAD\n', 'b.md': '', ...toPolicy() });

    const text = await checkout.check(['--fix', '--plan']);
    const json = await checkout.check(['--fix', '--plan', '--json']);

    expect(text.stdout).toContain('\n\nFixers\n  own current: 1 file\n');
    expect(parseDocument(json.stdout)).toMatchObject({ fixes: [{ engine: 'own', project: '.', files: ['a.txt'] }] });
    expect(await read('a.txt')).toBe('BAD\n');
  });

  it('takes a fixer that fails for a failed engine, and says so where nothing else is wrong', async () => {
    await checkout.write({
      'a.txt': 'fine\n',
      ...toPolicy({ fix: toShell('echo no >&2; exit 2'), exitCodes: { success: [0, 2] } }),
    });

    const { exitCode, stdout } = await checkout.check(['--fix', '--json']);
    const report = parseReport(stdout);

    expect(exitCode).toBe(3);
    expect(report.engineErrors).toMatchObject([{ engine: 'own', kind: 'EXIT_WITHOUT_FINDINGS', stderr: 'no\n' }]);
  });

  it('does not run the fixer of an engine that failed, and says where there is no fixer', async () => {
    await checkout.write({ 'a.txt': 'BAD\n', ...toPolicy({ command: toShell('exit 7') }) });
    const failed = await fix();
    await checkout.write(toPolicy({ fix: undefined }));
    const none = await checkout.check(['--fix']);

    expect(failed).toEqual({ exitCode: 3, changed: [], fixers: [] });
    expect(none.stdout).toContain('Fixed\n  no engine here has a fixer for these files\n');
    expect(await read('a.txt')).toBe('BAD\n');
  });
});

describe('exit codes that the policy ignores', () => {
  it.each([
    [[5], undefined, 0],
    [[4], undefined, 3],
    [[5], { toolFailure: [5] }, 3],
  ])('003.R9: ignoreExit %j with exitCodes %j', async (ignoreExit, exitCodes, expected) => {
    await checkout.write({
      'a.txt': '',
      ...toPolicy({ command: toShell('exit 5'), format: 'jsonl', ignoreExit, exitCodes }),
    });

    expect((await checkout.check([])).exitCode).toBe(expected);
  });
});
