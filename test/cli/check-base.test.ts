import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Checkout, type CheckReport, createCheckout, parseReport } from './check-fixture.ts';

let checkout: Checkout;

beforeEach(async () => {
  checkout = await createCheckout({ isPlain: false });
});
afterEach(() => checkout.remove());

/** Tells of each line which holds BAD; fails where a line holds BREAK. */
const GREP = `if grep -rqs --include=*.txt BREAK "$@"; then exit 3; fi
grep -rnH --include=*.txt BAD "$@" | while IFS=: read -r path line text; do
  echo "{\\"path\\":\\"$path\\",\\"line\\":$line,\\"rule\\":\\"bad\\",\\"severity\\":\\"high\\",\\"message\\":\\"$text\\"}"
done`;

/** An engine that finds `word`. */
function toPolicy(word: string): Readonly<Record<string, string>> {
  const command = ['/bin/sh', '-c', GREP.replaceAll('BAD', word), 'engine', '{targets}'];
  const engine = { command, format: 'jsonl', emptyMeansClean: true, globs: ['**/*.txt'] };
  return { '.github/ratchet.yml': `version: 1\nengines:\n  finds: ${JSON.stringify(engine)}\n` };
}

async function commitBase(files: Readonly<Record<string, string>>): Promise<void> {
  await checkout.write({ ...toPolicy('BAD'), ...files });
  await checkout.commitAll();
  await checkout.git('checkout', '-qb', 'topic');
}

async function compare(): Promise<CheckReport & { readonly exitCode: number }> {
  const { exitCode, stdout, stderr } = await checkout.check(['--json', '--base', 'main']);
  expect(stderr).toBe('');
  return { ...parseReport(stdout), exitCode };
}

describe('ratchet check with a base', () => {
  it('tells what is new, fixed and as before apart, follows renames and moved lines, and only what is new fails', async () => {
    const long = Array.from({ length: 20 }, (_, index) => `line ${String(index)}\n`).join('');
    await commitBase({ 'a.txt': 'BAD old\nBAD gone\n', 'b.txt': `${long}BAD moves along\n` });
    await checkout.git('mv', 'b.txt', 'c.txt');
    await checkout.write({ 'a.txt': 'fine\n\nBAD old\n' });

    const better = await compare();
    await checkout.write({ 'new.txt': 'BAD new\n' });
    const worse = await compare();

    expect(better.exitCode).toBe(0);
    expect(better.comparison?.engines).toMatchObject([{ comparable: true, new: [] }]);
    expect(better.comparison?.engines[0]?.fixed).toHaveLength(1);
    expect(better.findings.map(({ message }) => message)).toEqual(['BAD old', 'BAD moves along']);
    expect(worse.exitCode).toBe(1);
    expect(worse.comparison?.engines[0]?.new).toHaveLength(1);
    expect(await checkout.git('status', '--porcelain')).toBe(' M a.txt\nR  b.txt -> c.txt\n?? new.txt');
  });

  it('shows new findings first, and says how many are new and fixed (E21)', async () => {
    await commitBase({ 'a.txt': 'BAD old\n', 'z.txt': 'BAD gone\n' });
    await checkout.write({ 'z.txt': 'BAD new\n' });

    const { stdout } = await checkout.check(['--base', 'main']);

    expect(stdout).toMatch(/^z\.txt\n.*new BAD new.*\n\nOn the base too\n {2}a\.txt: 1 finding\n/u);
    expect(stdout).not.toContain('BAD old');
    expect(stdout).toContain('✗ 2 findings in 2 files · 1 new · 1 fixed · 1 engine ran\n');
  });

  it('tells of a check that was switched off as of something new, also in a file that git does not know yet', async () => {
    await commitBase({ 'a.py': 'x = 1\n' });
    await checkout.write({ 'a.py': 'x = 1  # noqa\n', 'b.py': 'y = 1  # type: ignore\n' });

    const { exitCode, findings } = await compare();

    expect(exitCode).toBe(1);
    expect(findings.map(({ kind, path }) => [kind, path])).toEqual([
      ['suppression', 'a.py'],
      ['suppression', 'b.py'],
    ]);
  });

  it.each([
    ['here', 'BAD new\n', 'BREAK\n', 3],
    ['at the base', 'BREAK\n', 'BAD new\n', 1],
  ])('calls nothing new or fixed where the engine failed %s', async (_, before, now, expected) => {
    await commitBase({ 'a.txt': before });
    await checkout.write({ 'a.txt': now });

    const { exitCode, comparison } = await compare();

    expect(exitCode).toBe(expected);
    expect(comparison?.engines).toMatchObject([{ engine: 'finds', comparable: false }]);
    expect(comparison?.engines[0]?.new).toBeUndefined();
  });

  it('does not let the base speak for configuration that it had from the checkout, and says which that was', async () => {
    const pattern = [{ regexp: String.raw`^(.+):(\d+):(.*)$`, file: 1, line: 2, message: 3 }];
    const rules = `${JSON.stringify({ problemMatcher: [{ owner: 'own', pattern }] })}\n`;
    const command = ['/bin/sh', '-c', 'grep -nH BAD rules.json a.txt; true'];
    const engine = { command, format: 'matcher', matcher: 'rules.json', globs: ['**/*.txt'] };
    const policy = `version: 1\nengines:\n  own: ${JSON.stringify(engine)}\n`;
    await commitBase({ '.github/ratchet.yml': policy, 'rules.json': rules, 'a.txt': 'BAD old\n' });
    await checkout.write({ 'rules.json': rules.replace('{', '{"note":"BAD",') });

    const { exitCode, comparison } = await compare();
    const { stdout } = await checkout.check(['--base', 'main']);

    expect(exitCode).toBe(1);
    expect(comparison).toMatchObject({
      isChangeWhole: true,
      changedConfigs: [{ engine: 'own', paths: ['rules.json'] }],
    });
    expect(comparison?.engines).toMatchObject([{ comparable: true, fixed: [] }]);
    expect(comparison?.engines[0]?.new).toHaveLength(1);
    expect(stdout).toMatch(/^rules\.json\n.*new /u);
    expect(stdout).toContain('  own: rules.json\n');
  });

  it('calls nothing fixed in a file that a rename took out of what the engine looks at', async () => {
    const long = Array.from({ length: 20 }, (_, index) => `line ${String(index)}\n`).join('');
    await commitBase({ 'a.txt': 'BAD gone\n', 'b.txt': `${long}BAD hidden\n` });
    await checkout.git('mv', 'b.txt', 'b.md');
    await checkout.write({ 'a.txt': 'fine\n' });

    const { exitCode, comparison } = await compare();

    expect(exitCode).toBe(0);
    expect(comparison?.engines[0]?.fixed).toHaveLength(1);
  });

  it('checks the base by the settings of the checkout, also in folders that are mostly dependencies', async () => {
    await commitBase({ 'target/a.txt': 'OLD\n' });
    await checkout.write(toPolicy('OLD'));

    const { exitCode, findings, comparison } = await compare();

    expect(findings).toHaveLength(1);
    expect(exitCode).toBe(0);
    expect(comparison?.engines).toMatchObject([{ comparable: true, new: [], fixed: [] }]);
  });
});
