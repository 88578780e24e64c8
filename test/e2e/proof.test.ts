import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AT_ONCE, MANY_SLOTS, type Stage, setStage } from '../support/e2e.ts';
import {
  openRedPullRequest,
  ownPushes,
  QUICK_POLICY,
  REPAIR,
  type RedOptions,
  type RedPullRequest,
  TEST_COMMAND,
  toWorkflow,
  untilConcluded,
  WRITER,
} from '../support/red-repository.ts';

const success = { do: 'result', status: 'success' };
const SUM_TEST = 'sum.test.mjs';
const ACTUAL = 'const actual = sum(2, 3);';
const MORE = `${ACTUAL}\nif (sum(1, 1) !== 2) throw new Error('one and one');`;

/** The validation names no file that a test is in, so a change may touch them. */
const VALIDATION = 'node check.mjs';
const ALL_TESTS = { 'check.mjs': "import './sum.test.mjs';\n" };

/** Red only where a step of CI left its mark: that is no place that Ratchet has. */
const ONLY_IN_CI = `import { existsSync } from 'node:fs';
import { sum } from './sum.mjs';

const actual = sum(2, 3);
if (existsSync('in-ci') && actual !== 5) {
  console.error(\`✖ adds: \${actual} !== 5\`);
  process.exitCode = 1;
}
`;

/** What the agent does, by the name of the pull request. */
const STEPS: Readonly<Record<string, readonly object[]>> = {
  'fix-with-a-test': [REPAIR, { do: 'edit', file: SUM_TEST, find: ACTUAL, replace: MORE }, success],
  'fix-of-the-test': [{ do: 'edit', file: SUM_TEST, find: 'sum(2, 3)', replace: 'sum(2, -3)' }, success],
  'fix-by-the-tests-alone': [
    { do: 'edit', file: SUM_TEST, find: 'sum(2, 3)', replace: 'sum(2, -3)' },
    { do: 'write', file: 'notes.mjs', text: 'export const note = 1;\n' },
    success,
  ],
  'fix-of-what-is-red-elsewhere': [REPAIR, success],
};

describe.concurrent('a fix is proven by runs on the trees around it, and the check run shows them', AT_ONCE, () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await setStage();
    const cases = Object.entries(STEPS).map(([name, steps]) => ({ when: { prompt: name }, steps }));
    await stage.start({ script: { cases, steps: [{ do: 'crash', exitCode: 99 }] }, env: MANY_SLOTS });
  });

  afterAll(async () => {
    await stage.close();
  });

  async function open(name: string, files: RedOptions['files'] = {}): Promise<RedPullRequest> {
    const own = { files: { ...ALL_TESTS, ...files }, policy: QUICK_POLICY.replace(TEST_COMMAND, VALIDATION) };
    const red = await openRedPullRequest(stage.world, { ...own, owner: name, name, title: name });
    stage.world.comment({ ...red, login: WRITER, body: '/ratchet enable' });
    return red;
  }

  it('red, green, and red again without all but its tests: three exit codes', async () => {
    const red = await open('fix-with-a-test');

    const summary = await untilConcluded(stage.world, red, 'success');

    expect(summary).toContain('These tests pass');
    expect(summary).toContain('- at the old head: exit code 1');
    expect(summary).toContain('- with the change: exit code 0');
    expect(summary).toContain('- with all but its test files reverted: exit code 1');
    expect(summary).not.toMatch(/\bcorrect\b/u);
    expect(ownPushes(stage.world, red.repo)).toHaveLength(1);
  });

  it('a change of nothing but tests is held for a person: nothing is pushed', async () => {
    const red = await open('fix-of-the-test');
    const redHead = await stage.world.headSha(red.repo, red.number);

    const summary = await untilConcluded(stage.world, red, 'action_required');

    expect(summary).toContain('nothing but tests');
    expect(ownPushes(stage.world, red.repo)).toEqual([]);
    expect(await stage.world.headSha(red.repo, red.number)).toBe(redHead);
  });

  it('a change of tests with code that does nothing is held, with both reasons', async () => {
    const red = await open('fix-by-the-tests-alone');

    const summary = await untilConcluded(stage.world, red, 'action_required');

    expect(summary).toContain('the changes of the tests alone made it so');
    expect(summary).toContain('passes only its own tests');
    expect(summary).toContain('/ratchet accept');
    expect(ownPushes(stage.world, red.repo)).toEqual([]);
  });

  it('what is red in CI alone is pushed as not reproduced, not proven', async () => {
    const workflow = toWorkflow('[push, pull_request]').replace(
      '      - run:',
      '      - run: touch in-ci\n      - run:',
    );
    const red = await open('fix-of-what-is-red-elsewhere', {
      [SUM_TEST]: ONLY_IN_CI,
      '.github/workflows/ci.yml': workflow,
    });

    const summary = await untilConcluded(stage.world, red, 'success');

    expect(summary).toContain('not reproduced here, not proven');
    expect(summary).toContain('at the old head: exit code 0.');
    expect(summary).not.toContain('These tests pass');
  });
});
