import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aScene, CI_WORKFLOW, type Scene } from './a-world.ts';
import { at, rest } from './app-client.ts';
import { type Received, type Receiver, startReceiver } from './receiver.ts';

let scene: Scene;
let receiver: Receiver;
let number: number;
let opening: readonly string[];

beforeAll(async () => {
  receiver = await startReceiver();
  const files = { '.github/workflows/ci.yml': CI_WORKFLOW, 'check.js': 'process.exit(1);\n' };
  scene = await aScene(files, { webhookUrl: receiver.url });
  const { world, repo } = scene;
  await world.commit({ repo, branch: 'feature', files: { 'a.txt': 'changed\n' }, login: 'ann' });
  number = await world.openPullRequest({ repo, head: 'feature', login: 'ann' });
  await world.settled();
  opening = receiver.names();
});

afterAll(async () => {
  await scene.world.close();
  receiver.close();
});

/** Does something and returns what was delivered because of it, by event name. */
async function deliveredBy(act: () => unknown): Promise<ReadonlyMap<string, Received>> {
  await scene.world.settled();
  const before = receiver.received.length;
  await act();
  await scene.world.settled();
  return new Map(receiver.received.slice(before).map((delivery) => [delivery.name, delivery]));
}

describe('a delivery', () => {
  it('is signed, numbered and addressed as GitHub’s are', async () => {
    const delivered = await deliveredBy(() =>
      scene.world.comment({ repo: scene.repo, number, body: 'hi', login: 'ann' }),
    );

    const comment = delivered.get('issue_comment.created');
    const expected = createHmac('sha256', scene.world.app.webhookSecret)
      .update(comment?.text ?? '')
      .digest('hex');
    const header = (name: string): string => String(comment?.headers[name]);
    expect(header('x-hub-signature-256')).toBe(`sha256=${expected}`);
    expect(header('x-github-event')).toBe('issue_comment');
    expect(header('x-github-delivery')).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u,
    );
    expect(header('x-github-hook-id')).toMatch(/^\d+$/u);
    expect(header('user-agent')).toMatch(/^GitHub-Hookshot\//u);
  });

  it('names the installation, repository and sender', async () => {
    const delivered = await deliveredBy(() =>
      scene.world.comment({ repo: scene.repo, number, body: 'hi', login: 'ann' }),
    );

    const payload = delivered.get('issue_comment.created')?.payload;
    expect(at(payload, 'installation', 'id')).toBe(scene.installationId);
    expect(at(payload, 'repository', 'full_name')).toBe('acme/widget');
    expect(at(payload, 'sender', 'login')).toBe('ann');
  });
});

describe('the events', () => {
  it('of opening a pull request with CI come in GitHub’s order', () => {
    expect(opening).toEqual([
      'installation.created',
      'push',
      'check_suite.requested',
      'pull_request.opened',
      'workflow_run.requested',
      'check_run.created',
      'workflow_job.queued',
      'workflow_run.in_progress',
      'workflow_job.in_progress',
      'check_run.completed',
      'check_suite.completed',
      'workflow_job.completed',
      'workflow_run.completed',
    ]);
  });

  it('of a push name the old and new head', async () => {
    const before = await scene.world.headSha(scene.repo, number);

    const delivered = await deliveredBy(async () => {
      await scene.world.commit({ repo: scene.repo, branch: 'feature', files: { 'b.txt': 'b\n' }, login: 'ann' });
    });

    const after = await scene.world.headSha(scene.repo, number);
    expect(delivered.get('pull_request.synchronize')?.payload).toMatchObject({
      before,
      after,
      pull_request: { head: { sha: after } },
    });
    expect(delivered.get('push')?.payload).toMatchObject({
      ref: 'refs/heads/feature',
      forced: false,
      commits: [{ added: ['b.txt'] }],
    });
  });

  it('of a comment say that the issue is a pull request', async () => {
    const { world, repo } = scene;

    const delivered = await deliveredBy(() => {
      const id = world.comment({ repo, number, body: 'one', login: 'ann' });
      world.editComment({ id, body: 'two', login: 'ann' });
      world.deleteComment({ id, login: 'ann' });
    });

    expect([...delivered.keys()]).toEqual(['issue_comment.created', 'issue_comment.edited', 'issue_comment.deleted']);
    expect(at(delivered.get('issue_comment.created')?.payload, 'issue', 'pull_request', 'url')).toContain(
      `/pulls/${number}`,
    );
    expect(at(delivered.get('issue_comment.edited')?.payload, 'changes', 'body', 'from')).toBe('one');
  });

  it('of reviews and threads have the state in small letters', async () => {
    const { world, repo } = scene;

    const delivered = await deliveredBy(async () => {
      const threadId = await world.reviewComment({ repo, number, path: 'a.txt', line: 1, body: 'why', login: 'rob' });
      await world.reply({ threadId, body: 'because', login: 'ann' });
      await world.resolveThread({ threadId, login: 'rob' });
      await world.unresolveThread({ threadId, login: 'rob' });
      const id = await world.review({ repo, number, state: 'CHANGES_REQUESTED', body: 'no', login: 'rob' });
      await world.editReview({ id, body: 'no!', login: 'rob' });
      await world.dismissReview({ id, login: 'acme' });
    });

    expect([...delivered.keys()].sort()).toEqual([
      'pull_request_review.dismissed',
      'pull_request_review.edited',
      'pull_request_review.submitted',
      'pull_request_review_comment.created',
      'pull_request_review_thread.resolved',
      'pull_request_review_thread.unresolved',
    ]);
    expect(at(delivered.get('pull_request_review.submitted')?.payload, 'review', 'state')).toBe('changes_requested');
  });

  it('of a pull request cover labels, drafts, edits, auto-merge, closing and reopening', async () => {
    const { world, repo } = scene;

    const delivered = await deliveredBy(async () => {
      await world.label({ repo, number, name: 'ratchet' });
      await world.unlabel({ repo, number, name: 'ratchet' });
      await world.setDraft({ repo, number, draft: true });
      await world.setDraft({ repo, number, draft: false });
      await world.editPullRequest({ repo, number, title: 'A better title' });
      await world.setAutoMerge({ repo, number, on: true });
      await world.setAutoMerge({ repo, number, on: false });
      await world.closePullRequest({ repo, number });
      await world.reopenPullRequest({ repo, number });
    });

    const actions = [...delivered.keys()].filter((name) => name.startsWith('pull_request.'));
    expect(actions.map((name) => name.replace('pull_request.', ''))).toEqual([
      'labeled',
      'unlabeled',
      'converted_to_draft',
      'ready_for_review',
      'edited',
      'auto_merge_enabled',
      'auto_merge_disabled',
      'closed',
      'reopened',
    ]);
  });

  it('of statuses and checks by others arrive', async () => {
    const { world, repo } = scene;

    const delivered = await deliveredBy(async () => {
      await world.setStatus({ repo, at: number, context: 'ci/other', state: 'failure' });
      await world.setCheck({ repo, at: number, name: 'lint', conclusion: null });
      await world.setCheck({ repo, at: number, name: 'lint', conclusion: 'success' });
    });

    expect(at(delivered.get('status')?.payload, 'context')).toBe('ci/other');
    expect(at(delivered.get('check_run.completed')?.payload, 'check_run', 'app', 'slug')).toBe('other-ci');
    expect(at(delivered.get('check_run.completed')?.payload, 'check_run', 'pull_requests', 0, 'number')).toBe(number);
  });

  it('of a button and a re-run go to the app that owns the check run', async () => {
    const { world, repo, token } = scene;
    const created = await rest(world, token, `POST /repos/${repo}/check-runs`, {
      name: 'Ratchet',
      head_sha: await world.headSha(repo, number),
      conclusion: 'neutral',
      actions: [{ label: 'Pause', description: 'Pause Ratchet here', identifier: 'pause' }],
    });
    const mine = Number(at(created.body, 'id'));
    const other = await world.setCheck({ repo, at: number, name: 'theirs', conclusion: 'failure' });

    const delivered = await deliveredBy(async () => {
      await world.clickButton(mine, 'pause', 'ann');
      await world.rerunCheck(mine, 'ann');
      await world.rerunCheck(other, 'ann');
    });

    expect([...delivered.keys()]).toEqual(['check_run.requested_action', 'check_run.rerequested']);
    expect(delivered.get('check_run.requested_action')?.payload).toMatchObject({
      requested_action: { identifier: 'pause' },
      check_run: { id: mine },
      sender: { login: 'ann' },
    });
  });

  it('of installing cover repositories, suspension and removal; a suspended App hears nothing', async () => {
    const { world, repo } = scene;
    const second = await world.createRepository({ owner: 'acme', name: 'second' });

    const delivered = await deliveredBy(() => {
      world.installApp(second);
      world.removeFromInstallation(second);
      world.suspendApp(repo);
      world.comment({ repo, number, body: 'unheard', login: 'ann' });
      world.unsuspendApp(repo);
      world.uninstallApp(repo);
    });

    expect([...delivered.keys()]).toEqual([
      'installation_repositories.added',
      'installation_repositories.removed',
      'installation.suspend',
      'installation.unsuspend',
      'installation.deleted',
    ]);
  });

  it('hold nothing of the recorded examples’ people and places', () => {
    const strange = receiver.received.filter(({ text }) => /codertocat|octocat|hello-world|github\.com/iu.test(text));

    expect(strange.map(({ name }) => name)).toEqual([]);
  });

  it('were all valid by GitHub’s published schemas, and all were delivered', () => {
    expect(scene.world.violations).toEqual([]);
    expect(new Set(scene.world.deliveries.map(({ outcome, status }) => `${outcome} ${status ?? ''}`))).toEqual(
      new Set(['sent 200']),
    );
  });
});
