import { describe, expect, it } from 'vitest';
import { createPullRequestNames } from '../../../src/compose/name-pull-requests.ts';
import { startLaunched } from '../../support/pipeline-fixture.ts';

describe('the names of a pull request in the log', () => {
  it('are found by its key, by a session of it, and those of a repository by its id', async () => {
    const { store, key, liveSession } = await startLaunched();
    const names = createPullRequestNames();
    names.lookIn(store);
    const pullRequest = { owner: 'acme', name: 'widget', number: 7 };

    expect(names.of({ key })).toEqual(pullRequest);
    expect(names.of({ sessionId: liveSession()?.id })).toEqual(pullRequest);
    // A queue of fixups names them so.
    expect(names.of({ key: liveSession()?.id })).toEqual(pullRequest);
    expect(names.of({ repositoryId: Number(key.split('#')[0]) })).toEqual({ owner: 'acme', name: 'widget' });
  });

  it.each([
    ['what is about none', {}],
    ['a pull request that nobody has told of', { key: '99#1' }],
    ['a base branch that is swept', { key: '10#main' }],
    ['what is no key', { key: 'a b' }],
    ['no text', { key: 7, sessionId: null }],
  ])('are left out for %s', async (_what, fields) => {
    const names = createPullRequestNames();
    names.lookIn((await startLaunched()).store);

    expect(names.of(fields)).toEqual({});
  });

  it('are left out before the database is open, and where it fails: the line is written all the same', async () => {
    const { store, key } = await startLaunched();
    const names = createPullRequestNames();

    expect(names.of({ key })).toEqual({});
    names.lookIn(store);
    store.close();
    expect(names.of({ key })).toEqual({});
  });
});
