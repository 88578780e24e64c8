import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, realpath, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { z } from 'zod';
import { BUNDLE_FOLDER } from './build-bundle.ts';
import { createTempFolder } from './git-repository.ts';
import type { Ended } from './plan-stage.ts';

const KILL_AT_EVENT = fileURLToPath(new URL('kill-at-event.mjs', import.meta.url));
const MAIN = fileURLToPath(new URL(`../../${BUNDLE_FOLDER}/main.js`, import.meta.url));

/** A checkout, a state folder, a scripted agent, and the real command line over them. */
export interface RunStage {
  readonly root: string;
  readonly repo: string;
  readonly write: (files: Readonly<Record<string, string>>) => Promise<void>;
  readonly git: (...args: readonly string[]) => Promise<string>;
  /** Commits everything in the checkout. */
  readonly commit: () => Promise<void>;
  /** What the agent does from now on. */
  readonly script: (script: object) => Promise<void>;
  readonly ratchet: (...args: readonly string[]) => Promise<Ended>;
  /**
   * Like `ratchet`, but a real SIGKILL ends it around the transaction that records an event: `attempt_finished 1 before` is before the
   * commit of the first such event, `after` right after it. Returns the id of the run.
   */
  readonly killAt: (point: string, ...args: readonly string[]) => Promise<{ readonly runId: string } & Ended>;
  /** Like `ratchet`, with a SIGINT once stderr says `at`, and `before` was done. */
  readonly stopAt: (at: RegExp, args: readonly string[], before?: () => Promise<unknown>) => Promise<Ended>;
  /** Like `ratchet`, and `act` is done once stderr says `at`. */
  readonly actAt: (at: RegExp, args: readonly string[], act: () => Promise<unknown>) => Promise<Ended>;
  /** The same stage with more variables. */
  readonly withEnv: (more: Readonly<Record<string, string>>) => Pick<RunStage, 'ratchet'>;
  /** The folder with the files of all runs on the checkout. */
  readonly artifacts: () => Promise<string>;
  readonly remove: () => Promise<void>;
}

export async function createRunStage(more: Readonly<Record<string, string>> = {}): Promise<RunStage> {
  const { path: root, remove } = await createTempFolder();
  const repo = join(root, 'repo');
  await mkdir(repo);
  const script = join(root, 'script.json');
  const options = {
    cwd: root,
    env: {
      ...{ PATH: process.env['PATH'], HOME: root, XDG_STATE_HOME: join(root, 'state') },
      ...{ RATCHET_AGENT: 'fake', RATCHET_FAKE_AGENT_SCRIPT: script, SECRET: 'not for agents' },
      ...more,
    },
    extendEnv: false,
    reject: false,
    stdin: 'ignore',
    timeout: 500_000,
    stripFinalNewline: false,
  } as const;
  const git = async (...args: readonly string[]): Promise<string> => {
    const identity = ['-c', 'user.name=Person', '-c', 'user.email=person@example.com'];
    return (await execa('git', [...identity, ...args], { cwd: repo })).stdout;
  };
  const actAt = async (
    at: RegExp,
    args: readonly string[],
    act: (kill: (signal: NodeJS.Signals) => void) => void,
  ): Promise<Ended> => {
    const child = execa(process.execPath, [MAIN, ...args], options);
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => {
      const had = at.test(said);
      said += chunk.toString();
      if (!had && at.test(said)) act((signal) => child.kill(signal));
    });
    const { exitCode, stdout, stderr } = await child;
    return { exitCode, stdout, stderr };
  };
  await git('init', '--quiet', '--initial-branch=main');
  return {
    root,
    repo,
    git,
    write: async (files) => {
      for (const [path, text] of Object.entries(files)) {
        await mkdir(dirname(join(repo, path)), { recursive: true });
        await writeFile(join(repo, path), text);
      }
    },
    commit: async () => {
      await git('add', '--all');
      await git('commit', '--quiet', '--message', 'change');
    },
    script: async (steps) => writeFile(script, JSON.stringify(steps)),
    ratchet: async (...args) => {
      const { exitCode, stdout, stderr } = await execa(process.execPath, [MAIN, ...args], options);
      return { exitCode, stdout, stderr };
    },
    killAt: async (point, ...args) => {
      const env = { ...options.env, KILL_AT: point };
      const argv = ['--import', KILL_AT_EVENT, MAIN, ...args];
      const { exitCode, stdout, stderr, signal } = await execa(process.execPath, argv, { ...options, env });
      const runId = /^run (?<id>\w+) on /mu.exec(stderr)?.groups?.['id'];
      if (signal !== 'SIGKILL' || runId === undefined) throw new Error(`it was not killed at ${point}: ${stderr}`);
      return { runId, exitCode, stdout, stderr };
    },
    stopAt: async (at, args, before = async () => undefined) =>
      actAt(at, args, (kill) => void before().finally(() => kill('SIGINT'))),
    actAt: async (at, args, act) => actAt(at, args, () => void act()),
    withEnv: (own) => ({
      ratchet: async (...args) => {
        const env = { ...options.env, ...own };
        const { exitCode, stdout, stderr } = await execa(process.execPath, [MAIN, ...args], { ...options, env });
        return { exitCode, stdout, stderr };
      },
    }),
    artifacts: async () => {
      // The sandboxes of root run as others, who must be able to pass through the folder.
      const state = await realpath(join(root, 'state/ratchet'));
      const hash = createHash('sha256').update(state).digest('hex').slice(0, 16);
      const places = [state, `${state}-copies`, join('/var/lib/ratchet-plans', hash)].map((one) => join(one, 'r'));
      const [place = ''] = places.filter((one) => existsSync(one));
      const [name = ''] = await readdir(place);
      return join(place, name, 'artifacts');
    },
    remove,
  };
}

const Counted = z.strictObject({ findings: z.number().nullable() }).nullable();
const RunJson = z.strictObject({
  runId: z.string(),
  status: z.string(),
  baseline: Counted,
  final: Counted,
  tasks: z.array(
    z.strictObject({
      id: z.number(),
      type: z.string(),
      status: z.string(),
      attempts: z.array(z.strictObject({ status: z.string(), reason: z.string().nullable() })),
    }),
  ),
  branch: z.string().nullable(),
  costUsd: z.number(),
});

/** What `ratchet run --json` printed. */
export function toRunJson({ stdout }: Ended): z.infer<typeof RunJson> {
  return RunJson.parse(JSON.parse(stdout));
}

/** Modules with 12 failing tests in 5 files, of which two fail for one cause, and one module that is hardly tested. */
export const BROKEN: Readonly<Record<string, string>> = {
  '.gitignore': 'ignored\n',
  'package.json': '{"name":"broken","type":"module"}\n',
  '.github/ratchet.yml': `install:
  detect: false
engines:
  tests:
    command: [node, --test, --test-reporter=junit, "--test-reporter-destination={report}", "{targets}"]
    format: junit
    kind: test
    globs: ["**/*.test.mjs"]
    targets: files
  covered:
    command: [node, --test, --experimental-test-coverage, --test-reporter=lcov, "--test-reporter-destination={report}", "test/*.test.mjs"]
    format: lcov
    kind: coverage
`,
  ...Object.fromEntries([1, 2, 3, 4, 5].flatMap(toModule)),
  'src/shared.mjs': 'export const scale = (value) => value / 2;\n',
  'src/gap.mjs': `export function sign(value) {
  if (value < 0) {
    const name = 'negative';
    return name;
  }
  if (value === 0) {
    const name = 'zero';
    return name;
  }
  return 'positive';
}
`,
  'test/gap.test.mjs': `import test from 'node:test';
import assert from 'node:assert/strict';
import { sign } from '../src/gap.mjs';
test('positive', () => assert.equal(sign(1), 'positive'));
`,
};

function toModule(number: number): readonly (readonly [string, string])[] {
  const name = String(number);
  const own = [3, 3, 4, 0, 0][number - 1] ?? 0;
  const tests = Array.from(
    { length: own },
    (_, index) =>
      `test('adds ${String(index + 1)}', () => assert.equal(add(${String(index + 1)}, 3), ${String(index + 4)}));\n`,
  );
  const shared = number > 3 ? "test('scales', () => assert.equal(scaled(4), 8));\n" : '';
  const whole = "test('takes a word', () => assert.equal(word(), 'word'));\n";
  return [
    [
      `src/m${name}.mjs`,
      `import { scale } from './shared.mjs';
export const add = (left, right) => left - right;
export const scaled = (value) => scale(value);
export const word = () => 'word';
`,
    ],
    [
      `test/m${name}.test.mjs`,
      `import test from 'node:test';
import assert from 'node:assert/strict';
import { add, scaled, word } from '../src/m${name}.mjs';
${tests.join('')}${shared}${whole}void [add, scaled, word];
`,
    ],
  ];
}

const MENDS = [1, 2, 3].map((number) => ({
  when: { prompt: `test/m${String(number)}.test.mjs` },
  steps: [{ do: 'edit', file: `src/m${String(number)}.mjs`, find: 'left - right', replace: 'left + right' }],
}));

/** Mends all of `BROKEN`. */
export const MEND_ALL = {
  cases: [
    {
      when: { prompt: 'to be covered' },
      steps: [
        {
          do: 'write',
          file: 'test/gap-more.test.mjs',
          text: `import test from 'node:test';
import assert from 'node:assert/strict';
import { sign } from '../src/gap.mjs';
test('negative', () => assert.equal(sign(-1), 'negative'));
test('zero', () => assert.equal(sign(0), 'zero'));
`,
        },
      ],
    },
    ...MENDS,
  ],
  steps: [{ do: 'run', command: "sed -i 's#value / 2#value * 2#' src/shared.mjs" }],
};
