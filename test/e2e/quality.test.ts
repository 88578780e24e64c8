import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AT_ONCE, MANY_SLOTS, type Stage, setStage } from '../support/e2e.ts';
import { QUICK_POLICY, WRITER } from '../support/red-repository.ts';
import { openStory, type Place, type Story } from '../support/story.ts';

const NAME = 'Ratchet / quality';
const POLICY = `${QUICK_POLICY}engines:
  todos:
    command: [node, tools/todos.mjs, "{report}"]
    format: jsonl
    emptyMeansClean: true
    required: true
`;
const TODOS = `import { readFileSync, writeFileSync } from 'node:fs';
const lines = readFileSync('notes.txt', 'utf8').split('\\n');
const found = lines.flatMap((message, index) =>
  message.startsWith('TODO') ? [{ path: 'notes.txt', line: index + 1, severity: 'error', message }] : [],
);
writeFileSync(process.argv[2], found.map((one) => JSON.stringify(one) + '\\n').join(''));
process.exitCode = found.length === 0 ? 0 : 1;
`;
const OLD = 'TODO old\nnotes\n';

describe.concurrent('the engines of a pull request', AT_ONCE, () => {
  let stage: Stage;
  let place: Place;

  beforeAll(async () => {
    stage = await setStage();
    place = { world: stage.world, ratchet: await stage.start({ script: { steps: [] }, env: MANY_SLOTS }) };
  });

  afterAll(async () => {
    await stage.close();
  });

  async function untilChecks({ repo, number }: Story, count: number): ReturnType<Stage['world']['checkRuns']> {
    const read = (): ReturnType<Stage['world']['checkRuns']> =>
      stage.world.checkRuns(repo, number, { name: NAME, filter: 'all' });
    await stage.world.until(
      async () => (await read()).filter(({ status }) => status === 'completed').length === count,
      { what: `${String(count)} check runs ${NAME} on ${repo}` },
    );
    return read();
  }

  it('tell what is new, nobody having enabled Ratchet, and run again by a comment after it was accepted', async () => {
    const files = { 'tools/todos.mjs': TODOS, 'notes.txt': OLD };
    const story = await openStory(place, {
      name: 'engines',
      policy: POLICY,
      files,
      change: { 'notes.txt': `${OLD}TODO new\n` },
    });
    const [first] = await untilChecks(story, 1);
    stage.world.comment({ repo: story.repo, number: story.number, login: WRITER, body: '/ratchet rebaseline for now' });
    const checks = await untilChecks(story, 2);

    expect(first).toMatchObject({ conclusion: 'failure', output: { title: '1 new finding' } });
    expect(first?.annotations).toMatchObject([{ path: 'notes.txt', startLine: 3, level: 'failure' }]);
    expect(checks.map(({ conclusion }) => conclusion).toSorted()).toEqual(['failure', 'success']);
    const accepted = checks.find(({ conclusion }) => conclusion === 'success');
    expect(accepted?.output.summary).toContain(`1 by \`${WRITER}\`: for now`);
    expect(story.codes()).toEqual([]);
    expect(story.pushes()).toEqual([]);
  });
});
