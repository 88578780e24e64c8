import { readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runConfig } from '../../src/cli/config.ts';
import { expectGone } from '../support/expect-gone.ts';
import { type Checkout, createCheckout, parsePlans, parseReport } from './check-fixture.ts';

let checkout: Checkout;

beforeEach(async () => {
  checkout = await createCheckout({ isPlain: false });
});
afterEach(() => checkout.remove());

/** An engine of the repository's own: a line of shell that writes JSONL. */
function toEngine(id: string, script: string, more: Readonly<Record<string, unknown>> = {}): string {
  const engine = {
    command: ['/bin/sh', '-c', script, 'engine', '{targets}'],
    format: 'jsonl',
    emptyMeansClean: true,
    globs: ['**/*.txt'],
    ...more,
  };
  return `  ${id}: ${JSON.stringify(engine)}\n`;
}

/** Tells of each line of the files that it is given which holds BAD. */
const GREP = `grep -rnH --exclude-dir=.git --include=*.txt BAD "$@" | while IFS=: read -r path line text; do
  echo "{\\"path\\":\\"$path\\",\\"line\\":$line,\\"rule\\":\\"bad\\",\\"severity\\":\\"high\\",\\"message\\":\\"$text\\"}"
done`;
const POLICY = '.github/ratchet.yml';

function toPolicy(...engines: readonly string[]): Readonly<Record<string, string>> {
  return { [POLICY]: `version: 1\nengines:\n${engines.join('')}` };
}

const CLEAN = toEngine('clean', 'true');
const FINDS = toEngine('finds', GREP);
const BROKEN = toEngine('broken', 'echo "it is broken" >&2; exit 3');
const MISSING = toEngine('missing', '', { command: ['no-such-tool-here', '{targets}'] });
const LOOKS = toEngine('looks', 'true', { globs: ['**/*.c'] });
const SLOW = toEngine('slow', 'sleep 60', { timeoutSeconds: 1 });

function withoutTimes(json: string): string {
  return json.replaceAll(/"durationMs":\d+/gu, '"durationMs":0');
}

describe('ratchet check', () => {
  it('000.R28, 000.R36: engines that are broken, missing and too slow leave those of the others as they are', async () => {
    await checkout.write({ 'a.txt': 'fine\nBAD one\n', ...toPolicy(BROKEN, CLEAN, FINDS, MISSING, SLOW) });
    await checkout.commitAll();

    const [text, { exitCode, stdout }] = await Promise.all([checkout.check([]), checkout.check(['--json'])]);

    const report = parseReport(stdout);
    expect(exitCode).toBe(1);
    expect(report.runs.map(({ engine, findings, complete }) => [engine, findings, complete])).toEqual([
      ['broken', 0, false],
      ['clean', 0, true],
      ['finds', 1, true],
      ['missing', 0, false],
      ['slow', 0, false],
    ]);
    expect(report.engineErrors.map(({ engine, kind }) => [engine, kind])).toEqual([
      ['broken', 'NO_OUTPUT'],
      ['missing', 'TOOL_NOT_FOUND'],
      ['slow', 'TIMEOUT'],
    ]);
    expect(report.summary).toEqual({ diagnostics: 1, hasDiagnostics: true, hasFailures: true });
    const [findings = '', failures = ''] = text.stdout.split('Engines that failed');
    expect(findings).toContain('a.txt\n  2        ');
    expect(findings).not.toMatch(/broken|missing|slow/u);
    expect(failures).toMatch(
      /broken \(target\): NO_OUTPUT, exit code 3[^]*missing \(target\): TOOL_NOT_FOUND[^]*slow \(target\): TIMEOUT/u,
    );
    expect(text.stdout.trimEnd().split('\n').at(-1)).toBe('✗ 1 finding in 1 file · 5 engines ran · 3 engines failed');
  });

  it('prints the same JSON twice, apart from times, and leaves nothing in the checkout or of its run', async () => {
    await checkout.write({ 'a.txt': 'BAD one\nBAD two\n', 'b.txt': 'BAD\n', ...toPolicy(FINDS, CLEAN, BROKEN) });
    await checkout.commitAll();

    const first = await checkout.check(['--json']);
    const second = await checkout.check(['--json']);

    expect(withoutTimes(second.stdout)).toBe(withoutTimes(first.stdout));
    expect(parseReport(first.stdout).findings).toHaveLength(3);
    expect(await checkout.git('status', '--porcelain', '--ignored')).toBe('');
    const left = await readdir(checkout.caches, { recursive: true, withFileTypes: true });
    expect(left.filter((entry) => entry.isFile())).toEqual([]);
  });

  it.each([
    ['nothing was found', [CLEAN], 0],
    ['003.R15: something was found', [FINDS], 1],
    ['003.R15: something was found and another engine failed', [FINDS, BROKEN], 1],
    ['an engine failed and nothing was found', [CLEAN, BROKEN], 3],
    ['an engine is named that there is not', [CLEAN, '  no-such-engine: true\n'], 2],
    ['C5: the only mistake is a scope that switches an engine off', [CLEAN, toEngine('off', GREP, { paths: [] })], 2],
  ])('where %s, ends with the code of that', async (_, engines, expected) => {
    await checkout.write({ 'a.txt': 'BAD\n', ...toPolicy(...engines) });

    expect((await checkout.check([])).exitCode).toBe(expected);
  });

  it('C5, 000.R25, 000.R26, 000.R27: an empty list switches its engine off also where paths are given, and that is told (E14)', async () => {
    await checkout.write({ 'a.txt': 'BAD\n', ...toPolicy(FINDS, toEngine('off', GREP, { paths: [] })) });

    const report = parseReport((await checkout.check(['--json', 'a.txt'])).stdout);

    expect(report.configErrors.map(({ engine, code }) => [engine, code])).toEqual([['off', 'EMPTY_SCOPE']]);
    expect(report.runs.map(({ engine }) => engine)).toEqual(['finds']);
    expect(report.dedup).toContainEqual({ engine: 'off', ran: 'none' });
    expect((await checkout.check(['--plan'])).stdout).toContain('off: EMPTY_SCOPE');
  });

  it.each([
    ['OVERLAPPING_EXIT_CODES', { exitCodes: { success: [0, 3], diagnostic: [3] } }],
    ['OVERLAPPING_EXIT_CODES', { exitCodes: { diagnostic: [1], toolFailure: [2, 1] } }],
    ['EMPTY_SCOPE', { paths: [] }],
  ])('C9: an engine with the error %s is listed in every place, and has one answer: %j (E14)', async (code, change) => {
    await checkout.write({ 'a.txt': '', ...toPolicy(toEngine('wrong', GREP, change)) });
    const { exitCode, stdout } = await checkout.check(['--json']);
    const report = parseReport(stdout);
    const validated = await runConfig(['validate', join(checkout.root, POLICY)], {
      folder: process.cwd(),
      operatorPath: '',
    });

    expect(exitCode).toBe(2);
    expect(report.configErrors).toEqual([{ engine: 'wrong', code }]);
    expect(report.plans.map(({ engine }) => engine)).toEqual(['wrong', 'wrong']);
    expect(report.dedup).toMatchObject([{ engine: 'wrong', ran: 'none' }]);
    expect(validated).toMatchObject({ exitCode: 1 });
  });

  it('000.R42: mistakes of the configuration are the same in the plan, the report and with a base', async () => {
    await checkout.write({ 'a.txt': '', ...toPolicy(CLEAN, toEngine('off', GREP, { paths: [] }), '  nobody: true\n') });
    await checkout.commitAll();

    const outputs = [['--json'], ['--json', '--plan'], ['--json', '--base', 'main']].map(async (argv) => {
      return parsePlans((await checkout.check(argv)).stdout).configErrors;
    });

    const [report, ...others] = await Promise.all(outputs);
    expect(report).toHaveLength(2);
    for (const other of others) expect(other).toEqual(report);
  });

  it('000.R2, 000.R3: paths come from the command, else the environment, else the policy; TARGET never takes those of the command', async () => {
    await checkout.write({
      'a/x.txt': '',
      'b/x.txt': '',
      'c/x.txt': '',
      ...toPolicy(toEngine('clean', 'true', { paths: ['c'] })),
    });
    const targetsOf = async (argv: readonly string[], paths?: string): Promise<readonly string[]> => {
      const { stdout } = await checkout.check(['--plan', '--json', ...argv], {
        folder: 'a',
        variables: { RATCHET_PATHS: paths },
      });
      return parsePlans(stdout).plans.map(({ mode, targets }) => `${mode} ${targets.join(' ')}`);
    };

    expect(await targetsOf([])).toEqual(['current c/x.txt', 'target c/x.txt']);
    expect(await targetsOf([], 'b')).toEqual(['current b/x.txt', 'target b/x.txt']);
    expect(await targetsOf(['x.txt'], 'b')).toEqual(['current a/x.txt', 'target b/x.txt']);
    expect(await targetsOf(['./', 'x.txt', '../b'])).toEqual(['current a/x.txt b/x.txt', 'target c/x.txt']);
  });

  it.each([
    [
      'C6, 000.R41: its limit is that of --timeout, over that of the policy',
      ['--timeout', '1'],
      3,
      /slow \(target\): TIMEOUT/u,
    ],
    ['the check is stopped', [], 3, /^$/u],
  ])('ends an engine and all that it started where %s', async (what, argv, expected, output) => {
    const fifo = join(checkout.caches, 'fifo');
    await execa('mkfifo', [fifo]);
    const script = `sleep 60 & echo $! >'${fifo}'; wait`;
    await checkout.write({ 'a.txt': '', ...toPolicy(toEngine('slow', script, { timeoutSeconds: 50 })) });
    const stop = new AbortController();

    const running = checkout.check(argv, { stop: stop.signal });
    const pid = (await readFile(fifo, 'utf8')).trim();
    if (what === 'the check is stopped') stop.abort();
    const { exitCode, stdout, stderr } = await running;

    expect(exitCode).toBe(expected);
    expect(stdout).toMatch(output);
    expect(stderr).toBe(stop.signal.aborted ? 'ratchet: check: stopped\n' : '');
    await expectGone(Number(pid));
  });

  it.each<readonly [string, readonly string[], string]>([
    ['an option that there is not', ['--nope'], "Unknown option '--nope'"],
    ['an engine that nobody knows', ['--engine', 'nope'], 'there is no engine "nope"; there are '],
    [
      'a configuration of an engine that nobody knows',
      ['--config', 'nope=a.txt'],
      '--config: there is no engine "nope"',
    ],
    ['a path that there is not', ['b.txt'], 'PATH: there is no b.txt'],
    ['a path outside of the checkout', ['..'], 'PATH: .. lies outside of '],
    ['a revision that there is not', ['--base', 'nope'], '--base: there is no commit "nope" here'],
    [
      'a base for a mode that is not compared',
      ['--base', 'main', '--mode', 'current'],
      '--base compares what TARGET finds',
    ],
  ])('refuses %s before anything runs', async (_, argv, problem) => {
    await checkout.write({ 'a.txt': '', ...toPolicy(toEngine('touches', `touch '${checkout.caches}/ran'`)) });

    const { exitCode, stdout, stderr } = await checkout.check(argv);
    const json = await checkout.check([...argv, '--json']);

    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(`ratchet: check: ${problem}`);
    expect(json.stderr).toBe(stderr);
    expect(JSON.parse(json.stdout)).toEqual({
      schemaVersion: 1,
      error: { exitCode: 2, problems: [expect.stringContaining(problem)] },
    });
    expect(await readdir(checkout.caches)).not.toContain('ran');
  });

  it('says where in the policy file a mistake is', async () => {
    await checkout.write({ [POLICY]: 'version: 1\nengines:\n  eslint: { pathz: [] }\n' });

    const { exitCode, stderr } = await checkout.check([]);

    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^ratchet: check: \.github\/ratchet\.yml:3:\d+: unknown key "engines\.eslint\.pathz"/u);
  });

  it('takes a policy file that cannot be read for a mistake, and not for none', async () => {
    await checkout.write({ [`${POLICY}/a.yml`]: '' });

    const { exitCode, stderr } = await checkout.check([]);

    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^ratchet: check: \.github\/ratchet\.yml: no regular file of at most \d+ bytes\n$/u);
  });

  it('finds paths that were typed by way of a link to the checkout', async () => {
    await checkout.write({ 'a/x.txt': '', 'config.txt': '', ...toPolicy(FINDS) });
    const link = join(checkout.caches, 'link');
    await symlink(checkout.root, link);
    const planOf = async (path: string): Promise<readonly string[] | undefined> => {
      const argv = ['--plan', '--json', '--mode', 'current', '--config', `finds=${link}/config.txt`, path];
      return parsePlans((await checkout.check(argv)).stdout).plans[0]?.targets;
    };

    expect(await planOf(`${link}/a/x.txt`)).toEqual(['a/x.txt']);
    expect(await planOf(`${link}/a`)).toEqual(['a/x.txt']);
    expect(await planOf(link)).toEqual(['a/x.txt', 'config.txt']);
    expect((await checkout.check([`${link}/nope.txt`])).stderr).toContain(`there is no ${link}/nope.txt`);
    expect((await checkout.check([checkout.caches])).stderr).toContain('lies outside of');
  });

  it('needs no commit, and is not clean where there is no engine (E8)', async () => {
    const { exitCode, stdout } = await checkout.check([]);

    expect(exitCode).toBe(3);
    expect(stdout).toMatch(
      /no engine was found: there is no sign of .*eslint.*tsc[^]*✗ 0 findings · 0 engines ran\n$/u,
    );
  });

  it.each([
    ['a file that no engine checks', ['README.md'], '✓ no engine checks these files · 0 findings elsewhere'],
    ['a folder that no engine checks', ['docs'], '✓ no engine checks these files · 0 findings elsewhere'],
    ['several of them', ['docs', 'README.md'], '✓ no engine checks these files · 0 findings elsewhere'],
    ['one of them and one that an engine checks', ['docs', 'a.txt'], '✓ 0 findings'],
  ])('says so of %s, and ends with 0', async (_what, paths, total) => {
    await checkout.write({ 'a.txt': '', 'README.md': '', 'docs/a.md': '', ...toPolicy(CLEAN) });
    const { exitCode, stdout } = await checkout.check(paths);

    expect(exitCode).toBe(0);
    expect(stdout).toContain(
      `no engine checks these files: ${paths
        .filter((path) => path !== 'a.txt')
        .toSorted()
        .join(', ')}`,
    );
    expect(stdout.trimEnd().split('\n').at(-1)).toContain(total);
  });

  it.each([
    ['an engine that was asked for has no file', [CLEAN], ['--engine', 'clean'], 3],
    [
      'an engine that was asked for has no file and another one ran',
      [CLEAN, LOOKS],
      ['--engine', 'clean', '--engine', 'looks'],
      3,
    ],
    ['no engine is switched on', ['  eslint: false\n'], [], 3],
    ['the environment switches all off', [LOOKS], [], 2, ''],
  ])('where %s, nothing is clean', async (...[, engines, argv, expected, paths]) => {
    await checkout.write({ 'a.c': '', ...toPolicy(...engines) });
    const { exitCode, stdout } = await checkout.check(argv, { variables: { RATCHET_PATHS: paths } });

    expect(exitCode).toBe(expected);
    expect(stdout).toContain(expected === 2 ? 'RATCHET_PATHS of the environment: an empty list' : 'Not looked at');
  });

  it.each(['true', 'echo "cannot be read, nothing was checked" >&2', "printf '\\n \\n'"])(
    'takes a tool of the repository that writes nothing for a failure, where the policy says nothing of it: %s',
    async (script) => {
      await checkout.write({ 'a.txt': '', ...toPolicy(toEngine('silent', script, { emptyMeansClean: undefined })) });
      const { exitCode, stdout } = await checkout.check(['--json']);

      expect(exitCode).toBe(3);
      expect(parseReport(stdout).engineErrors).toMatchObject([{ engine: 'silent', kind: 'NO_OUTPUT' }]);
    },
  );

  it('needs a place for its caches', async () => {
    const { exitCode, stderr } = await checkout.check([], { variables: { RATCHET_CACHE_DIR: '', HOME: undefined } });

    expect(exitCode).toBe(2);
    expect(stderr).toBe('ratchet: check: there is no place for caches: set HOME or RATCHET_CACHE_DIR\n');
  });

  it('skips what is started from node_modules where none are installed that package.json names, which is no good news', async () => {
    await checkout.write({ 'a.js': '', 'package.json': '{"devDependencies":{"eslint":"*"}}' });

    const { skipped } = parsePlans((await checkout.check(['--plan', '--json', '--engine', 'eslint'])).stdout);
    const bare = await checkout.check(['--engine', 'eslint']);
    await checkout.write({ 'node_modules/.package-lock.json': '{}' });
    const installed = parsePlans((await checkout.check(['--plan', '--json', '--engine', 'eslint'])).stdout);

    expect(skipped).toEqual([{ engine: 'eslint', why: 'dependencies_missing' }]);
    expect(installed.skipped).toEqual([]);
    expect(bare.exitCode).toBe(3);
    expect(bare.stdout).toContain(
      '✗ 0 findings · 0 engines ran · 1 engine could not run, as dependencies are not installed',
    );
  });

  it('shows colours and progress at a terminal only', async () => {
    await checkout.write({ 'a.txt': 'BAD\n', ...toPolicy(FINDS, BROKEN) });

    const plain = await checkout.check([]);
    const colored = await checkout.check([], { isColored: true, isTerminal: true });
    const json = await checkout.check(['--json'], { isColored: true, isTerminal: true });

    expect(`${plain.stdout}${plain.told}`).not.toContain('\u001B');
    expect(plain.told).toMatch(/^finds \(target\): 1 finding, \d+\.\d s$/mu);
    expect(colored.stdout).toContain('\u001B[31m');
    expect(colored.told).toMatch(/\r\u001B\[Krunning [^\n]* …\r\u001B\[K/u);
    expect(colored.told + plain.told).not.toContain('an engine failed');
    expect(colored.told.endsWith('\r\u001B[K')).toBe(true);
    expect(json.stdout).not.toContain('\u001B');
  });

  it('tells of an engine that changes files of the checkout', async () => {
    await checkout.write({ 'a.txt': 'one\n', ...toPolicy(toEngine('fixes', 'echo two >a.txt')) });
    await checkout.commitAll();

    expect((await checkout.check([])).told).toContain('ratchet: an engine changed files of this checkout\n');
  });
});

describe('ratchet check without git', () => {
  it('checks the folder that it stands in, and has no base', async () => {
    const plain = await createCheckout({ isPlain: true });
    try {
      await plain.write({ 'sub/a.txt': 'BAD\n', 'node_modules/b.txt': 'BAD\n', ...toPolicy(FINDS) });

      const { exitCode, stdout } = await plain.check(['--json']);
      const based = await plain.check(['--base', 'main']);

      expect(exitCode).toBe(1);
      expect(parseReport(stdout).root).toBe(plain.root);
      expect(parseReport(stdout).plans[0]?.targets).toEqual(['sub/a.txt']);
      expect(based).toMatchObject({ exitCode: 2, stdout: '' });
    } finally {
      await plain.remove();
    }
  });
});
