import nock from 'nock';
import { describe, expect, it } from 'vitest';
import type { CheckRunContent } from '../../../src/ports/github.ts';
import {
  answerMints,
  api,
  createTestGitHub,
  expectAllAnswersAsked,
  headSha,
  ref,
  repository,
  signal,
} from './github-fixture.ts';

expectAllAnswersAsked();

describe('readChangedFiles', () => {
  const next = { link: `<${api}/x?page=2>; rel="next"` };

  function answerPages(count: number, page: readonly object[]): void {
    answerMints(['ghs_read']);
    for (let nth = 1; nth <= count; nth += 1) {
      nock(api)
        .get('/repos/acme/widget/pulls/3/files')
        .query({ per_page: 100, page: nth })
        .reply(200, page, nth < count ? next : {});
    }
  }

  it('tells what was done to each file, and what a renamed one was called', async () => {
    answerPages(1, [
      { filename: 'a', status: 'added' },
      { filename: 'b', status: 'modified' },
      { filename: 'c', status: 'removed' },
      { filename: 'd', status: 'renamed', previous_filename: 'old' },
      { filename: 'e', status: 'copied', previous_filename: 'b' },
      { filename: 'f', status: 'changed' },
      { filename: 'g', status: 'something new' },
    ]);

    const files = await createTestGitHub().github.readChangedFiles(ref, signal());

    expect(files?.map(({ path, change, previousPath }) => [path, change, previousPath])).toEqual([
      ['a', 'added', null],
      ['b', 'modified', null],
      ['c', 'deleted', null],
      ['d', 'renamed', 'old'],
      ['e', 'added', null],
      ['f', 'modified', null],
      ['g', 'modified', null],
    ]);
  });

  it.each([
    [29, 2_900],
    [30, null],
  ])('of %i whole pages gives %j: GitHub lists no more than 3,000 and does not say so', async (pages, expected) => {
    const page = Array.from({ length: 100 }, (_, nth) => ({ filename: `f${String(nth)}`, status: 'modified' }));
    answerPages(pages, page);

    const files = await createTestGitHub().github.readChangedFiles(ref, signal());

    expect(files === null ? null : files.length).toBe(expected);
  });
});

describe('the update of a check run', () => {
  const content: CheckRunContent = {
    name: 'Ratchet / quality',
    headSha,
    externalId: '186#3:run',
    status: 'completed',
    conclusion: 'failure',
    title: '1 new finding',
    summary: 'one',
    actions: [],
  };
  const annotation = { path: 'a.ts', startLine: 3, endLine: 3, level: 'warning', message: 'no' } as const;

  it('carries columns and title of an annotation where it has them', async () => {
    answerMints(['ghs_write']);
    const sent: unknown[] = [];
    nock(api)
      .patch('/repos/acme/widget/check-runs/9', (body: unknown) => sent.push(body) > 0)
      .reply(200, { id: 9 });
    const annotations = [annotation, { ...annotation, startColumn: 2, endColumn: 5, title: 'rule' }];

    await createTestGitHub().github.updateCheckRun(repository, 9, { ...content, annotations }, signal());

    const plain = { path: 'a.ts', start_line: 3, end_line: 3, annotation_level: 'warning', message: 'no' };
    expect(sent).toMatchObject([
      { output: { annotations: [plain, { ...plain, start_column: 2, end_column: 5, title: 'rule' }] } },
    ]);
  });

  it('is not repeated blindly with annotations, which GitHub would have twice', async () => {
    answerMints(['ghs_write']);
    nock(api).patch('/repos/acme/widget/check-runs/9').reply(502, {});
    const update = { ...content, annotations: [annotation] };

    await expect(createTestGitHub().github.updateCheckRun(repository, 9, update, signal())).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    });
  });

  it('is repeated without any', async () => {
    answerMints(['ghs_write']);
    nock(api).patch('/repos/acme/widget/check-runs/9').reply(502, {});
    nock(api).patch('/repos/acme/widget/check-runs/9').reply(200, { id: 9 });

    await createTestGitHub().github.updateCheckRun(repository, 9, content, signal());
  });
});
