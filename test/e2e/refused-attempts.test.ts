import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AT_ONCE, MANY_SLOTS, type Stage, setStage } from '../support/e2e.ts';
import type { Ratchet } from '../support/ratchet-process.ts';
import {
  openRedPullRequest,
  ownPushes,
  QUICK_POLICY,
  REPAIR,
  type RedOptions,
  TEST_COMMAND,
  untilConcluded,
  WRITER,
} from '../support/red-repository.ts';

interface Case {
  readonly title: string;
  readonly steps: readonly object[];
  /** What the check run tells about it. */
  readonly told: string;
  readonly options?: RedOptions;
}

const success = { do: 'result', status: 'success' };

const CASES: Readonly<Record<string, Case>> = {
  'agent-crashes': {
    title: 'crashes',
    steps: [REPAIR, { do: 'crash', exitCode: 7 }],
    told: 'crashed with exit code 7',
  },
  'agent-floods': {
    title: 'floods its output',
    steps: [REPAIR, { do: 'flood', bytes: 80_000_000 }, success],
    told: 'printed more',
  },
  'agent-prints-nothing': {
    title: 'prints no result',
    steps: [REPAIR, { do: 'none' }],
    told: 'gave no valid result',
  },
  'agent-prints-two': {
    title: 'prints two results',
    steps: [REPAIR, { do: 'two-results' }],
    told: 'gave no valid result',
  },
  'agent-changes-nothing': { title: 'claims success and changes nothing', steps: [success], told: 'changed nothing' },
  'agent-lies': {
    title: 'claims success and repairs nothing',
    steps: [{ do: 'write', file: 'note.txt', text: 'all good\n' }, success],
    told: 'failed validation',
  },
  'agent-touches-ci': {
    title: 'makes CI do nothing',
    steps: [{ do: 'write', file: '.github/workflows/ci.yml', text: 'name: ci\non: push\njobs: {}\n' }, success],
    told: 'touches protected files',
  },
  'agent-weakens-tests': {
    title: 'deletes the failing test',
    steps: [{ do: 'delete', file: 'sum.test.mjs' }, success],
    told: 'the validation command names it',
  },
  'agent-redefines-validation': {
    title: 'redefines what the validation runs',
    steps: [
      { do: 'write', file: 'package.json', text: '{"name":"calculator","type":"module","scripts":{"test":"true"}}\n' },
      success,
    ],
    told: 'scripts',
    options: { policy: QUICK_POLICY.replace(TEST_COMMAND, 'npm test') },
  },
  'agent-leaves-a-daemon': {
    title: 'leaves a process and repairs nothing',
    steps: [{ do: 'spawn-daemon' }, { do: 'write', file: 'note.txt', text: 'x\n' }, success],
    told: 'Nothing was pushed',
  },
  'agent-links-outside': {
    title: 'plants a link to the host',
    steps: [REPAIR, { do: 'symlink', file: 'host', target: '/etc/passwd' }, success],
    told: 'a link, a submodule or an unsafe name',
  },
  'agent-leaks': {
    title: 'writes a secret',
    steps: [REPAIR, { do: 'write', file: 'key.txt', text: `ghp_${'a1B2'.repeat(10)}\n` }, success],
    told: 'what looks like a secret',
  },
  'nothing-to-validate-with': {
    title: 'nothing to validate with',
    steps: [REPAIR, success],
    told: 'Set `validate`',
    options: {
      policy: QUICK_POLICY.slice(0, QUICK_POLICY.indexOf('validate')),
      files: { 'package.json': '{"name":"calculator","type":"module"}\n' },
    },
  },
};

describe.concurrent(
  'an attempt that must not be trusted is refused: nothing is pushed, and the pull request is told why',
  AT_ONCE,
  () => {
    let stage: Stage;
    let ratchet: Ratchet;

    beforeAll(async () => {
      stage = await setStage();
      const cases = Object.entries(CASES).map(([name, { steps }]) => ({ when: { prompt: name }, steps }));
      ratchet = await stage.start({ script: { cases, steps: [{ do: 'crash', exitCode: 99 }] }, env: MANY_SLOTS });
    });

    afterAll(async () => {
      await stage.close();
    });

    it.each(Object.entries(CASES))('%s', async (name, { told, options }) => {
      const { world } = stage;
      const red = await openRedPullRequest(world, { ...options, owner: name, name, title: name });
      const redHead = await world.headSha(red.repo, red.number);
      world.comment({ ...red, login: WRITER, body: '/ratchet enable' });

      const summary = await untilConcluded(world, red, 'action_required');
      await world.until(() => world.comments(red.repo, red.number).length > 1, { what: 'the comment for a person' });

      expect(summary).toContain(told);
      expect(ownPushes(world, red.repo)).toEqual([]);
      expect(await world.headSha(red.repo, red.number)).toBe(redHead);
      expect(world.comments(red.repo, red.number)).toHaveLength(2);
      expect(world.violations).toEqual([]);
    });

    it('counts none of them as an attempt', { concurrent: false }, () => {
      expect(ratchet.lines.filter((line) => line.msg === 'fixup launched').every((line) => line['attempt'] === 1)).toBe(
        true,
      );
    });
  },
);

describe('an agent that hangs', () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await setStage();
  });

  afterAll(async () => {
    await stage.close();
  });

  it('is ended at the time limit, each time counted, until the budget is used up (002.R28, trap 106)', async () => {
    const { world } = stage;
    const ratchet = await stage.start({ script: { steps: [REPAIR, { do: 'hang', ignoreSigterm: true }] } });
    const red = await openRedPullRequest(world, {
      policy: `maxAttempts: 2\nsessionTimeoutMinutes: 0.05\n${QUICK_POLICY}`,
    });
    world.comment({ ...red, login: WRITER, body: '/ratchet enable' });

    const summary = await untilConcluded(world, red, 'action_required');

    expect(summary).toContain('2 of 2 attempts used');
    expect(summary).toContain('ran out of time');
    expect(ratchet.lines.filter((line) => line.msg === 'agent started')).toHaveLength(2);
    expect(ownPushes(world, red.repo)).toEqual([]);
    expect(world.violations).toEqual([]);
  });
});
