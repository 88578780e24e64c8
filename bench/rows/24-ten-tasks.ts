import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { execa } from 'execa';
import { setup as buildBundle } from '../../test/support/build-bundle.ts';
import { createRunStage, type RunStage, toRunJson } from '../../test/support/run-stage.ts';
import { NotMeasuredError } from '../measure.ts';
import type { OpenRow, Row, RowContext, Sample, Turn } from '../row.ts';

/** Row 24: ten tasks in one run, against their ten validations by hand. */
export const tenTasks: Row = {
  number: 24,
  name: 'ten tasks',
  metrics: [
    {
      ...{ kind: 'time', name: 'all attempts of a run', ours: 'attempts', target: 6 },
      peer: { side: 'by-hand', name: 'the same ten validations in parallel, by hand' },
    },
    { kind: 'duration', name: 'the whole command', ours: 'command' },
  ],
  open: openRow,
};

const TASKS = 10;
/** That each test file waits. */
const TEST_SECONDS = 3;
const POLICY = `install:
  detect: false
tasks:
  maxAgentWorkers: ${String(TASKS)}
  checkpointTasks: ${String(TASKS)}
engines:
  tests:
    command: [node, --test, --test-reporter=junit, "--test-reporter-destination={report}", "{targets}"]
    format: junit
    kind: test
    globs: ["**/*.test.mjs"]
    targets: files
`;

async function openRow({ quick }: RowContext): Promise<OpenRow> {
  await buildBundle();
  const seconds = quick ? 0 : TEST_SECONDS;
  return {
    notes: [
      `${String(TASKS)} files with a red test each, which waits ${String(seconds)} s; a scripted agent, ${String(TASKS)} workers, no retries needed, no checkpoint between them`,
      'attempts: from the start of the first to the end of the last, by the database: clones, agents, validations, and the unions',
      'by hand: node --test for each of the ten files at once, in one checkout of the result',
    ],
    takeTurn: () => takeTurn(seconds),
    explain: async () => [],
    close: async () => undefined,
  };
}

async function takeTurn(seconds: number): Promise<Turn> {
  const stage = await createRunStage();
  try {
    await write(stage, seconds);
    const startedAt = performance.now();
    const ended = await stage.ratchet('run', '--repo', 'repo', '--json');
    const command = performance.now() - startedAt;
    if (ended.exitCode !== 0)
      throw new NotMeasuredError(`the run ended with ${String(ended.exitCode)}: ${ended.stderr}`);
    const { branch, tasks } = toRunJson(ended);
    if (tasks.length !== TASKS) throw new NotMeasuredError(`there were ${String(tasks.length)} tasks`);
    const attempts = readAttempts(join(stage.root, 'state/ratchet/plans.db'));
    await stage.git('checkout', '--quiet', branch ?? '');
    const byHand = await validateByHand(stage);
    return { attempts: toSample(attempts), command: toSample(command), 'by-hand': toSample(byHand) };
  } finally {
    await stage.remove();
  }
}

async function write(stage: RunStage, seconds: number): Promise<void> {
  const names = Array.from({ length: TASKS }, (_, index) => `m${String(index)}`);
  const files = names.flatMap((name): readonly (readonly [string, string])[] => [
    [`src/${name}.mjs`, "export const name = () => 'none';\n"],
    [
      `test/${name}.test.mjs`,
      `import test from 'node:test';
import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { name } from '../src/${name}.mjs';
test('${name}', async () => {
  await setTimeout(${String(seconds * 1000)});
  assert.equal(name(), '${name}');
});
`,
    ],
  ]);
  await stage.write({ '.github/ratchet.yml': POLICY, ...Object.fromEntries(files) });
  await stage.commit();
  const cases = names.map((name) => ({
    when: { prompt: `test/${name}.test.mjs` },
    steps: [{ do: 'edit', file: `src/${name}.mjs`, find: 'none', replace: name }],
  }));
  await stage.script({ cases, steps: [] });
}

/** Milliseconds from the start of the first attempt to the end of the last one. */
function readAttempts(path: string): number {
  const db = new SqliteDatabase(path, { readonly: true });
  const row = db
    .prepare<[], { from: string; to: string }>('select min(started_at) "from", max(finished_at) "to" from attempts')
    .get();
  db.close();
  if (row === undefined) throw new NotMeasuredError('there was no attempt');
  return Date.parse(row.to) - Date.parse(row.from);
}

async function validateByHand({ repo }: RunStage): Promise<number> {
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: TASKS }, (_, index) =>
      execa(process.execPath, ['--test', '--test-reporter=junit', `test/m${String(index)}.test.mjs`], {
        cwd: repo,
        stdout: 'ignore',
      }),
    ),
  );
  return performance.now() - startedAt;
}

function toSample(wallMs: number): Sample {
  return { wallMs, operations: 1, cpuUs: null };
}
