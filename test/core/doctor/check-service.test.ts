import { describe, expect, it } from 'vitest';
import { checkGitHub, checkQueues, checkRedis, checkWritable, notYet } from '../../../src/core/doctor/check-service.ts';

describe('the parts of a running service', () => {
  it.each([
    ['a database that can be written', checkWritable(null), 'ok'],
    ['a database that is locked', checkWritable('the database cannot be written'), 'fail'],
    ['empty queues', checkQueues([], 1_000_000), 'ok'],
    ['work that has just come', checkQueues([{ waiting: 3, oldestAt: 999_000 }], 1_000_000), 'ok'],
    ['a queue whose clock is ahead', checkQueues([{ waiting: 1, oldestAt: null }], 1_000_000), 'ok'],
    ['work that waits for long', checkQueues([{ waiting: 3, oldestAt: 0 }], 1_000_000), 'warn'],
    ['a Redis that answers', checkRedis(null), 'ok'],
    ['a Redis that is away', checkRedis('connect ECONNREFUSED 127.0.0.1:6379'), 'warn'],
    ['a Redis with another password', checkRedis('WRONGPASS invalid username-password pair'), 'fail'],
    ['a GitHub that knows the App', checkGitHub({ slug: 'ratchet' }), 'ok'],
    ['a GitHub that is away', checkGitHub({ code: 'UNAVAILABLE', message: 'away' }), 'warn'],
    ['a GitHub that refuses the App', checkGitHub({ code: 'UNAUTHORIZED', message: 'no' }), 'fail'],
    ['a part that was not looked at yet', notYet('sandbox'), 'warn'],
  ])('%s', (_what, check, state) => {
    expect(check.state).toBe(state);
    expect(check.detail).not.toBe('');
    // Whoever sees trouble reads what to do.
    expect(check.fix === '').toBe(state === 'ok');
  });

  it('the queue says how much waits, and for how long', () => {
    const queues = [
      { waiting: 2, oldestAt: 990_000 },
      { waiting: 1, oldestAt: 995_000 },
    ];
    expect(checkQueues(queues, 1_000_000).detail).toBe('3 waiting, the first for 10 s');
  });
});
