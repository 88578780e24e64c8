import { describe, expect, it } from 'vitest';
import { toEvent, usedEventNames } from '../../src/webhooks/to-event.ts';
import { readRecordedPayloads, recorded } from './recorded-payloads.ts';

const own = { appId: 4242, botUserId: 99_000_001 };
const payloads = readRecordedPayloads();
const ours = payloads.filter(({ eventName }) => usedEventNames.includes(eventName));

/** `payload` with the value at the dotted `path` replaced. */
function change(payload: unknown, path: string, value: unknown): unknown {
  const copy: unknown = structuredClone(payload);
  const keys = path.split('.');
  const last = keys.pop() ?? '';
  let target: unknown = copy;
  for (const key of keys) target = typeof target === 'object' && target !== null ? Reflect.get(target, key) : undefined;
  if (typeof target === 'object' && target !== null) Reflect.set(target, last, value);
  return copy;
}

function kindOf(eventName: string, payload: unknown): string {
  const mapping = toEvent(eventName, payload, own);
  if (mapping.kind === 'event') return mapping.event.kind;
  return mapping.kind === 'ignored' ? mapping.why : `invalid at ${mapping.where}`;
}

describe('toEvent', () => {
  it('has recorded payloads of every event that is used', () => {
    expect(ours).toHaveLength(94);
    expect(new Set(ours.map(({ eventName }) => eventName))).toEqual(new Set(usedEventNames));
  });

  it('maps every recorded payload as its action says (traps 9, 56 and 131)', () => {
    const table = Object.fromEntries(
      ours.map(({ eventName, action, payload }) => [`${eventName}.${action ?? ''}`, kindOf(eventName, payload)]),
    );

    expect(table).toEqual({
      'check_run.completed': 'ci_changed',
      'check_run.created': 'ci_changed',
      'check_run.requested_action': 'ci_changed',
      'check_run.rerequested': 'ci_changed',
      'check_suite.completed': 'ci_changed',
      'check_suite.requested': 'ci_changed',
      'check_suite.rerequested': 'ci_changed',
      'installation.created': 'installation_changed',
      'installation.deleted': 'installation_changed',
      'installation.new_permissions_accepted': 'installation_changed',
      'installation.suspend': 'installation_changed',
      'installation.unsuspend': 'installation_changed',
      'installation_repositories.added': 'installation_changed',
      'installation_repositories.removed': 'installation_changed',
      'issue_comment.created': 'not_a_pull_request',
      'issue_comment.deleted': 'not_a_pull_request',
      'issue_comment.edited': 'not_a_pull_request',
      'pull_request.assigned': 'unused_action',
      'pull_request.closed': 'pull_request_changed',
      'pull_request.converted_to_draft': 'pull_request_changed',
      'pull_request.labeled': 'pull_request_changed',
      'pull_request.locked': 'unused_action',
      'pull_request.opened': 'pull_request_changed',
      'pull_request.ready_for_review': 'pull_request_changed',
      'pull_request.reopened': 'pull_request_changed',
      'pull_request.review_request_removed': 'unused_action',
      'pull_request.review_requested': 'unused_action',
      'pull_request.synchronize': 'pull_request_changed',
      'pull_request.unassigned': 'unused_action',
      'pull_request.unlabeled': 'pull_request_changed',
      'pull_request.unlocked': 'unused_action',
      'pull_request_review.dismissed': 'review_changed',
      'pull_request_review.submitted': 'review_changed',
      'pull_request_review_comment.created': 'comment_created',
      'pull_request_review_comment.deleted': 'review_changed',
      'pull_request_review_comment.edited': 'review_changed',
      'pull_request_review_thread.resolved': 'review_changed',
      'pull_request_review_thread.unresolved': 'review_changed',
      'push.': 'not_a_branch',
      'status.': 'ci_changed',
      'workflow_run.completed': 'ci_changed',
      'workflow_run.requested': 'ci_changed',
    });
  });

  it('ignores every recorded payload of an event that it does not use', () => {
    const others = payloads.filter(({ eventName }) => !usedEventNames.includes(eventName));

    expect(others.length).toBeGreaterThan(100);
    expect(new Set(others.map(({ eventName, payload }) => kindOf(eventName, payload)))).toEqual(
      new Set(['unused_event']),
    );
  });

  it('makes no event of any recorded payload under the name of another event (T2)', () => {
    const accepted = usedEventNames.flatMap((name) =>
      payloads
        .filter(({ eventName }) => eventName !== name)
        .filter(({ payload }) => toEvent(name, payload, own).kind === 'event')
        .map(({ eventName }) => `${eventName} sent as ${name}`),
    );

    expect(accepted).toEqual([]);
  });

  it('says in our words what was pushed to which branch', () => {
    const push = recorded('push').payload;

    expect(toEvent('push', change(push, 'ref', 'refs/heads/fix/a b'), own)).toEqual({
      kind: 'event',
      event: {
        kind: 'branch_pushed',
        repository: { installationId: 7, repositoryId: 186853002, owner: 'Codertocat', name: 'Hello-World' },
        branch: 'fix/a b',
        headSha: '6113728f27ae82c7b1a177c8d03f9e96e0adf246',
      },
    });
  });

  const pushed = (): unknown => change(recorded('push').payload, 'ref', 'refs/heads/main');

  it.each([
    ['added', true],
    ['modified', true],
    ['removed', true],
    ['renamed', undefined],
  ])('says that a push changes the policy file where a commit has %s it', (how, expected) => {
    const commits = [{ modified: ['src/a.ts', 'x/.github/ratchet.yml'] }, { [how]: ['.github/ratchet.yml'] }];
    const mapping = toEvent('push', change(pushed(), 'commits', commits), own);

    expect(mapping.kind === 'event' && mapping.event.kind === 'branch_pushed' && mapping.event.changesPolicy).toBe(
      expected,
    );
  });

  it('takes a push whose commits cannot be read for one that changes no policy file', () => {
    const mapping = toEvent('push', change(pushed(), 'commits', 'many'), own);

    expect(mapping).toMatchObject({ kind: 'event', event: { kind: 'branch_pushed' } });
    expect(mapping).not.toHaveProperty('event.changesPolicy');
  });

  it.each([
    ['a comment on a pull request', 'issue_comment', 'issue.pull_request', { url: 'x' }, 'comment_created'],
    ['an action from the future', 'pull_request', 'action', 'teleported', 'unused_action'],
    ['an installation action from the future', 'installation', 'action', 'frozen', 'unused_action'],
    ['a head that is no SHA', 'pull_request', 'pull_request.head.sha', 'main', 'invalid at pull_request.head.sha'],
    ['no installation', 'check_run', 'installation', undefined, 'invalid at installation'],
    ['a number that is text', 'pull_request', 'number', '1', 'invalid at number'],
    ['a comment by a deleted account', 'pull_request_review_comment', 'comment.user', null, 'no_author'],
    [
      'our own review comment (traps 53, 55 and 96)',
      'pull_request_review_comment',
      'comment.performed_via_github_app',
      { id: 4242 },
      'own_echo',
    ],
    ['a comment by our bot user', 'pull_request_review_comment', 'comment.user.id', 99_000_001, 'own_echo'],
    ['our own check run (trap 55)', 'check_run', 'check_run.app.id', 4242, 'own_echo'],
    ['our own check suite', 'check_suite', 'check_suite.app.id', 4242, 'own_echo'],
    ['a check run without an app', 'check_run', 'check_run.app', null, 'ci_changed'],
    ['a check run of a detached head (trap 39)', 'check_run', 'check_run.check_suite.head_branch', null, 'ci_changed'],
    ['a check run that names no pull request (trap 40)', 'check_run', 'check_run.pull_requests', [], 'ci_changed'],
    ['a removal of nothing', 'installation_repositories', 'action', 'removed', 'unused_action'],
    ['a branch without a name', 'push', 'ref', 'refs/heads/', 'not_a_branch'],
    ['a deleted branch', 'push', 'ref', 'refs/heads/gone', 'branch_pushed'],
  ])('takes %s as it is', (...[, eventName, path, value, kind]) => {
    expect(kindOf(eventName, change(recorded(eventName).payload, path, value))).toBe(kind);
  });

  it.each(['check_run', 'check_suite'])('takes the native re-run of our own %s as a wish of a person', (eventName) => {
    const payload = change(recorded(eventName, 'rerequested').payload, `${eventName}.app.id`, 4242);

    expect(kindOf(eventName, payload)).toBe('rerun_requested');
  });

  it('says who asked for the re-run, of which check run, at which head', () => {
    const { payload } = recorded('check_run', 'rerequested');

    expect(toEvent('check_run', change(payload, 'check_run.app.id', 4242), own)).toMatchObject({
      kind: 'event',
      event: {
        kind: 'rerun_requested',
        headSha: 'd6fde92930d4715a2b49857d24b940956b26d2d3',
        checkRunId: 4,
        author: { login: 'octocat', kind: 'user' },
      },
    });
    const quality = change(change(payload, 'check_run.app.id', 4242), 'check_run.name', 'Ratchet / quality');
    expect(toEvent('check_run', quality, own)).toMatchObject({ event: { checkName: 'Ratchet / quality' } });
    const suite = change(recorded('check_suite', 'rerequested').payload, 'check_suite.app.id', 4242);
    const wish = toEvent('check_suite', suite, own);
    expect(wish.kind === 'event' && 'checkName' in wish.event).toBe(false);
  });

  it.each([
    ['labeled', 'added'],
    ['unlabeled', 'removed'],
  ])('says who %s a pull request with a label that may be ours', (action, how) => {
    const { payload } = recorded('pull_request', action);
    const ours = change(payload, 'label', { name: 'Ratchet:hold' });

    expect(toEvent('pull_request', ours, own)).toMatchObject({
      kind: 'event',
      event: { kind: 'label_changed', label: 'Ratchet:hold', change: how, number: 2, author: { kind: 'user' } },
    });
    expect(toEvent('pull_request', change(ours, 'sender.type', 'Bot'), own)).toMatchObject({
      event: { kind: 'label_changed', author: { kind: 'bot' } },
    });
  });

  it.each([
    ['another label', { name: 'bug' }],
    ['a label without a name', null],
  ])('takes %s for a change like any other', (_what, label) => {
    const { payload } = recorded('pull_request', 'labeled');

    expect(kindOf('pull_request', change(payload, 'label', label))).toBe('pull_request_changed');
  });

  describe('a button of our own check run', () => {
    const pressed = change(recorded('check_run', 'requested_action').payload, 'check_run.app.id', 4242);
    const retry = change(
      change(pressed, 'requested_action', { identifier: 'retry' }),
      'check_run.external_id',
      '9384267#7',
    );

    it('says who pressed it, and on which pull request', () => {
      expect(toEvent('check_run', retry, own)).toMatchObject({
        kind: 'event',
        event: { kind: 'button_pressed', number: 7, button: 'retry', author: { login: 'codebytere', kind: 'user' } },
      });
    });

    it('names its pull request also where the check run is that of one run of the engines', () => {
      const check = change(
        change(retry, 'requested_action', { identifier: 'check' }),
        'check_run.external_id',
        '9384267#7:id-1_a',
      );

      expect(toEvent('check_run', check, own)).toMatchObject({ event: { number: 7, button: 'check' } });
      for (const ending of [':1', ':id-1_a:2']) {
        const later = change(check, 'check_run.external_id', `9384267#7${ending}`);
        expect(toEvent('check_run', later, own)).toMatchObject({ event: { number: 7, button: 'check' } });
      }
      expect(kindOf('check_run', change(check, 'check_run.external_id', '9384267#7:a b'))).toBe('unused_action');
      expect(kindOf('check_run', change(check, 'check_run.external_id', '9384267#7:a:1:2'))).toBe('unused_action');
    });

    it.each([
      ['that we never offered', change(retry, 'requested_action', { identifier: 'rm -rf' })],
      ['that is named by nothing', change(retry, 'requested_action', null)],
      ['of a check run that names no pull request', change(retry, 'check_run.external_id', '')],
      ['of a check run that names another repository', change(retry, 'check_run.external_id', '1#7')],
    ])('is none %s', (_what, payload) => {
      expect(kindOf('check_run', payload)).toBe('unused_action');
    });

    it('pressed on the check run of another App is nothing but a change of CI', () => {
      expect(kindOf('check_run', change(retry, 'check_run.app.id', 1))).toBe('ci_changed');
    });
  });

  it.each(['edited', 'deleted'])('reads no command from a comment that was %s (T8, trap 25)', (action) => {
    const payload = change(recorded('issue_comment', action).payload, 'issue.pull_request', {});

    expect(kindOf('issue_comment', payload)).toBe('unused_action');
  });

  it.each([
    ['User', 'User', 21031067, 'user'],
    ['Bot', 'Bot', 21031067, 'bot'],
    ['Organization', 'User', 21031067, 'bot'],
    ['User', 'Bot', 21031067, 'bot'],
    ['User', 'User', 5, 'bot'],
    ['Superuser', 'Superuser', 21031067, 'bot'],
  ])('takes an author of type %s, sent by %s %i, for a %s (T9, trap 54)', (type, senderType, senderId, kind) => {
    const { payload } = recorded('pull_request_review_comment', 'created');
    const typed = change(change(payload, 'comment.user.type', type), 'sender.type', senderType);
    const mapping = toEvent('pull_request_review_comment', change(typed, 'sender.id', senderId), own);

    expect(mapping).toMatchObject({ event: { kind: 'comment_created', author: { id: 21031067, kind } } });
  });

  it('names the branch of a status only where its commit is the tip of just one', () => {
    const { payload } = recorded('status');
    const tip = { name: 'fix', commit: { sha: '6113728f27ae82c7b1a177c8d03f9e96e0adf246' } };
    const behind = { name: 'main', commit: { sha: 'f'.repeat(40) } };

    const refOf = (branches: readonly unknown[]): unknown => {
      const mapping = toEvent('status', change(payload, 'branches', branches), own);
      return mapping.kind === 'event' && mapping.event.kind === 'ci_changed' ? mapping.event.headRef : undefined;
    };

    expect(refOf([behind, tip])).toBe('fix');
    expect(refOf([tip, { ...tip, name: 'copy' }])).toBeNull();
    expect(refOf([])).toBeNull();
  });

  it('splits the full names of an installation, and lists none where all are meant', () => {
    expect(
      toEvent('installation_repositories', recorded('installation_repositories', 'added').payload, own),
    ).toMatchObject({
      event: { change: 'added', repositories: [{ repositoryId: 186853007, owner: 'Codertocat', name: 'Space' }] },
    });
    expect(toEvent('installation', recorded('installation', 'deleted').payload, own)).toMatchObject({
      event: { change: 'removed', repositories: [] },
    });
  });

  it.each(usedEventNames)('never throws on nonsense sent as %s', (eventName) => {
    for (const nonsense of [null, 1, 'x', [], {}, { action: {} }, { __proto__: null, constructor: 1 }]) {
      expect(toEvent(eventName, nonsense, own).kind).toBe('invalid');
    }
  });
});
