import { describe, expect, it } from 'vitest';
import { GitHubError } from '../../src/core/model/errors.ts';
import type { Actor, Permission } from '../../src/core/model/pull-request.ts';
import { aCheck, aPerson, aRepository } from '../support/builders.ts';
import {
  MINUTE_MS,
  type Pipeline,
  startEnabled,
  startPipeline,
  startStopped,
  WRITER,
} from '../support/pipeline-fixture.ts';
import { aDelivery } from '../support/store.ts';

const GREEN = { checks: [aCheck()] };

function reactionsTo(pipeline: Pipeline, commentId: number): readonly string[] {
  return pipeline.github.reactions
    .filter((reaction) => reaction.commentId === commentId)
    .map(({ reaction }) => reaction);
}

function unavailable(): GitHubError {
  return new GitHubError('UNAVAILABLE', 'GitHub is down', { retry: 'later' });
}

describe('/ratchet enable', () => {
  it('of a writer is seen, done and settled, and the loop starts at once', async () => {
    const pipeline = startPipeline();
    const commentId = pipeline.comment('/ratchet enable');

    await pipeline.evaluate();

    expect(pipeline.workspace()).toMatchObject({ enablement: 'enabled', enabledBy: WRITER });
    expect(reactionsTo(pipeline, commentId)).toEqual(['eyes', '+1']);
    expect(pipeline.store.pendingCommands(pipeline.key)).toEqual([]);
    expect(pipeline.transitions().map(({ action, code }) => [action, code])).toEqual([
      ['FIX_CI', 'CI_FAILED'],
      ['COMMAND', 'ENABLED'],
    ]);
    expect(pipeline.github.comments).toEqual([]);
  });

  it('in a review thread is answered there', async () => {
    const pipeline = startPipeline(GREEN);
    pipeline.comment('/ratchet enable', { kind: 'review_comment' });

    await pipeline.evaluate();

    expect(pipeline.github.reactions.map(({ kind }) => kind)).toEqual(['review_comment', 'review_comment']);
    expect(pipeline.workspace().enablement).toBe('enabled');
  });

  it('is answered once, though the pull request is looked at again and again', async () => {
    const pipeline = await startEnabled(GREEN);
    const reactions = pipeline.github.calls.filter((call) => call === 'addReaction').length;

    await pipeline.evaluate();
    await pipeline.evaluate();

    expect(pipeline.github.calls.filter((call) => call === 'addReaction')).toHaveLength(reactions);
    expect(pipeline.transitions().filter(({ action }) => action === 'COMMAND')).toHaveLength(1);
  });

  it('that is not read gets one reply that says why, and launches nothing (L14)', async () => {
    const pipeline = startPipeline();
    const commentId = pipeline.comment(
      '- /ratchet enable\n\n/ratchet enable --dry-run\n\nOn 1 May 2026 10:00, Ada wrote:\n\n/ratchet retry',
    );

    await pipeline.evaluate();
    await pipeline.evaluate();

    expect(pipeline.workspace().enablement).toBe('never');
    expect(pipeline.store.pendingCommands(pipeline.key)).toEqual([]);
    expect(reactionsTo(pipeline, commentId)).toContain('confused');
    expect(pipeline.github.comments.map(({ body }) => body.split('\n').slice(1).join('\n'))).toEqual([
      [
        '`- /ratchet enable` was not carried out: it belongs to a list: leave a line empty, and begin the line with it.',
        '',
        '`/ratchet enable --dry-run` was not carried out: "enable" takes nothing else, and "--dry-run" is not known.',
        '',
        '`/ratchet retry` was not carried out: it is below a quoted mail.',
        '',
      ].join('\n'),
    ]);
  });

  it('beside a line that is not read is carried out (L14)', async () => {
    const pipeline = startPipeline(GREEN);
    const commentId = pipeline.comment('/ratchet enable\n/ratchet retry later\n-- \nAda');

    await pipeline.evaluate();

    expect(pipeline.workspace().enablement).toBe('enabled');
    expect(reactionsTo(pipeline, commentId)).toEqual(expect.arrayContaining(['+1', 'confused']));
    expect(pipeline.github.comments).toHaveLength(1);
  });

  it('of what is enabled resets nothing (S10)', async () => {
    const pipeline = await startStopped();
    pipeline.store.updateWorkspace(pipeline.key, { consecutiveAttempts: 2 });
    const { stop } = pipeline.workspace();
    const commentId = pipeline.comment('/ratchet enable');

    await pipeline.evaluate();

    expect(stop).not.toBeNull();
    expect(pipeline.workspace()).toMatchObject({ consecutiveAttempts: 2, stop });
    expect(reactionsTo(pipeline, commentId)).toEqual(['eyes', '+1']);
    expect(pipeline.transitions().filter(({ action }) => action === 'COMMAND')).toHaveLength(1);
  });

  it('after a disable resets attempts, stop and stale wait (002.R18, S10)', async () => {
    const pipeline = await startEnabled(GREEN);
    pipeline.comment('/ratchet disable');
    await pipeline.evaluate();
    pipeline.store.updateWorkspace(pipeline.key, {
      consecutiveAttempts: 3,
      lastCiRunId: 'run-1',
      staleCiSince: pipeline.clock.now(),
      stop: { causeKey: 'cause', code: 'NO_PUSH', reason: 'nothing came of it' },
    });
    pipeline.comment('/ratchet enable');

    await pipeline.evaluate();

    expect(pipeline.workspace()).toMatchObject({
      enablement: 'enabled',
      consecutiveAttempts: 0,
      lastCiRunId: null,
      staleCiSince: null,
      stop: null,
    });
  });
});

describe('/ratchet disable', () => {
  it('ends the launching, not the watching (002.R10)', async () => {
    const pipeline = await startEnabled(GREEN);
    const commentId = pipeline.comment('/ratchet disable');
    pipeline.reportCi('failure');

    await pipeline.evaluate();

    expect(pipeline.workspace()).toMatchObject({ enablement: 'disabled', state: 'disabled' });
    expect(pipeline.lastCode()).toBe('DISABLED');
    expect(reactionsTo(pipeline, commentId)).toEqual(['eyes', '+1']);
    expect(pipeline.liveSession()).toBeNull();
  });

  it('on a pull request that nobody enabled changes nothing and reads nothing of it', async () => {
    const pipeline = startPipeline();
    pipeline.comment('/ratchet disable');

    await pipeline.evaluate();

    expect(pipeline.workspace().enablement).toBe('never');
    expect(pipeline.github.calls).not.toContain('readPullRequest');
    expect(pipeline.transitions()).toEqual([]);
  });

  it('and enable in one comment are carried out in their order', async () => {
    const pipeline = await startEnabled(GREEN);
    pipeline.store.updateWorkspace(pipeline.key, { consecutiveAttempts: 2 });
    pipeline.comment('/ratchet disable\n/ratchet enable');

    await pipeline.evaluate();

    expect(pipeline.workspace()).toMatchObject({ enablement: 'enabled', consecutiveAttempts: 0 });
    expect(
      pipeline
        .transitions()
        .map(({ code }) => code)
        .slice(1, 3),
    ).toEqual(['ENABLED', 'DISABLED']);
  });
});

describe('a command that its author may not give', () => {
  const READER = aPerson({ id: 300, login: 'rita' });
  const STRANGER = aPerson({ id: 301, login: 'stan' });
  const BOT = aPerson({ id: 302, login: 'helper[bot]', kind: 'bot' });
  const FORMER = aPerson({ id: 303, login: 'frida' });
  /** Author, the account that GitHub has under that login now with its permission, and what the reply says. */
  const REFUSED: readonly (readonly [string, Actor, readonly [number, Permission], string])[] = [
    ['of a reader', READER, [READER.id, 'read'], 'needs write permission'],
    ['of somebody without any permission', STRANGER, [STRANGER.id, 'none'], 'needs write permission'],
    ['of a bot with write permission (T9, traps 54 and 64)', BOT, [BOT.id, 'write'], 'no commands from bots'],
    ['under a login that another account has taken over (T7)', FORMER, [999, 'admin'], 'needs write permission'],
  ];

  it.each(REFUSED)('%s is refused, with one reply that says why', async (_who, author, account, why) => {
    const pipeline = startPipeline();
    pipeline.github.permit(author.login, ...account);
    const commentId = pipeline.comment('/ratchet enable', { author });

    await pipeline.evaluate();
    await pipeline.evaluate();

    expect(reactionsTo(pipeline, commentId)).toEqual(['eyes', 'confused']);
    expect(pipeline.github.comments).toHaveLength(1);
    expect(pipeline.github.comments[0]?.body).toContain(why);
    expect(pipeline.workspace()).toMatchObject({ enablement: 'never', enabledBy: null });
    expect(pipeline.store.pendingCommands(pipeline.key)).toEqual([]);
    expect(pipeline.github.calls).not.toContain('readPullRequest');
    expect(pipeline.transitions()).toEqual([]);
  });

  it('does not disable either', async () => {
    const pipeline = await startEnabled(GREEN);
    pipeline.github.permit(READER.login, READER.id, 'read');
    pipeline.comment('/ratchet disable', { author: READER });

    await pipeline.evaluate();

    expect(pipeline.workspace().enablement).toBe('enabled');
  });
});

describe('a command that is no command of this version', () => {
  it.each([
    ['/ratchet enabel', 'Did you mean `/ratchet enable`?'],
    ['/ratchet dance', 'There is no command `dance`'],
    ['/ratchet undo', 'has pushed no fixup'],
  ])('%s is answered once and changes nothing', async (body, reply) => {
    const pipeline = startPipeline();
    const commentId = pipeline.comment(body);

    await pipeline.evaluate();
    await pipeline.evaluate();

    expect(reactionsTo(pipeline, commentId)).toEqual(['eyes', 'confused']);
    expect(pipeline.github.comments.map((comment) => comment.body)).toEqual([expect.stringContaining(reply)]);
    expect(pipeline.workspace().enablement).toBe('never');
  });
});

describe('/ratchet status and /ratchet help', () => {
  it.each([
    ['/ratchet status', '**All green**'],
    ['/ratchet help', '`/ratchet enable`'],
  ])('%s is answered for anyone, with what was seen in this very look (trap 83)', async (body, reply) => {
    const pipeline = await startEnabled(GREEN);
    pipeline.clock.advance(MINUTE_MS);
    const commentId = pipeline.comment(body, { author: aPerson({ id: 301, login: 'stan' }) });

    await pipeline.evaluate();

    expect(pipeline.github.comments.map((comment) => comment.body)).toEqual([expect.stringContaining(reply)]);
    expect(reactionsTo(pipeline, commentId)).toEqual(['eyes', '+1']);
  });

  it('on a pull request that nobody enabled, status says so and reads nothing of it', async () => {
    const pipeline = startPipeline();
    pipeline.comment('/ratchet status');

    await pipeline.evaluate();

    expect(pipeline.github.comments[0]?.body).toContain('not enabled');
    expect(pipeline.github.calls).not.toContain('readPullRequest');
  });

  it.each(['/ratchet status', '/ratchet help'])(
    '%s is replied to once, though the process died between the reply and its record (trap 110)',
    async (body) => {
      const pipeline = await startEnabled(GREEN);
      pipeline.comment(body);
      pipeline.github.during('ensureComment', () => Promise.reject(unavailable()));

      await expect(pipeline.evaluate()).rejects.toThrow('GitHub is down');
      const afterCrash = pipeline.github.comments.length;
      const pending = pipeline.store.pendingCommands(pipeline.key).length;
      await pipeline.settle();

      expect({ afterCrash, pending }).toEqual({ afterCrash: 1, pending: 1 });
      expect(pipeline.github.comments).toHaveLength(1);
      expect(pipeline.store.pendingCommands(pipeline.key)).toEqual([]);
    },
  );

  it.each([
    { body: '/ratchet pause', reaction: '+1', replies: 0 },
    { body: '/ratchet status', reaction: '+1', replies: 1 },
    { body: '/ratchet dance', reaction: 'confused', replies: 1 },
  ])('$body gets its reaction, though the process died after it was settled (S46)', async (given) => {
    const pipeline = await startEnabled(GREEN);
    pipeline.comment(given.body);
    // The first reaction is the one of a comment that was seen.
    pipeline.github.during('addReaction', async () => pipeline.github.failNext('addReaction', unavailable()));

    await expect(pipeline.evaluate()).rejects.toThrow('GitHub is down');
    const between = pipeline.github.reactions.map(({ reaction }) => reaction).slice(2);
    const pending = pipeline.store.pendingCommands(pipeline.key);
    await pipeline.settle();
    await pipeline.settle();

    expect({ between, pending }).toEqual({ between: ['eyes'], pending: [] });
    expect(pipeline.github.reactions.map(({ reaction }) => reaction).slice(2)).toEqual(['eyes', given.reaction]);
    expect(pipeline.replies()).toHaveLength(given.replies);
    expect(pipeline.store.owedReactions(pipeline.key)).toEqual([]);
  });

  it('two times by two comments is replied to two times', async () => {
    const pipeline = await startEnabled(GREEN);
    pipeline.comment('/ratchet status');
    pipeline.comment('/ratchet status');

    await pipeline.evaluate();

    expect(pipeline.github.comments).toHaveLength(2);
  });
});

describe('a command whose author cannot be looked up', () => {
  it('stays pending, has no effect, and is carried out when GitHub answers (trap 60)', async () => {
    const pipeline = startPipeline();
    const commentId = pipeline.comment('/ratchet enable');
    pipeline.github.failNext('readPermission', unavailable());

    await expect(pipeline.evaluate()).rejects.toThrow('GitHub is down');
    const enablement = pipeline.workspace().enablement;
    const pending = pipeline.store.pendingCommands(pipeline.key).length;
    await pipeline.evaluate();

    expect({ enablement, pending }).toEqual({ enablement: 'never', pending: 1 });
    expect(pipeline.workspace().enablement).toBe('enabled');
    expect(reactionsTo(pipeline, commentId)).toEqual(['eyes', '+1']);
    expect(pipeline.github.comments).toEqual([]);
  });

  it('enables once: a look that fails after it does not reset what came between', async () => {
    const pipeline = startPipeline(GREEN);
    pipeline.comment('/ratchet enable');
    pipeline.github.failNext('readPullRequest', unavailable());

    await expect(pipeline.evaluate()).rejects.toThrow('GitHub is down');
    pipeline.store.updateWorkspace(pipeline.key, { consecutiveAttempts: 1 });
    await pipeline.evaluate();

    expect(pipeline.workspace()).toMatchObject({ enablement: 'enabled', consecutiveAttempts: 1 });
    expect(pipeline.transitions().filter(({ code }) => code === 'ENABLED')).toHaveLength(1);
  });
});

describe('a comment that is edited', () => {
  it('asks for nothing: no reaction, no reply, no effect', async () => {
    const pipeline = startPipeline();
    const edited = aDelivery('edited', null, { eventName: 'issue_comment', action: 'edited' });

    const outcomes = pipeline.store.ingest([edited]);
    await pipeline.evaluate();

    expect(outcomes).toEqual([{ kind: 'ignored' }]);
    expect(pipeline.github.comments).toEqual([]);
    expect(pipeline.github.reactions).toEqual([]);
    expect(pipeline.workspace()).toMatchObject({ enablement: 'never', repository: aRepository() });
  });
});

describe('an answer that GitHub refuses for good', () => {
  function forbidden(): GitHubError {
    return new GitHubError('FORBIDDEN', 'the conversation is locked', { retry: 'never' });
  }

  it.each(['/ratchet status', '/ratchet dance'])('to %s is given up, and the loop goes on', async (body) => {
    const pipeline = await startEnabled(GREEN);
    pipeline.comment(body);
    pipeline.github.failNext('ensureComment', forbidden());

    await pipeline.evaluate();

    expect(pipeline.store.pendingCommands(pipeline.key)).toEqual([]);
    expect(pipeline.github.comments).toEqual([]);
    expect(pipeline.isDue('evaluate')).toBe(false);
  });

  it('keeps no command from being carried out', async () => {
    const pipeline = startPipeline(GREEN);
    pipeline.comment('/ratchet enable');
    pipeline.github.failNext('addReaction', forbidden());

    await pipeline.evaluate();

    expect(pipeline.workspace().enablement).toBe('enabled');
  });
});

describe('commands whose answers fail', () => {
  it('take effect once: a budget is not given anew with every try', async () => {
    const pipeline = await startEnabled(GREEN);
    pipeline.comment('/ratchet disable');
    pipeline.comment('/ratchet enable');
    pipeline.github.failNext('readPullRequest', unavailable());
    await expect(pipeline.evaluate()).rejects.toThrow('GitHub is down');
    pipeline.store.updateWorkspace(pipeline.key, { consecutiveAttempts: 2 });

    await pipeline.evaluate();

    expect(pipeline.workspace()).toMatchObject({ enablement: 'enabled', consecutiveAttempts: 2 });
    expect(pipeline.transitions().filter(({ action }) => action === 'COMMAND')).toHaveLength(3);
  });
});

describe('many commands', () => {
  it('of one comment get one reply: nobody makes us write more than they do (trap 45)', async () => {
    const pipeline = startPipeline();
    const stranger = aPerson({ id: 301, login: 'stan' });
    const commentId = pipeline.comment('/ratchet dance\n/ratchet enable\n/ratchet status\n/ratchet help', {
      author: stranger,
    });

    await pipeline.evaluate();
    await pipeline.evaluate();

    expect(pipeline.github.comments).toHaveLength(1);
    for (const part of ['no command `dance`', 'needs write permission', 'not enabled', '`/ratchet help`']) {
      expect(pipeline.github.comments[0]?.body).toContain(part);
    }
    expect(reactionsTo(pipeline, commentId)).toEqual(['eyes', 'confused']);
    expect(pipeline.store.pendingCommands(pipeline.key)).toEqual([]);
  });

  it('of many comments are answered over several looks, and none is lost', async () => {
    const pipeline = await startEnabled(GREEN);
    for (let count = 0; count < 25; count += 1) pipeline.comment('/ratchet help');

    await pipeline.evaluate();
    const afterOne = pipeline.github.comments.length;
    await pipeline.settle();
    for (let look = 0; look < 3; look += 1) await pipeline.evaluate();

    expect(afterOne).toBeLessThanOrEqual(10);
    expect(pipeline.github.comments).toHaveLength(25);
  });
});

describe('/ratchet retry', () => {
  it('gives a fresh budget and lifts the stop, and the loop goes on at once (S8, S10, trap 66)', async () => {
    const pipeline = await startStopped();
    pipeline.comment('/ratchet retry');

    await pipeline.evaluate();

    expect(pipeline.workspace()).toMatchObject({ stop: null, consecutiveAttempts: 0 });
    expect(pipeline.transitions().map(({ code }) => code)).toContain('RETRIED');
    expect(pipeline.liveSession()).toMatchObject({ fixup: { attempt: 1 } });
  });

  it('does nothing on a disabled pull request but say that it is', async () => {
    const pipeline = await startStopped();
    pipeline.comment('/ratchet disable');
    pipeline.comment('/ratchet retry');

    await pipeline.evaluate();

    expect(pipeline.workspace().enablement).toBe('disabled');
    expect(pipeline.replies()).toEqual([expect.stringContaining('Disabled')]);
    expect(pipeline.liveSession()).toBeNull();
  });

  it('lifts no limit of a day', async () => {
    const pipeline = await startStopped('maxLaunchesPerDay: 1');
    pipeline.comment('/ratchet retry');

    await pipeline.evaluate();

    expect(pipeline.lastCode()).toBe('LAUNCHES_EXHAUSTED');
    expect(pipeline.liveSession()).toBeNull();
  });
});

describe('/ratchet why', () => {
  it('is answered with the last decisions and their reasons', async () => {
    const pipeline = await startStopped();
    pipeline.comment('/ratchet why');

    await pipeline.evaluate();

    const [reply] = pipeline.replies();
    expect(reply).toContain('`NO_CHANGE`');
    expect(reply).toContain('`CI_FAILED`: CI failed; attempt 1 of 3.');
  });

  it('tells a wait once, however often it was looked at, and what came before it', async () => {
    const pipeline = await startEnabled();
    pipeline.git.agentLeaves({ changes: [], patch: '' });
    await pipeline.settle();
    for (let looks = 0; looks < 20; looks += 1) await pipeline.evaluate();
    pipeline.comment('/ratchet why');

    await pipeline.evaluate();

    const lines =
      pipeline
        .replies()[0]
        ?.split('\n')
        .filter((line) => line.startsWith('- ')) ?? [];
    expect(lines.map((line) => /`(\w+)`/.exec(line)?.[1])).toEqual([
      ...['STOPPED_SAME_CAUSE', 'NO_CHANGE', 'CI_FAILED', 'ENABLED'],
    ]);
    expect(lines[0]).toContain('(22 times since ');
  });
});

describe('a button of the check run', () => {
  it('does what the command of its name does, without a reaction: there is no comment', async () => {
    const pipeline = await startStopped();
    const reactions = pipeline.github.reactions.length;
    pipeline.pressButton('retry');

    await pipeline.evaluate();

    expect(pipeline.liveSession()).toMatchObject({ fixup: { attempt: 1 } });
    expect(pipeline.github.reactions).toHaveLength(reactions);
    expect(pipeline.replies()).toEqual([]);
    expect(pipeline.store.pendingCommands(pipeline.key)).toEqual([]);
  });

  it('needs the permission that the command needs', async () => {
    const pipeline = await startStopped();
    const reader = aPerson({ id: 77, login: 'reader' });
    pipeline.github.permit(reader.login, reader.id, 'read');
    pipeline.pressButton('disable', reader);

    await pipeline.evaluate();

    expect(pipeline.workspace().enablement).toBe('enabled');
    expect(pipeline.replies()).toEqual([expect.stringContaining('needs write permission')]);
  });

  it('is answered each time that it is pressed', async () => {
    const pipeline = await startStopped();
    pipeline.pressButton('why');
    await pipeline.evaluate();
    pipeline.clock.advance(MINUTE_MS);
    pipeline.pressButton('why');
    await pipeline.evaluate();

    expect(pipeline.replies()).toHaveLength(2);
  });

  it('is answered once where it is pressed twice at once, or again before it was carried out', async () => {
    const pipeline = await startStopped();
    pipeline.pressButton('why');
    await pipeline.evaluate();
    pipeline.pressButton('why');
    await pipeline.evaluate();
    const atOnce = pipeline.replies().length;
    pipeline.clock.advance(MINUTE_MS);
    pipeline.pressButton('why');
    pipeline.clock.advance(MINUTE_MS);
    pipeline.pressButton('why');
    await pipeline.evaluate();

    expect(atOnce).toBe(1);
    expect(pipeline.replies()).toHaveLength(2);
  });

  it('counts for each account and each button', async () => {
    const pipeline = await startStopped();
    pipeline.pressButton('why');
    pipeline.pressButton('why', aPerson({ id: 77, login: 'else' }));
    pipeline.pressButton('disable');

    expect(pipeline.store.pendingCommands(pipeline.key)).toHaveLength(3);
  });
});

describe('/ratchet enable by another writer', () => {
  it('makes the other one answer for the next push, and resets nothing', async () => {
    const other = aPerson({ id: 500, login: 'olga' });
    const pipeline = await startEnabled(GREEN);
    pipeline.store.updateWorkspace(pipeline.key, { consecutiveAttempts: 2 });
    pipeline.github.permit(other.login, other.id, 'write');
    pipeline.comment('/ratchet enable', { author: other });

    await pipeline.evaluate();

    expect(pipeline.workspace()).toMatchObject({ enabledBy: other, consecutiveAttempts: 2 });
  });
});

/** Enabled, red, and one fixup that changed nothing. */
