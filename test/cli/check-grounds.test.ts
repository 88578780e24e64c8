import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Checkout, createCheckout, parseDocument, parseReport } from './check-fixture.ts';

let checkout: Checkout;

beforeEach(async () => {
  checkout = await createCheckout({ isPlain: false });
});
afterEach(() => checkout.remove());

/** An ESLint that looks at src/a.js and at the files that this one imports, and counts its runs. */
const ESLINT = `
const { existsSync, readFileSync, writeFileSync, appendFileSync } = require('node:fs');
const at = process.argv.indexOf('--output-file');
appendFileSync(process.env.RUNS ?? '/dev/null', 'x');
const files = ['src/a.js', 'src/gen.js', 'node_modules/types/index.d.ts', 'lib/b.js'].filter((path) => existsSync(path));
const bad = (path) => readFileSync(path, 'utf8').split('\\n').flatMap((text, index) =>
  text.includes('BAD') ? [{ ruleId: 'bad', severity: 2, message: text, line: index + 1, column: 1 }] : []);
const report = existsSync('none') ? [] : files.map((path) => ({ filePath: process.cwd() + '/' + path, messages: bad(path) }));
writeFileSync(process.argv[at + 1], JSON.stringify(report));
process.exitCode = report.some(({ messages }) => messages.length > 0) ? 1 : 0;
`;

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  await checkout.write({
    'node_modules/eslint/package.json': '{"version":"9.0.0"}',
    'node_modules/eslint/bin/eslint.js': ESLINT,
    'eslint.config.js': '',
    '.gitignore': 'node_modules/\ngen.js\nnone\n',
    'src/a.js': '',
    ...files,
  });
}

async function messagesOf(argv: readonly string[] = []): Promise<readonly string[]> {
  const { stdout } = await checkout.check(['--json', ...argv]);
  return parseReport(stdout).findings.map(({ message }) => message);
}

describe('a result that was kept', () => {
  it.each([
    ['generated code that git ignores', 'src/gen.js'],
    ['the types of a package', 'node_modules/types/index.d.ts'],
    ['a file of the repository', 'src/a.js'],
  ])('is not used again once %s has changed (E1)', async (_what, path) => {
    await write({ [path]: 'fine\n' });
    await checkout.commitAll();
    expect([await messagesOf(), await messagesOf()]).toEqual([[], []]);

    await checkout.write({ [path]: 'BAD\n' });

    expect(await messagesOf()).toEqual(['BAD']);
  });

  it('is used again while nothing changes', async () => {
    await write({ 'src/gen.js': 'fine\n' });
    await checkout.commitAll();
    await checkout.check([]);

    expect((await checkout.check([])).stdout).toContain('cached');
  });
});

describe('a comparison with the base', () => {
  it.each([
    ['generated code that git ignores', { 'src/gen.js': 'BAD generated\n' }],
    ['the types of a package', { 'node_modules/types/index.d.ts': 'BAD types\n' }],
  ])('calls nothing new or fixed in %s (E5)', async (_what, files) => {
    await write({});
    await checkout.commitAll();
    await checkout.write({ ...files, 'src/a.js': '// a comment\n' });

    const { exitCode, stdout } = await checkout.check(['--json', '--base', 'main']);

    expect(parseReport(stdout).comparison?.engines).toMatchObject([{ comparable: true, new: [], fixed: [] }]);
    expect(exitCode).toBe(0);
  });

  it('says that ignored files were those of the checkout on both sides (E5)', async () => {
    await write({ 'src/gen.js': 'fine\n' });
    await checkout.commitAll();

    expect((await checkout.check(['--base', 'main'])).stdout).toContain(
      'git ignores src/gen.js: both sides were looked at with that of the checkout',
    );
  });

  it('needs a commit that both have: a clone without history says what to do (E6)', async () => {
    await write({});
    await checkout.commitAll();
    await checkout.git('checkout', '-q', '--orphan', 'other');
    await checkout.write({ 'src/a.js': '// other\n' });
    await checkout.commitAll();
    const unrelated = await checkout.check(['--base', 'main']);
    const head = await checkout.git('rev-parse', 'HEAD');
    await writeFile(join(checkout.root, '.git/shallow'), `${head}\n`);
    const shallow = await checkout.check(['--base', 'main']);

    expect([unrelated.exitCode, shallow.exitCode]).toEqual([2, 3]);
    expect(unrelated.stderr).toContain('no commit in common');
    expect(shallow.stderr).toContain('fetch-depth: 0');
    expect((await checkout.check(['--base', 'gone'])).stderr).toContain(
      'there is no commit "gone" here; this clone is shallow',
    );
  });
});

describe('a submodule', () => {
  const SUBMODULE = /nothing in submodules that are not checked out was looked at: "sub"/u;

  /** Its commit, and a second one. */
  async function addSubmodule(): Promise<readonly [string, string]> {
    const library = join(checkout.caches, 'library');
    const at = async (...args: readonly string[]): Promise<string> => checkout.git('-C', library, ...args);
    await mkdir(library);
    await at('init', '-q', '-b', 'main');
    const commits = [];
    for (const text of ['one', 'BAD']) {
      await writeFile(join(library, 'a.js'), text);
      await at('add', '-A');
      await at('commit', '-qm', text);
      commits.push(await at('rev-parse', 'HEAD'));
    }
    const [first = '', second = ''] = commits;
    await checkout.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library, 'sub');
    await checkout.git('-C', join(checkout.root, 'sub'), 'checkout', '-q', first);
    await checkout.commitAll();
    return [first, second];
  }

  it('that is not checked out is named, and does not fail what was looked at (E5)', async () => {
    await write({});
    await addSubmodule();
    const whole = await checkout.check([]);
    await checkout.git('submodule', '--quiet', 'deinit', '-f', 'sub');
    const { exitCode, stdout } = await checkout.check([]);
    const json = await checkout.check(['--json']);

    expect(whole.stdout).not.toMatch(/submodule/u);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(SUBMODULE);
    expect(parseDocument(json.stdout)).toMatchObject({ submodules: [{ path: 'sub', checkedOut: false }] });
  });

  it('that the change moves is not clean where it is not checked out (E5)', async () => {
    await write({});
    const [, second] = await addSubmodule();
    await checkout.git('submodule', '--quiet', 'deinit', '-f', 'sub');
    const before = await checkout.check(['--base', 'main']);
    await checkout.git('update-index', '--cacheinfo', `160000,${second},sub`);

    const { exitCode, stdout } = await checkout.check(['--base', 'main']);

    expect(before.exitCode).toBe(0);
    expect(exitCode).toBe(3);
    expect(stdout).toContain('the change moves the submodule "sub", which is not checked out');
    expect(stdout).not.toContain('✓');
  });

  it.each(['sub', 'sub/a.js'])(
    'is not clean where %s was asked for: its files are given to no engine (E5)',
    async (path) => {
      await write({});
      await addSubmodule();

      const { exitCode, stdout } = await checkout.check([path]);

      expect(exitCode).toBe(3);
      expect(stdout).toContain('sub is a submodule, a repository of its own: run ratchet check in it');
    },
  );
});

it('a file whose name is no UTF-8 is never clean, though the tool that got it passes over what it does not find (E2)', async () => {
  const command = ['/bin/sh', '-c', 'grep -l BAD -- "$@" 2>/dev/null; exit 0', 'own', '{targets}'];
  const own = { command, format: 'jsonl', globs: ['**/*.txt'], emptyMeansClean: true };
  await checkout.write({ '.github/ratchet.yml': `version: 1\nengines:\n  own: ${JSON.stringify(own)}\n`, 'b.txt': '' });
  await writeFile(Buffer.concat([Buffer.from(`${checkout.root}/a`), Buffer.from([0xff]), Buffer.from('.txt')]), 'BAD');

  const { exitCode, stdout } = await checkout.check([]);

  expect(exitCode).toBe(3);
  expect(stdout).toContain('incomplete: it was given a file whose name is no UTF-8');
});

it('a linter that looked at no file is not clean (E2)', async () => {
  await write({ none: '' });
  const { exitCode, stdout } = await checkout.check([]);

  expect(exitCode).toBe(3);
  expect(stdout).toContain('incomplete: it looked at no file');
});

describe('clippy', () => {
  const CARGO = `#!/bin/sh
case "$1" in
  clippy) [ "$2" = --version ] && { echo 'clippy 0.1.80'; exit 0; } ;;
esac
echo '# made by cargo' >> Cargo.lock
echo '{"reason":"build-finished","success":true}'
`;

  it.each([
    ['makes no lock file', null],
    ['leaves one that git ignores as it is', '# mine\n'],
    ['leaves an empty one as it is', ''],
  ])('%s (E16)', async (_what, lock) => {
    const bin = join(checkout.caches, 'bin');
    await mkdir(bin, { recursive: true });
    await writeFile(join(bin, 'cargo'), CARGO, { mode: 0o755 });
    await checkout.write({ '.gitignore': 'Cargo.lock\n', 'Cargo.toml': '[package]\nname = "a"\n', 'src/lib.rs': '' });
    if (lock !== null) await checkout.write({ 'Cargo.lock': lock });
    const variables = { PATH: `${bin}:${String(process.env['PATH'])}` };

    const { exitCode, stdout, stderr, told } = await checkout.check(['--engine', 'clippy'], { variables });

    expect({ exitCode, stderr, told, stdout }).toMatchObject({ exitCode: 0 });
    expect(await readFile(join(checkout.root, 'Cargo.lock'), 'utf8').catch(() => null)).toBe(lock);
  });
});
