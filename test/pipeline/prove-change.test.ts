import { describe, expect, it } from 'vitest';
import type { ReportedFailure } from '../../src/core/model/reported-failure.ts';
import type { SessionOutcome } from '../../src/core/model/session.ts';
import { aChange, aDiagnosis, fakeSha } from '../support/builders.ts';
import type { FakeEnding } from '../support/fake-sites.ts';
import { MINUTE_MS, type Pipeline, startLaunched } from '../support/pipeline-fixture.ts';
import { aTalk, startReviewed } from '../support/reviewed-pipeline.ts';

const RED: FakeEnding = {
  exitCode: 1,
  stdoutTail: 'FAILED tests/test_a.py::test_adds - assert 1 == 2\n3 failed, 9 passed in 0.12s\n',
};
const GREEN: FakeEnding = { exitCode: 0, stdoutTail: '12 passed in 0.12s\n' };
const ALONE = 'python3 -m pytest tests/test_a.py::test_adds';
const NAMED: ReportedFailure = {
  ...{ job: 'build', tool: 'pytest', path: 'tests/test_a.py', line: null },
  ...{ rule: null, testId: 'test_adds', message: 'assert 1 == 2' },
};
const SOURCE = aChange({ path: 'src/a.py' });
const TEST = aChange({ path: 'tests/test_a.py' });

/** CI is red, and its log names `failures` and `command`; the agent changes `changes`. */
async function startRed(
  given: {
    readonly failures?: readonly ReportedFailure[];
    readonly command?: string | null;
    readonly changes?: readonly ReturnType<typeof aChange>[];
    /** Of more files of the head. */
    readonly texts?: Readonly<Record<string, string>>;
  } = {},
): Promise<Pipeline> {
  const { failures = [NAMED], command = null, changes = [SOURCE] } = given;
  const pipeline = await startLaunched();
  const texts = { 'package.json': '{"scripts":{"test":"pytest"}}', 'src/a.py': 'before', 'tests/test_a.py': 'before' };
  pipeline.git.texts({ head: { ...texts, ...given.texts } });
  pipeline.git.agentLeaves({ changes, patch: '' });
  const job = { name: 'build', class: 'code', line: null, rule: null, tests: [], command } as const;
  pipeline.store.updateWorkspace(pipeline.key, { diagnosis: aDiagnosis({ failures, jobs: [job] }) });
  pipeline.sites.endWith('npm test', GREEN);
  return pipeline;
}

function outcomeOf(pipeline: Pipeline): SessionOutcome | null | undefined {
  return pipeline.endedSessions()[0]?.outcome;
}

function proofOf(pipeline: Pipeline): object | undefined {
  const outcome = outcomeOf(pipeline);
  return outcome?.kind === 'pushed' ? outcome.proof : undefined;
}

/** The sites of the proof, each with its commands. */
function provenIn(pipeline: Pipeline): readonly string[] {
  return pipeline.sites.commands
    .filter(({ site }) => site.name.startsWith('prove-'))
    .map(({ site, argv }) => `${site.name}: ${argv.at(-1)}`);
}

describe('a fix is proven before it is pushed', () => {
  it('by red at the old head, alone too, and green at the result; no test file, no third run', async () => {
    const pipeline = await startRed();
    pipeline.sites.endIn('prove-old-head', 'npm test', RED);
    pipeline.sites.endIn('prove-alone', ALONE, RED);

    await pipeline.runFixup();

    expect(provenIn(pipeline)).toEqual(['prove-old-head: npm test', `prove-alone: ${ALONE}`]);
    expect(pipeline.git.pushed).toHaveLength(1);
    expect(pipeline.sites.mostAtOnce()).toBe(1);
    expect(proofOf(pipeline)).toMatchObject({
      ...{ verdict: 'proven', command: 'npm test', hasTests: false, withoutSource: null },
      ...{ oldHead: { exitCode: 1 }, result: { exitCode: 0 } },
      counts: [{ command: 'npm test', before: 12, after: 12 }],
    });
  });

  it('by red once more without all of the change but its test files', async () => {
    const pipeline = await startRed({ changes: [SOURCE, TEST] });
    for (const site of ['prove-old-head', 'prove-tests-only']) pipeline.sites.endIn(site, 'npm test', RED);
    pipeline.sites.endIn('prove-alone', ALONE, RED);

    await pipeline.runFixup();

    expect(proofOf(pipeline)).toMatchObject({ verdict: 'proven', hasTests: true, withoutSource: { exitCode: 1 } });
    expect(pipeline.git.mixes).toMatchObject([
      { from: fakeSha('head'), treeSha: fakeSha('tree'), paths: ['tests/test_a.py'] },
      { from: fakeSha('tree'), treeSha: fakeSha('head'), paths: ['tests/test_a.py'] },
    ]);
    expect(provenIn(pipeline)).toEqual([
      ...[
        'prove-old-head: npm test',
        'prove-old-tests: npm test',
        `prove-alone: ${ALONE}`,
        'prove-tests-only: npm test',
      ],
    ]);
  });

  it('not by a test that flickers: it is repeated alone before it counts', async () => {
    const pipeline = await startRed();
    pipeline.sites.endIn('prove-old-head', 'npm test', RED);
    pipeline.sites.endIn('prove-alone', ALONE, GREEN);

    await pipeline.runFixup();

    expect(proofOf(pipeline)).toMatchObject({ verdict: 'flickers' });
    expect(pipeline.git.pushed).toHaveLength(1);
  });

  it('repeats the command itself where the test cannot be run alone', async () => {
    const pipeline = await startRed({ failures: [{ ...NAMED, path: null }] });
    pipeline.sites.endIn('prove-old-head', 'npm test', { ...RED, stdoutTail: '' });
    pipeline.sites.endIn('prove-again', 'npm test', RED);

    await pipeline.runFixup();

    expect(provenIn(pipeline)).toEqual(['prove-old-head: npm test', 'prove-again: npm test']);
    expect(proofOf(pipeline)).toMatchObject({ verdict: 'proven' });
  });

  it('repeats the command itself where the test alone gives no answer', async () => {
    const pipeline = await startRed();
    pipeline.sites.endIn('prove-old-head', 'npm test', RED);
    pipeline.sites.endIn('prove-alone', ALONE, { exitCode: 127 });

    await pipeline.runFixup();

    expect(provenIn(pipeline)).toEqual(['prove-old-head: npm test', `prove-alone: ${ALONE}`, 'prove-again: npm test']);
    expect(proofOf(pipeline)).toMatchObject({ verdict: 'flickers' });
  });

  it('does not repeat a command that takes long', async () => {
    const pipeline = await startRed({ failures: [] });
    pipeline.sites.endIn('prove-old-head', 'npm test', { ...RED, stdoutTail: '', durationMs: 10 * MINUTE_MS });

    await pipeline.runFixup();

    expect(provenIn(pipeline)).toEqual(['prove-old-head: npm test']);
    expect(proofOf(pipeline)).toMatchObject({ verdict: 'proven' });
  });

  it('by the test alone where the validation does not run it', async () => {
    const pipeline = await startRed();
    pipeline.sites.endIn('prove-others', ALONE, RED);
    pipeline.sites.endIn('prove-alone', ALONE, RED);
    pipeline.sites.endIn('prove-result', ALONE, GREEN);

    await pipeline.runFixup();

    expect(proofOf(pipeline)).toMatchObject({ verdict: 'proven', command: ALONE });
  });

  it('by the command that failed in CI', async () => {
    const pipeline = await startRed({ failures: [], command: 'npm run lint' });
    pipeline.sites.endIn('prove-others', 'npm run lint', { exitCode: 2 });
    pipeline.sites.endIn('prove-again', 'npm run lint', { exitCode: 2 });

    await pipeline.runFixup();

    expect(proofOf(pipeline)).toMatchObject({
      ...{ verdict: 'proven', command: 'npm run lint', oldHead: { exitCode: 2 }, result: { exitCode: 0 } },
    });
  });
});

describe('a change whose failure is still there', () => {
  it('is rejected, once the red run was repeated', async () => {
    const pipeline = await startRed();
    for (const site of ['prove-others', 'prove-result', 'prove-result-again']) pipeline.sites.endIn(site, ALONE, RED);

    await pipeline.runFixup();

    expect(outcomeOf(pipeline)).toMatchObject({ kind: 'rejected', code: 'STILL_RED', diff: { files: 1 } });
    expect(pipeline.git.pushed).toEqual([]);
  });

  it('is not rejected for one red run of two, and not proven', async () => {
    const pipeline = await startRed();
    for (const site of ['prove-others', 'prove-alone', 'prove-result']) pipeline.sites.endIn(site, ALONE, RED);
    pipeline.sites.endIn('prove-result-again', ALONE, GREEN);

    await pipeline.runFixup();

    expect(pipeline.git.pushed).toHaveLength(1);
    expect(proofOf(pipeline)).toMatchObject({ verdict: 'unknown' });
  });
});

describe('a change with which another test is red', () => {
  const OTHER: FakeEnding = { exitCode: 2, stdoutTail: 'FAILED tests/test_z.py::test_z - no' };

  it('is not proven, and not rejected: what CI reports is gone', async () => {
    const pipeline = await startRed({ command: 'make e2e' });
    for (const site of ['prove-others', 'prove-alone']) pipeline.sites.endIn(site, ALONE, { exitCode: 127 });
    for (const site of ['prove-others', 'prove-again']) pipeline.sites.endIn(site, 'make e2e', RED);
    for (const site of ['prove-result', 'prove-result-again']) pipeline.sites.endIn(site, 'make e2e', OTHER);

    await pipeline.runFixup();

    expect(pipeline.git.pushed).toHaveLength(1);
    expect(proofOf(pipeline)).toMatchObject({
      ...{ verdict: 'unknown', command: 'make e2e', oldHead: { exitCode: 1 }, result: { exitCode: 2 } },
    });
  });

  it('is not proven where its run gives no answer', async () => {
    const pipeline = await startRed();
    for (const site of ['prove-others', 'prove-alone']) pipeline.sites.endIn(site, ALONE, RED);
    pipeline.sites.endIn('prove-result', ALONE, { ...GREEN, processesLeft: 1 });

    await pipeline.runFixup();

    expect(pipeline.git.pushed).toHaveLength(1);
    expect(proofOf(pipeline)).toMatchObject({ verdict: 'unknown' });
  });
});

describe('what is not red here', () => {
  it('is pushed as not reproduced, with what was tried', async () => {
    const pipeline = await startRed({ command: 'make e2e' });
    pipeline.sites.endIn('prove-others', ALONE, { exitCode: 127 });
    pipeline.sites.endIn('prove-others', 'make e2e', {
      exitCode: 2,
      stdoutTail: 'FAILED tests/test_z.py::test_z - no',
    });

    await pipeline.runFixup();

    expect(pipeline.git.pushed).toHaveLength(1);
    expect(proofOf(pipeline)).toMatchObject({
      verdict: 'not_reproduced',
      notes: [
        '`npm test` at the old head: exit code 0.',
        `\`${ALONE}\` at the old head: exit code 127, and nothing ran.`,
        '`make e2e` at the old head: exit code 2, but for another reason.',
      ],
    });
  });

  const CI = `on: push
env: { TOKEN: "\${{ secrets.NPM_TOKEN }}" }
jobs:
  build:
    services: { postgres: {} }
    steps: [{ uses: actions/setup-node@v4, with: { node-version: 18 } }, { uses: actions/setup-go@v5, with: { go-version: 1.22 } }]
`;

  it('is told with what CI has and this place lacks, by the workflow files of the head', async () => {
    const pipeline = await startRed({
      texts: { '.github/workflows/ci.yml': CI, '.github/workflows/broken.yml': 'a: [', '.github/workflows/x.txt': CI },
    });
    pipeline.sites.endIn('prove-tools', 'node --version', { exitCode: 0, stdoutTail: 'v24.21.0\n' });
    pipeline.sites.endIn('prove-tools', 'go version', { exitCode: 127 });

    await pipeline.runFixup();

    expect(provenIn(pipeline)).toEqual([
      ...['prove-old-head: npm test', `prove-others: ${ALONE}`],
      ...['prove-tools: node --version', 'prove-tools: go version'],
    ]);
    expect(proofOf(pipeline)).toMatchObject({
      verdict: 'not_reproduced',
      notes: [
        '`npm test` at the old head: exit code 0.',
        `\`${ALONE}\` at the old head: exit code 0.`,
        'CI runs services beside its job, and there are none here: "postgres".',
        'CI gives secrets to its job, and there are none here: "NPM_TOKEN".',
        'CI uses Node 18, and here it is 24.21.0.',
        'CI uses Go 1.22, and there is none here.',
      ],
    });
  });

  it('is not told with toolchains that were not asked: their run ended in no time', async () => {
    const pipeline = await startRed({ texts: { '.github/workflows/ci.yml': CI } });
    pipeline.sites.endIn('prove-tools', 'node --version', { kind: 'timed_out' });
    pipeline.sites.endIn('prove-tools', 'go version', { kind: 'timed_out' });

    await pipeline.runFixup();

    expect(JSON.stringify(proofOf(pipeline))).toContain('postgres');
    expect(JSON.stringify(proofOf(pipeline))).not.toContain('CI uses');
  });

  it('is told without what CI has where it is red here', async () => {
    const pipeline = await startRed({ texts: { '.github/workflows/ci.yml': CI } });
    pipeline.sites.endIn('prove-old-head', 'npm test', RED);
    pipeline.sites.endIn('prove-alone', ALONE, RED);

    await pipeline.runFixup();

    expect(proofOf(pipeline)).toMatchObject({ verdict: 'proven', notes: [] });
  });

  it('is not run again by the next attempt at the same head', async () => {
    const pipeline = await startRed({ changes: [TEST] });
    await pipeline.runFixup();
    pipeline.comment('/ratchet retry');
    await pipeline.evaluate();
    pipeline.git.agentLeaves({ changes: [SOURCE], patch: '' });

    await pipeline.runFixup();

    expect(pipeline.git.pushed).toHaveLength(1);
    expect(provenIn(pipeline)).toEqual(['prove-old-head: npm test', `prove-others: ${ALONE}`]);
  });
});

describe('a change of tests that proves nothing is for a person', () => {
  it('where it changes nothing else', async () => {
    const pipeline = await startRed({ changes: [TEST] });
    pipeline.sites.endIn('prove-old-head', 'npm test', RED);

    await pipeline.runFixup();

    expect(JSON.stringify(outcomeOf(pipeline))).toContain('nothing but tests');
    expect(pipeline.git.pushed).toEqual([]);
  });

  it('where the tests alone made it green', async () => {
    const pipeline = await startRed({ changes: [SOURCE, TEST] });
    pipeline.sites.endIn('prove-old-head', 'npm test', RED);
    pipeline.sites.endIn('prove-alone', ALONE, RED);

    await pipeline.runFixup();

    expect(JSON.stringify(outcomeOf(pipeline))).toContain('the changes of the tests alone made it so');
    expect(pipeline.git.pushed).toEqual([]);
  });

  it('not where the third run is green once and red once: then nothing is known', async () => {
    const pipeline = await startRed({ changes: [SOURCE, TEST] });
    for (const site of ['prove-old-head', 'prove-tests-only-again']) pipeline.sites.endIn(site, 'npm test', RED);
    pipeline.sites.endIn('prove-alone', ALONE, RED);

    await pipeline.runFixup();

    expect(proofOf(pipeline)).toMatchObject({ verdict: 'unknown' });
  });

  it('where the tests as they were fail over the result, twice', async () => {
    const pipeline = await startRed({ changes: [SOURCE, TEST] });
    for (const site of ['prove-old-head', 'prove-old-tests', 'prove-old-tests-again', 'prove-tests-only']) {
      pipeline.sites.endIn(site, 'npm test', RED);
    }
    pipeline.sites.endIn('prove-alone', ALONE, RED);

    await pipeline.runFixup();

    expect(JSON.stringify(outcomeOf(pipeline))).toContain('The change passes only its own tests');
    expect(pipeline.git.pushed).toEqual([]);
  });

  it('not where the tests as they were fail once of two runs', async () => {
    const pipeline = await startRed({ changes: [SOURCE, TEST] });
    for (const site of ['prove-old-head', 'prove-old-tests', 'prove-tests-only']) {
      pipeline.sites.endIn(site, 'npm test', RED);
    }
    pipeline.sites.endIn('prove-alone', ALONE, RED);

    await pipeline.runFixup();

    expect(proofOf(pipeline)).toMatchObject({ verdict: 'proven', notes: [] });
    expect(pipeline.git.pushed).toHaveLength(1);
  });

  it('where fewer tests run than before', async () => {
    const pipeline = await startRed();
    pipeline.sites.endIn('prove-old-head', 'npm test', { ...RED, stdoutTail: '1 failed, 12 passed in 0.12s' });

    await pipeline.runFixup();

    expect(JSON.stringify(outcomeOf(pipeline))).toContain('ran 13 tests before the change and 12 with it');
    expect(pipeline.git.pushed).toEqual([]);
  });
});

describe('the time of a proof', () => {
  it('is that of a validation: what did not run proves nothing, and refuses nothing', async () => {
    const pipeline = await startRed({ changes: [SOURCE, TEST] });
    const { deadlineAt = 0 } = pipeline.liveSession() ?? {};
    pipeline.sites.during('npm test', () => {
      pipeline.sites.during('npm test', () => pipeline.clock.advance(deadlineAt - pipeline.clock.now() - MINUTE_MS));
    });
    pipeline.sites.endIn('prove-old-head', 'npm test', RED);

    await pipeline.runFixup();

    expect(provenIn(pipeline)).toEqual(['prove-old-head: npm test']);
    expect(pipeline.git.pushed).toHaveLength(1);
    expect(proofOf(pipeline)).toMatchObject({
      verdict: 'unknown',
      oldHead: { exitCode: 1 },
      withoutSource: { timedOut: true },
    });
  });
});

describe('a review', () => {
  const QUOTE = 'It is red:\n```\nFAILED tests/test_a.py::test_adds - assert 1 == 2\n```';

  async function startAsked(body: string, changes: readonly ReturnType<typeof aChange>[]): Promise<Pipeline> {
    const talk = aTalk('thread-1');
    const [comment] = talk.comments;
    const pipeline = await startReviewed({
      threads: [{ ...talk, comments: comment === undefined ? [] : [{ ...comment, body }] }],
    });
    pipeline.git.texts({
      head: { 'package.json': '{"scripts":{"test":"pytest"}}', 'src/a.py': '', 'tests/test_a.py': '' },
    });
    pipeline.git.agentLeaves({ changes, patch: '' });
    pipeline.agent.answerItems({ status: 'fixed' });
    return pipeline;
  }

  it('that quotes a failed test is proven by it', async () => {
    const pipeline = await startAsked(QUOTE, [SOURCE]);
    pipeline.sites.endIn('prove-others', ALONE, RED);
    pipeline.sites.endIn('prove-alone', ALONE, RED);

    await pipeline.runFixup();

    expect(proofOf(pipeline)).toMatchObject({ verdict: 'proven', command: ALONE });
  });

  it('that names no test has no proof, and may ask for tests alone', async () => {
    const pipeline = await startAsked('Please add a test.', [aChange({ path: 'tests/test_b.py', kind: 'added' })]);

    await pipeline.runFixup();

    expect(pipeline.git.pushed).toHaveLength(1);
    expect(proofOf(pipeline)).toMatchObject({ verdict: null, hasTests: true });
  });

  it('may ask for another behaviour: tests as they were that fail are told, and hold nothing (S29)', async () => {
    const pipeline = await startAsked('It should say Hello.', [SOURCE, TEST]);
    for (const site of ['prove-old-tests', 'prove-old-tests-again']) pipeline.sites.endIn(site, 'npm test', RED);

    await pipeline.runFixup();

    expect(pipeline.git.pushed).toHaveLength(1);
    expect(proofOf(pipeline)).toMatchObject({
      verdict: null,
      notes: [expect.stringContaining('With the tests as they were')],
    });
  });
});
