import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AT_ONCE, MANY_SLOTS, type Stage, setStage } from '../support/e2e.ts';
import { QUICK_POLICY, WRITER } from '../support/red-repository.ts';
import { openStory, type Place, type Story } from '../support/story.ts';

const QUALITY = 'Ratchet / quality';
const NOTES = 'notes.txt';
const OLD = 'TODO old\nnotes\n';
const NEW = `${OLD}TODO new\n`;

/** An engine of the repository's own; it waits as long as `engine-waits` is there. */
const TODOS = `import { readFileSync, writeFileSync } from 'node:fs';
const lines = readFileSync('notes.txt', 'utf8').split('\\n');
const found = lines.flatMap((message, index) =>
  message.startsWith('TODO') ? [{ path: 'notes.txt', line: index + 1, severity: 'error', message }] : [],
);
writeFileSync(process.argv[2], found.map((one) => JSON.stringify(one) + '\\n').join(''));
process.exitCode = found.length === 0 ? 0 : 1;
`;

const ENGINES = `${QUICK_POLICY}engines:
  todos:
    command: [node, tools/todos.mjs, "{report}"]
    format: jsonl
    emptyMeansClean: true
    required: true
`;
const FIX_ENGINES = `fix: engines\n${ENGINES}`;

const success = { do: 'result', status: 'success' };
const SCRIPT = {
  cases: [
    { when: { prompt: 'loosens' }, steps: [{ do: 'write', file: 'ratchet-baseline.json', text: '{}\n' }, success] },
    {
      when: { prompt: 'silences' },
      steps: [
        { do: 'edit', file: 'tools/todos.mjs', find: "startsWith('TODO')", replace: "startsWith('FIXME')" },
        success,
      ],
    },
    { when: { file: NOTES, contains: 'TODO new' }, steps: [{ do: 'write', file: NOTES, text: OLD }, success] },
  ],
  steps: [{ do: 'crash', exitCode: 99 }],
};

describe.concurrent('new findings of the engines where the policy has them fixed (`fix: engines`)', AT_ONCE, () => {
  let stage: Stage;
  let place: Place;

  beforeAll(async () => {
    stage = await setStage();
    place = { world: stage.world, ratchet: await stage.start({ script: SCRIPT, env: MANY_SLOTS }) };
  });

  afterAll(async () => {
    await stage.close();
  });

  async function open(name: string, policy: string): Promise<Story> {
    const files = { 'tools/todos.mjs': TODOS, [NOTES]: OLD };
    const story = await openStory(place, { name, policy, files, change: { [NOTES]: NEW } });
    story.enable();
    return story;
  }

  /** Waits for the end of the engines at the head. */
  async function untilQuality({ repo, number }: Story, conclusion: string): Promise<void> {
    await stage.world.until(
      async () =>
        (await stage.world.checkRuns(repo, number, { name: QUALITY })).some((check) => check.conclusion === conclusion),
      { what: `${QUALITY} with ${conclusion} on ${repo}` },
    );
  }

  it('become a fixup when the engines have ended: green CI, an agent, one push, and no finding at the new head', async () => {
    const { world } = stage;
    const story = await open('engines-fixed', FIX_ENGINES);

    await untilQuality(story, 'failure');
    await story.untilCode('QUALITY_FINDINGS');
    await world.until(() => story.pushes().length === 1, { what: 'the push' });
    await untilQuality(story, 'success');
    await story.untilConcluded('success');

    expect(story.codes().at(-1)).toBe('ALL_GREEN');
    expect(story.codes().filter((code) => code === 'QUALITY_FINDINGS')).toHaveLength(1);
    expect(story.lines('action determined').find(({ code }) => code === 'QUALITY_FINDINGS')).toMatchObject({
      action: 'FIX_CI',
    });
    expect(story.lines('agent started')).toHaveLength(1);
    expect(story.pushes()).toHaveLength(1);
    expect(await world.fileAt(story.repo, story.number, NOTES)).toBe(OLD);
  });

  it('are told and nothing else without the policy key', async () => {
    const story = await open('engines-told', ENGINES);

    await untilQuality(story, 'failure');
    await story.untilConcluded('success');
    stage.world.comment({ repo: story.repo, number: story.number, login: WRITER, body: '/ratchet why' });
    await stage.world.until(() => story.ownComments().length > 0, { what: 'the answer' });

    expect(story.codes()).not.toContain('QUALITY_FINDINGS');
    expect(story.lines('fixup launched')).toEqual([]);
    expect(story.pushes()).toEqual([]);
  });

  it('are not pushed away by an agent that changes the engine instead', async () => {
    const story = await open('engines-silences', FIX_ENGINES);

    const summary = await story.untilConcluded('action_required');

    expect(story.codes()).toContain('QUALITY_FINDINGS');
    expect(summary).not.toContain('Pushed');
    expect(story.pushes()).toEqual([]);
    await untilQuality(story, 'failure');
  });

  it('come after what CI reports: guard 11 decides first', async () => {
    const story = await openStory(place, {
      ...{ name: 'engines-later', policy: `maxAttempts: 0\n${FIX_ENGINES}` },
      files: { 'tools/todos.mjs': TODOS, [NOTES]: OLD },
      change: { [NOTES]: NEW, 'sum.mjs': 'export function sum(left, right) {\n  return left - right;\n}\n' },
    });
    story.enable();

    await untilQuality(story, 'failure');
    await story.untilConcluded('action_required');

    expect(story.codes()).not.toContain('QUALITY_FINDINGS');
    expect(story.pushes()).toEqual([]);
  });
});
