import nock from 'nock';
import { describe, expect, it } from 'vitest';
import {
  answerMints,
  answerQueries,
  api,
  createTestGitHub,
  expectAllAnswersAsked,
  found,
  foundObject,
  headSha,
  named,
  ref,
  sha,
  signal,
} from './github-fixture.ts';

expectAllAnswersAsked();

const fileOf = (text: string): unknown => ({
  object: { __typename: 'Blob', text, isBinary: false, isTruncated: false },
});

/** Policy files at head and base; null: none. */
function aConfigNode(head: string | null, base: string | null, oid: string = headSha): Record<string, unknown> {
  const commit = { oid, policyFile: head === null ? null : fileOf(head) };
  return {
    headRefOid: headSha,
    commits: { nodes: [{ commit }] },
    baseRef: { target: { policyFile: base === null ? null : fileOf(base) } },
  };
}

const organization = {
  name: '.github',
  owner: { login: 'acme' },
  defaultBranchRef: { target: { policyFile: fileOf('mode: suggest') } },
};

describe('readConfigFiles', () => {
  async function read(...answers: readonly unknown[]) {
    answerMints(['ghs_read']);
    answerQueries(...answers);
    return createTestGitHub().github.readConfigFiles(ref, signal());
  }

  it('reads the three files by one query', async () => {
    expect(await read(found(aConfigNode('mode: push', 'mode: observe'), organization))).toEqual({
      headSha,
      headPolicyText: 'mode: push',
      policyText: 'mode: observe',
      organizationPolicyText: 'mode: suggest',
    });
  });

  it('is null for each file that there is not', async () => {
    expect(await read(found({ ...aConfigNode(null, null), baseRef: null }))).toEqual({
      headSha,
      headPolicyText: null,
      policyText: null,
      organizationPolicyText: null,
    });
  });

  it.each([
    ['the pull request is gone', { data: { repository: { ...named, pullRequest: null } } }],
    [
      'the repository is gone',
      { data: { repository: null }, errors: [{ type: 'NOT_FOUND', message: 'x', path: ['repository'] }] },
    ],
  ])('is null where %s', async (_what, answer) => {
    expect(await read(answer)).toBeNull();
  });

  it('reads the head by its name where the list of commits ends elsewhere', async () => {
    const files = await read(
      found(aConfigNode('old', null, sha('d'))),
      foundObject({ oid: headSha, policyFile: fileOf('new') }),
    );

    expect(files?.headPolicyText).toBe('new');
  });

  it('gives no half answer while the head is not readable', async () => {
    const answers = [found(aConfigNode('old', null, sha('d'))), foundObject(null)];

    await expect(read(...answers)).rejects.toMatchObject({ code: 'UNEXPECTED', retry: 'later' });
  });
});

describe('touchesPolicyFile', () => {
  const next = { link: `<${api}/x?page=2>; rel="next"` };

  async function ask(...pages: readonly (readonly object[])[]): Promise<boolean> {
    answerMints(['ghs_read']);
    for (const [index, page] of pages.entries()) {
      nock(api)
        .get('/repos/acme/widget/pulls/3/files')
        .query({ per_page: 100, page: index + 1 })
        .reply(200, page, index + 1 < pages.length ? next : {});
    }
    return createTestGitHub().github.touchesPolicyFile(ref, signal());
  }

  it.each([
    ['changes it', { filename: '.github/ratchet.yml' }, true],
    ['renames it', { filename: 'old.yml', previous_filename: '.github/ratchet.yml' }, true],
    ['makes it of another', { filename: '.github/ratchet.yml', previous_filename: 'new.yml' }, true],
    ['changes one of the same name elsewhere', { filename: 'docs/.github/ratchet.yml' }, false],
    ['changes the one with the other name', { filename: '.github/ratchet.yaml' }, true],
    ['adds one where none is read', { filename: 'ratchet.yml' }, true],
    ['changes another', { filename: '.github/dependabot.yaml' }, false],
  ])('tells whether the pull request %s', async (_what, file, expected) => {
    expect(await ask([{ filename: 'a.ts' }, file])).toBe(expected);
  });

  it('looks at every page, and no further than it must', async () => {
    expect(await ask([{ filename: 'a' }], [{ filename: '.github/ratchet.yml' }])).toBe(true);
    expect(await ask([{ filename: 'a' }], [{ filename: 'b' }])).toBe(false);
    answerMints(['ghs_read']);
    nock(api)
      .get('/repos/acme/widget/pulls/3/files')
      .query({ per_page: 100, page: 1 })
      .reply(200, [{ filename: '.github/ratchet.yml' }], next);
    expect(await createTestGitHub().github.touchesPolicyFile(ref, signal())).toBe(true);
  });
});
