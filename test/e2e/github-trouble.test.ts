import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { APP_PERMISSIONS } from '../../world/render/accounts.ts';
import { AT_ONCE, MANY_SLOTS, type Stage, setStage } from '../support/e2e.ts';
import { REPAIR, WRITER } from '../support/red-repository.ts';
import { openStory, type Place, type Story } from '../support/story.ts';

/** Each wait of the agent has the name of its story. */
const STORIES = ['limited', 'cut'] as const;
const SCRIPT = {
  cases: STORIES.map((name) => ({ when: { prompt: name }, steps: [REPAIR, { do: 'wait', for: name }] })),
  steps: [REPAIR],
};

let stage: Stage;
let place: Place;

beforeAll(async () => {
  stage = await setStage();
  place = { world: stage.world, ratchet: await stage.start({ script: SCRIPT, env: MANY_SLOTS }) };
});

afterAll(async () => {
  await stage.close();
});

/** It cost time only: one launch, one run of the agent, one push, no person. */
function expectGreenAtOnce(story: Story): void {
  expect(story.lines('fixup launched')).toHaveLength(1);
  expect(story.lines('agent started')).toHaveLength(1);
  expect(story.pushes()).toHaveLength(1);
  expect(story.lines('check run updated').map((line) => line['conclusion'])).not.toContain('action_required');
  expect(story.codes()).not.toContain('STOPPED_SAME_CAUSE');
}

function titles(story: Story): readonly string[] {
  return story.lines('check run updated').map((line) => String(line['title']));
}

describe.concurrent('an App with a repository whose GitHub is in trouble', AT_ONCE, () => {
  it('by git that fails at every fetch and push for a while: told, and green without a person', async () => {
    const { world } = stage;
    const story = await openStory(place, { name: 'outage' });
    const isFetch = ({ path }: { readonly path: string }): boolean => path.endsWith(`${story.repo}.git/info/refs`);
    const isPush = ({ path }: { readonly path: string }): boolean => path.endsWith('/git-receive-pack');
    for (const fault of [{ status: 500 }, { status: 200, as: 'page' }, { status: 503 }] as const) {
      world.faults.failRequests({ times: 1, ...fault, matches: isFetch });
    }
    world.faults.failRequests({ times: 1, status: 403, as: 'page', matches: isPush });
    world.faults.rejectPushes(story.repo, { times: 1, reason: 'Internal Server Error' });
    story.enable();

    await story.untilConcluded('success');

    expectGreenAtOnce(story);
    expect(titles(story)).toContainEqual(expect.stringMatching(/^Waiting for GitHub · attempt 1 of/));
  });

  it('by refs and commits that lag behind the API', async () => {
    const { world } = stage;
    const story = await openStory(place, { name: 'lagging' });
    const refs = ['refs/heads/feature', 'refs/pull'];
    world.faults.lagRefs(story.repo, { times: 4, refs, hasCommits: false });
    story.enable();

    await story.untilConcluded('success');

    expectGreenAtOnce(story);
  });

  it('by a permission that is withdrawn while the agent works: a person is asked, with GitHub’s reason', async () => {
    const { world } = stage;
    const story = await openStory(place, { name: 'cut' });
    story.enable();
    await story.untilLine('agent started');
    world.setAppPermissions(story.repo, { ...APP_PERMISSIONS, contents: 'read' });
    await place.ratchet.release('cut');

    const summary = await story.untilConcluded('action_required');

    expect(summary).toContain('The permissions requested are not granted to this installation');
    expect(story.lines('fixup launched')).toHaveLength(1);
    expect(story.pushes()).toEqual([]);
    expect(story.lines('fixup completed').map((line) => line['exitReason'])).toEqual(['superseded']);
  });
});

// One after the other: these troubles are of GitHub as a whole.
describe('an App whose GitHub is in trouble', () => {
  afterEach(() => {
    stage.world.faults.clear();
  });

  it('by a limit of GraphQL in the middle of a fixup: what the agent made is kept, and pushed once it is over', async () => {
    const { world } = stage;
    const story = await openStory(place, { name: 'limited' });
    story.enable();
    await story.untilLine('agent started');
    world.faults.limitGraphql({ times: 6, retryAfterSeconds: 1 });
    await place.ratchet.release('limited');

    await story.untilConcluded('success');

    expectGreenAtOnce(story);
    expect(world.faults.takeGraphqlTrouble(0)).toBeNull();
  });

  it('by tokens that are not known everywhere yet, and another time', async () => {
    const { world } = stage;
    world.faults.hideNewTokens(700);
    world.faults.skewClock(90 * 60_000);
    const story = await openStory(place, { name: 'young' });
    story.enable();

    await story.untilConcluded('success');

    expectGreenAtOnce(story);
    expect(story.lines('run interrupted')).toEqual([]);
  });

  it('by a look that fails: the open check run and `status` say what Ratchet waits for', async () => {
    const { world } = stage;
    world.faults.pauseCi();
    const story = await openStory(place, { name: 'unread' });
    story.enable();
    await story.untilCode('CI_RUNNING');
    await story.untilLine('check run updated');
    world.faults.failQueries({ times: 400 });
    world.comment({ ...story, login: WRITER, body: '/ratchet status' });

    await world.until(() => story.ownComments().length > 0, { what: 'an answer' });

    expect(
      story
        .ownComments()
        .map(({ body }) => body)
        .join('\n'),
    ).toContain('Waiting for GitHub');
    expect(await story.title()).toBe('Waiting for GitHub');
    world.faults.clear();
    await story.untilConcluded('success');
    expectGreenAtOnce(story);
  });
});
