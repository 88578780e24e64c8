import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { createTempFolder } from '../support/git-repository.ts';
import { type Checkout, createCheckout } from './check-fixture.ts';

const PROJECT = join(import.meta.dirname, '../..');

const Action = z.object({
  inputs: z.record(z.string(), z.object({ default: z.string() })),
  runs: z.object({
    using: z.literal('composite'),
    steps: z.array(z.object({ name: z.string(), run: z.string(), shell: z.literal('bash') })),
  }),
});
const Hooks = z.array(
  z.object({ id: z.string(), entry: z.string(), args: z.array(z.string()), language: z.literal('node') }),
);

let checkout: Checkout;
/** For all tests: the compiled program is kept there, too. */
let cache: Awaited<ReturnType<typeof createTempFolder>>;

beforeAll(async () => {
  cache = await createTempFolder({ inMemory: true });
});
afterAll(() => cache.remove());
beforeEach(async () => {
  checkout = await createCheckout({ isPlain: false });
});
afterEach(() => checkout.remove());

async function readYaml(path: string): Promise<unknown> {
  return parse(await readFile(join(PROJECT, path), 'utf8'));
}

const GREP = `grep -nH BAD "$@" | while IFS=: read -r path line text; do
  echo "{\\"path\\":\\"$path\\",\\"line\\":$line,\\"severity\\":\\"high\\",\\"message\\":\\"$text\\"}"
done`;
const FINDS = {
  command: ['/bin/sh', '-c', GREP, 'engine', '{targets}'],
  format: 'jsonl',
  globs: ['**/*.txt'],
  emptyMeansClean: true,
};
const MENDS = { ...FINDS, fix: ['sed', '-i', 's/BAD/good/', '{targets}'] };
const BREAKS = { command: ['/bin/sh', '-c', 'exit 7'], format: 'jsonl' };

function toPolicy(engine: unknown): Readonly<Record<string, string>> {
  return { '.github/ratchet.yml': `version: 1\nengines:\n  own: ${JSON.stringify(engine)}\n` };
}

/** What pre-commit and the action install, without the build: the same program. */
async function install(): Promise<{ readonly action: string; readonly bin: string }> {
  const action = join(checkout.caches, 'action');
  const bin = join(action, 'node_modules/.bin');
  await mkdir(bin, { recursive: true });
  await mkdir(join(action, 'dist'), { recursive: true });
  await writeFile(join(action, 'dist/main.js'), `import ${JSON.stringify(join(PROJECT, 'src/main.ts'))};\n`);
  await writeFile(join(action, 'package.json'), '{"type":"module"}\n');
  await symlink(process.execPath, join(bin, 'node')).catch(() => undefined);
  await writeFile(
    join(bin, 'ratchet'),
    `#!/bin/sh\nexec '${join(bin, 'node')}' '${join(action, 'dist/main.js')}' "$@"\n`,
    {
      mode: 0o755,
    },
  );
  return { action, bin };
}

interface Ended {
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

async function run(argv: readonly string[], variables: Readonly<Record<string, string>>): Promise<Ended> {
  const [program = '', ...args] = argv;
  const env = { PATH: process.env['PATH'] ?? '', RATCHET_CACHE_DIR: cache.path, ...variables };
  const { exitCode, stdout, stderr } = await execa(program, args, {
    cwd: checkout.root,
    env,
    extendEnv: false,
    reject: false,
  });
  return { exitCode, stdout, stderr };
}

/** Runs the step as GitHub's runner does. */
async function runStep(inputs: Readonly<Record<string, string>>): Promise<Ended & { readonly summary: string }> {
  const { action } = await install();
  const { runs } = Action.parse(await readYaml('action.yml'));
  const script = join(checkout.caches, 'step.sh');
  await writeFile(script, runs.steps.find(({ name }) => name === 'Check')?.run ?? 'exit 99');
  const summary = join(checkout.caches, 'summary.md');
  await writeFile(summary, '');
  const ended = await run(['bash', '--noprofile', '--norc', '-eo', 'pipefail', script], {
    ...{ BASE: '', PATHS: '', ...inputs },
    ...{
      GITHUB_ACTIONS: 'true',
      GITHUB_ACTION_PATH: action,
      GITHUB_WORKSPACE: checkout.root,
      GITHUB_STEP_SUMMARY: summary,
    },
  });
  return { ...ended, summary: await readFile(summary, 'utf8') };
}

describe('the step for GitHub Actions', () => {
  it('fails by what the change made worse, annotates it, and leaves a summary', async () => {
    await checkout.write({ 'a.txt': 'BAD old\n', ...toPolicy(FINDS) });
    await checkout.commitAll();
    await checkout.write({ 'b c.txt': 'BAD new\n' });
    await checkout.commitAll();
    const base = (await checkout.git('rev-parse', 'HEAD~1')).trim();

    const { exitCode, stdout, summary } = await runStep({ BASE: base });

    expect(exitCode).toBe(1);
    expect(stdout.split('\n').filter((line) => line.startsWith('::'))).toEqual([
      '::error title=own,file=b c.txt,line=1::BAD new',
    ]);
    expect(summary).toContain('1 finding new or not comparable, 1 on the base too');
  });

  it('is kept to paths, one a line, and without a base every finding fails it', async () => {
    await checkout.write({ 'a.txt': 'BAD\n', '-b c.txt': 'BAD\n', 'd.txt': 'BAD\n', ...toPolicy(FINDS) });

    const { exitCode, stdout } = await runStep({ PATHS: 'a.txt\n\n-b c.txt\n' });

    expect(exitCode).toBe(1);
    expect(stdout).toContain('own                    current');
  });

  it('is not green where an engine could not run, and takes no input for a command or a flag', async () => {
    await checkout.write({ 'a.txt': '', ...toPolicy(BREAKS) });
    await checkout.commitAll();

    const broken = await runStep({});
    const hostile = await runStep({ BASE: '--plan"; touch pwned; #', PATHS: '--json' });

    expect(broken.exitCode).toBe(3);
    expect(broken.stdout).toContain('::error title=own::NO_OUTPUT');
    expect(hostile.exitCode).toBe(2);
    expect(hostile.stdout).toContain('::error title=ratchet check::');
    expect(await checkout.git('status', '--porcelain')).toBe('');
  });

  it('has no expression in a script, and the documented job gives it inputs that it has', async () => {
    const { inputs, runs } = Action.parse(await readYaml('action.yml'));
    const documentation = await readFile(join(PROJECT, 'docs/engines.md'), 'utf8');
    const [, example = ''] = /```yaml\n(on: pull_request\n.*?)```/su.exec(documentation) ?? [];
    const Job = z.object({
      steps: z.array(z.object({ uses: z.string().optional(), with: z.record(z.string(), z.unknown()).optional() })),
    });
    const { jobs } = z.object({ jobs: z.record(z.string(), Job) }).parse(parse(example));
    const step = Object.values(jobs)
      .flatMap(({ steps }) => steps)
      .find(({ uses }) => uses?.startsWith('OWNER/') === true);

    expect(runs.steps.filter(({ run: script }) => script.includes('${{'))).toEqual([]);
    expect(Object.keys(inputs)).toEqual(expect.arrayContaining(Object.keys(step?.with ?? { none: '' })));
  });
});

describe('the hooks for pre-commit', () => {
  /** As pre-commit runs them: the words of the entry, the arguments, the files of the commit. */
  async function runHook(id: string, files: readonly string[]): Promise<Ended> {
    const { bin } = await install();
    const hook = Hooks.parse(await readYaml('.pre-commit-hooks.yaml')).find((one) => one.id === id);
    expect(hook, `no hook ${id}`).toBeDefined();
    const argv = [...(hook?.entry.split(' ') ?? []), ...(hook?.args ?? []), ...files];
    return run(argv, { PATH: `${bin}:${process.env['PATH'] ?? ''}` });
  }

  it('look at the files of the commit, or at everything without them', async () => {
    await checkout.write({ 'a.txt': 'BAD\n', '-b.txt': 'fine\n', ...toPolicy(FINDS) });

    const clean = await runHook('ratchet-check', ['-b.txt']);
    const dirty = await runHook('ratchet-check', ['a.txt', '-b.txt']);
    const all = await runHook('ratchet-check', []);

    expect([clean.exitCode, dirty.exitCode, all.exitCode]).toEqual([0, 1, 1]);
    expect(dirty.stdout).toContain('a.txt\n  1 ');
  });

  it('mend files of the commit only', async () => {
    await checkout.write({ 'a.txt': 'BAD\n', 'b.txt': 'BAD\n', ...toPolicy(MENDS) });

    const { exitCode, stdout } = await runHook('ratchet-fix', ['a.txt']);

    expect(exitCode).toBe(0);
    expect(stdout).toContain('changed a.txt\n');
    expect(await readFile(join(checkout.root, 'a.txt'), 'utf8')).toBe('good\n');
    expect(await readFile(join(checkout.root, 'b.txt'), 'utf8')).toBe('BAD\n');
  });

  it('start a program that the package installs, and the package is built before it is packed', async () => {
    const manifest = z
      .object({ bin: z.object({ ratchet: z.literal('dist/main.js') }), scripts: z.object({ prepack: z.string() }) })
      .parse(JSON.parse(await readFile(join(PROJECT, 'package.json'), 'utf8')));

    expect(manifest.scripts.prepack).toBe('npm run build');
    expect(await readFile(join(PROJECT, 'src/main.ts'), 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/u);
  });
});
