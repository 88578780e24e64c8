import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type JsonObject, objectAt, objectsAt, parseJson, stringAt } from '../../world/json.ts';
import { AT_ONCE, MANY_SLOTS, type Stage, setStage } from '../support/e2e.ts';
import { type Ratchet, runRatchet } from '../support/ratchet-process.ts';
import { QUICK_POLICY, RED_IN_CI_ONLY, REPAIR, TEST_COMMAND, toWorkflow, WRITER } from '../support/red-repository.ts';
import { openStory, type Place } from '../support/story.ts';

const ADMIN_TOKEN = 'token-of-the-loop-tests';
const HARMLESS = { 'note.txt': 'hello\n' };
/** CI runs once for each head: that another run comes late cannot make it another failure. */
const ONE_RUN = { '.github/workflows/ci.yml': toWorkflow('[pull_request]') };
const HALF_A_FIX = { do: 'write', file: 'note.txt', text: 'no help\n' };

/** The validation proves nothing: what is pushed may leave CI red. */
const LAX_POLICY = QUICK_POLICY.replace(TEST_COMMAND, 'exit 0');

/** By the title of the pull request, which is its story's name. */
const SCRIPT = {
  cases: [
    {
      when: { prompt: 'path-filter' },
      steps: [{ do: 'write', file: 'offset.mjs', text: 'export const offset = 0;\n' }],
    },
    { when: { prompt: 'disabled-mid-flight' }, steps: [REPAIR, { do: 'wait', for: 'disabled-mid-flight' }] },
    { when: { prompt: 'other-ci' }, steps: [HALF_A_FIX] },
    { when: { prompt: 'CI fails in exactly the same way' }, steps: [REPAIR] },
    { when: { prompt: 'same-failure' }, steps: [HALF_A_FIX] },
  ],
  steps: [REPAIR],
};

describe.concurrent('the loop, from event to event', AT_ONCE, () => {
  let stage: Stage;
  let ratchet: Ratchet;
  let place: Place;

  beforeAll(async () => {
    stage = await setStage();
    ratchet = await stage.start({ script: SCRIPT, env: { ...MANY_SLOTS, RATCHET_ADMIN_TOKEN: ADMIN_TOKEN } });
    place = { world: stage.world, ratchet };
  });

  afterAll(async () => {
    await stage.close();
  });

  async function askAdmin(
    method: string,
    path: string,
    body?: object,
  ): Promise<{ readonly status: number; readonly body: JsonObject }> {
    const answer = await fetch(`${ratchet.url}/api/admin/${path}`, {
      method,
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: parseJson(await answer.text()) };
  }

  it('waits after its push until CI has started on it, and takes the old red for nothing (002.R20, R34, traps 7 and 74)', {
    concurrent: false,
  }, async () => {
    const { world } = stage;
    const story = await openStory(place, { name: 'slow-registration' });
    await story.untilCiEnded();
    world.faults.delayCiRegistration(4_000);
    story.enable();

    await story.untilConcluded('success');
    world.faults.delayCiRegistration(0);

    const codes = story.codes();
    expect(codes.filter((code) => code === 'CI_FAILED')).toHaveLength(1);
    expect(codes.indexOf('STALE_CI_RUN')).toBeGreaterThan(codes.indexOf('CI_FAILED'));
    expect(codes.at(-1)).toBe('ALL_GREEN');
    expect(story.lines('fixup launched')).toHaveLength(1);
    expect(story.pushes()).toHaveLength(1);
    expect(story.lines('observed').map((line) => line['observation'])).toEqual([
      'head_first_seen',
      'own_push_seen',
      'ci_picked_up',
    ]);
  });

  it('asks a person when CI never picks its push up, and calls that neither red nor green (002.R8, R34, S4, trap 48)', async () => {
    const story = await openStory(place, {
      name: 'path-filter',
      policy: QUICK_POLICY.replace('staleTimeoutSeconds: 30', 'staleTimeoutSeconds: 2'),
      files: {
        '.github/workflows/ci.yml': toWorkflow('{ push: { paths: [sum.mjs] } }'),
        'offset.mjs': 'export const offset = 1;\n',
      },
      change: {
        'sum.mjs':
          "import { offset } from './offset.mjs';\nexport function sum(left, right) {\n  return left + right + offset;\n}\n",
      },
    });
    story.enable();

    await story.untilCode('STALE_CI_TIMEOUT');
    const summary = await story.untilConcluded('action_required');

    expect(summary).toContain('CI did not start');
    expect(summary).toContain('Attempts used: 1 of 3');
    expect(story.codes()).not.toContain('ALL_GREEN');
    expect(story.lines('fixup launched')).toHaveLength(1);
    expect(story.pushes()).toHaveLength(1);
  });

  it('waits while a person is at work on the pull request, and goes on when the session ends (002.R7, R34, S6, S12)', async () => {
    const { world } = stage;
    const story = await openStory(place, { name: 'person-at-work' });
    await story.untilCiEnded();
    const announced = await askAdmin('POST', 'sessions', {
      repository: story.repo,
      number: story.number,
      label: 'ann',
    });
    expect(announced).toMatchObject({
      status: 201,
      body: { session: { kind: 'user', status: 'working', label: 'ann' } },
    });
    story.enable();

    await story.untilCode('WORKING_SESSION');
    await world.until(async () => (await story.title()) === 'Waiting · `ann` is working', {
      what: 'the wait to be told',
    });
    expect(story.lines('fixup launched')).toEqual([]);
    const id = stringAt(objectAt(announced.body, 'session'), 'id') ?? '';
    expect(await askAdmin('DELETE', `sessions/${id}`)).toMatchObject({ status: 200 });
    await story.untilConcluded('success');

    expect(story.lines('fixup launched')).toHaveLength(1);
    expect(story.pushes()).toHaveLength(1);
  });

  it('lets a fixup end that is under way when it is disabled, pushes nothing, and cleans up (002.R10, R29, R34, S9)', async () => {
    const { world } = stage;
    const story = await openStory(place, { name: 'disabled-mid-flight' });
    story.enable();
    await story.untilLine('agent started');

    world.comment({ ...story, login: WRITER, body: '/ratchet disable' });
    await story.untilLine('command carried out', { command: 'disable' });
    expect(story.lines('fixup completed')).toEqual([]);
    await ratchet.release('disabled-mid-flight');
    const ended = await story.untilLine('fixup completed');
    await story.untilConcluded('neutral');

    expect(ended).toMatchObject({ pushed: false, exitReason: 'superseded' });
    expect(story.codes().at(-1)).toBe('DISABLED');
    expect(story.pushes()).toEqual([]);
    expect(await readdir(join(ratchet.dataDir, 'artifacts', String(ended['sessionId'])))).not.toEqual([]);
    await world.until(
      async () => !(await readdir(join(ratchet.dataDir, 'sessions'))).includes(String(ended['sessionId'])),
      {
        what: "the session's folder to go",
      },
    );

    story.enable();
    await story.untilConcluded('success');

    expect(story.lines('fixup launched').map((line) => line['attempt'])).toEqual([1, 1]);
    expect(story.pushes()).toHaveLength(1);
  });

  it('keeps looking after its last attempt: what a person turns green is done, with a fresh budget (002.R19, R34, trap 4)', async () => {
    const { world } = stage;
    const story = await openStory(place, {
      name: 'other-ci',
      policy: `maxAttempts: 1\n${QUICK_POLICY.replace('ci:\n', 'ci:\n  required: [lint]\n')}`,
      change: HARMLESS,
    });
    const lint = async (conclusion: 'failure' | 'success'): Promise<void> => {
      await world.setCheck({ repo: story.repo, at: story.branch, name: 'lint', conclusion });
    };
    await lint('failure');
    story.enable();
    await world.until(() => story.pushes().length === 1, { what: 'the push' });
    await lint('failure');
    await story.untilConcluded('action_required');
    expect(story.codes().at(-1)).toBe('ATTEMPTS_EXHAUSTED');

    await lint('success');
    const summary = await story.untilConcluded('success');

    expect(story.codes().slice(-1)).toEqual(['ALL_GREEN']);
    expect(summary).toContain('State of the pull request');
    expect(story.lines('fixup launched')).toHaveLength(1);
    expect(story.pushes()).toHaveLength(1);
  });

  it('launches nothing for what a person has taken back (S19)', async () => {
    const { world } = stage;
    const story = await openStory(place, { name: 'taken-back' });
    story.enable();
    await story.untilConcluded('success');

    const reverted = await world.revert({ repo: story.repo, branch: story.branch, login: WRITER });
    const summary = await story.untilConcluded('action_required');

    expect(summary).toContain('The fix was reverted');
    expect(await world.headSha(story.repo, story.number)).toBe(reverted);
    expect(story.pushes()).toHaveLength(1);
    expect(story.lines('fixup completed').map((line) => line['exitReason'])).toEqual(['pushed']);
  });

  it('tells the next agent that the last fixup changed nothing about the failure (002.R31)', async () => {
    const story = await openStory(place, {
      name: 'same-failure',
      policy: LAX_POLICY,
      files: { ...ONE_RUN, ...RED_IN_CI_ONLY },
    });
    story.enable();

    await story.untilConcluded('success');

    expect(story.pushes()).toHaveLength(2);
    expect(story.lines('fixup launched').map((line) => line['attempt'])).toEqual([1, 2]);
  });

  it('stores with each decision what leads to it again, for `ratchet explain decision` and `ratchet log --verify` (002.R22, L19)', async () => {
    const story = await openStory(place, { name: 'explained', policy: `mode: observe\n${QUICK_POLICY}` });
    story.enable();
    await story.untilCode('OBSERVE_ONLY');

    const path = `transitions?repository=${encodeURIComponent(story.repo)}&number=${String(story.number)}`;
    const { body } = await askAdmin('GET', path);
    const decided = objectsAt(body, 'transitions').filter(({ snapshot }) => snapshot !== null);

    expect(decided.map((line) => stringAt(line, 'code'))).toContain('OBSERVE_ONLY');
    for (const line of decided) {
      const { action, code, reason, snapshot } = line;
      const { stdout, exitCode } = await runRatchet(['explain', 'decision'], JSON.stringify(snapshot));
      expect(exitCode).toBe(0);
      expect(parseJson(stdout)).toEqual({ action, code, reason });
    }

    const env = { RATCHET_URL: ratchet.url, RATCHET_ADMIN_TOKEN: ADMIN_TOKEN };
    const log = await runRatchet(['log', `${story.repo}#${String(story.number)}`, '--verify'], '', env);
    expect(log.exitCode).toBe(0);
    expect(log.stdout).toMatch(/^= .* OBSERVE_ONLY /mu);
  });

  it('asks a person at the same failure where the policy says so (002.R31)', async () => {
    const policy = LAX_POLICY.replace('ci:\n', 'ci:\n  stopOnSameFailure: true\n');
    const story = await openStory(place, {
      name: 'same-failure-stops',
      policy,
      files: { ...ONE_RUN, ...RED_IN_CI_ONLY },
    });
    story.enable();

    const summary = await story.untilConcluded('action_required');

    expect(story.codes().at(-1)).toBe('SAME_FAILURE');
    expect(summary).toContain('CI failed exactly as it did before the last attempt');
    expect(story.pushes()).toHaveLength(1);
  });
});
