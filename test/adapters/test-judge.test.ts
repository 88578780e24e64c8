import { fileURLToPath } from 'node:url';
import type { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { createTestJudge, type TestJudgeOptions } from '../../src/adapters/source/create-test-judge.ts';
import type { ChangedTexts } from '../../src/ports/test-judge.ts';
import { recordingLog } from '../support/store.ts';

const PROGRAM = fileURLToPath(new URL('../../src/adapters/source/judge-worker.ts', import.meta.url));
const NEVER = new AbortController().signal;
const TEST = "it('adds', () => { expect(add(1, 2)).toBe(3); });\n";
const PATH = 'test/add.test.js';
const POLICY = { testChanges: 'judge', protectedPaths: [] } as const;

/** Skips the test of one file. */
const SKIPPING: ChangedTexts = {
  before: [{ [PATH]: TEST }, { [PATH]: TEST.replace('it(', 'it.skip(') }],
  after: { [PATH]: TEST.replace('it(', 'it.skip(') },
  policy: POLICY,
};

/** So much that no machine reads it at once. */
function aFlood(): ChangedTexts {
  const text = Array.from({ length: 20_000 }, (_, at) => `it('t${at}', () => { expect(f(${at})).toBe(${at}); });`).join(
    '\n',
  );
  const texts = (word: string): Record<string, string> =>
    Object.fromEntries(
      Array.from({ length: 8 }, (_, at) => [`test/a${at}.test.js`, text.replaceAll('f(', `${word}${at}(`)]),
    );
  return { before: [texts('f')], after: texts('g'), policy: POLICY };
}

function create(options: Partial<TestJudgeOptions> = {}): ReturnType<typeof createTestJudge> {
  return createTestJudge({ program: PROGRAM, log: recordingLog().log, ...options });
}

describe('the thread that judges changes to tests', () => {
  it('gives a verdict against each side', async () => {
    const verdicts = await create().judge(SKIPPING, NEVER);

    expect(verdicts.map(({ verdict }) => verdict)).toEqual(['rejected', 'clean']);
    expect(verdicts[0]?.facts).toMatchObject([{ code: 'TEST_SKIPPED', path: PATH, line: 1 }]);
  });

  it('holds what takes too long, and lets others go on meanwhile', async () => {
    let turns = 0;
    const others = setInterval(() => {
      turns += 1;
    }, 5);
    const verdicts = await create({ timeoutMs: 400 }).judge(aFlood(), NEVER);
    clearInterval(others);

    expect(verdicts).toMatchObject([{ verdict: 'held', facts: [{ code: 'UNREADABLE', is: 'held' }] }]);
    expect(turns).toBeGreaterThan(3);
  });

  it('holds what takes too much memory, and lives on', async () => {
    const verdicts = await create({ maxHeapMb: 16 }).judge(aFlood(), NEVER);

    expect(verdicts).toMatchObject([{ verdict: 'held', facts: [{ code: 'UNREADABLE' }] }]);
  });

  it('holds a change if its program cannot run, and tells the operator', async () => {
    const { log, lines } = recordingLog();
    const verdicts = await create({ program: '/none/judge-worker.mjs', log }).judge(SKIPPING, NEVER);

    expect(verdicts.map(({ verdict }) => verdict)).toEqual(['held', 'held']);
    expect(lines.map(({ level }) => level)).toEqual(['warn']);
  });

  it.each([
    ['once', 1],
    ['twice, with one thread', 2],
  ])('judges in the thread that was prepared %s, and later changes in others', async (_, times) => {
    const started: Worker[] = [];
    const keep = (worker: Worker): void => void started.push(worker);
    process.on('worker', keep);
    const judge = create();
    for (let at = 0; at < times; at += 1) judge.prepare();
    await expect.poll(() => started.length).toBe(1);
    const [first, second] = [await judge.judge(SKIPPING, NEVER), await judge.judge(SKIPPING, NEVER)];
    process.off('worker', keep);

    expect([first, second].map(([verdict]) => verdict?.verdict)).toEqual(['rejected', 'rejected']);
    expect(started.map(({ threadId }) => threadId)).toEqual([-1, -1]);
  });

  it('holds a change if its program could not be prepared', async () => {
    const { log, lines } = recordingLog();
    const judge = create({ program: '/none/judge-worker.mjs', log });
    const left = new Promise((resolve) => {
      process.once('worker', (worker) => worker.once('exit', resolve));
    });
    judge.prepare();
    await left;

    await expect(judge.judge(SKIPPING, NEVER)).resolves.toMatchObject([{ verdict: 'held' }, { verdict: 'held' }]);
    expect(lines.map(({ level }) => level)).toEqual(['warn']);
  });

  it('ends with its run', async () => {
    const controller = new AbortController();
    const judging = create().judge(aFlood(), controller.signal);
    controller.abort(new Error('stopped'));

    await expect(judging).rejects.toThrow('stopped');
    await expect(create().judge(SKIPPING, controller.signal)).rejects.toThrow('stopped');
  });
});
