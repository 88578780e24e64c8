import { describe, expect, it } from 'vitest';
import { createAppSlug } from '../../src/webhooks/app-slug.ts';
import { createMemoryLog } from './edge-fixture.ts';

const LIMITS = { timeoutMs: 10_000, retryMs: 1 };

/** GitHub that fails `failures` times; `asked` resolves when it was asked so often. */
function anAway(failures: number, times: number) {
  const asked = Promise.withResolvers<undefined>();
  let questions = 0;
  const readApp = async (): Promise<{ readonly slug: string; readonly owner: string }> => {
    questions += 1;
    if (questions === times) asked.resolve(undefined);
    if (questions <= failures) throw new Error('away');
    return { slug: 'ratchet-app', owner: 'acme' };
  };
  return { readApp, asked: asked.promise, questions: () => questions };
}

describe('createAppSlug', () => {
  it('asks once where GitHub tells it', async () => {
    const github = anAway(0, 1);
    const slug = createAppSlug(github, createMemoryLog(), LIMITS);

    expect([slug.current(), slug.owner()]).toEqual([null, null]);
    await slug.start();

    expect([slug.current(), slug.owner(), github.questions()]).toEqual(['ratchet-app', 'acme', 1]);
  });

  it('does not hold up the start while GitHub is away, and knows the name when it is back (F13)', async () => {
    const github = anAway(2, 3);
    const log = createMemoryLog();
    const slug = createAppSlug(github, log, LIMITS);

    await slug.start();
    const atStart = slug.current();
    await github.asked;
    await Promise.resolve();

    expect([atStart, slug.current()]).toEqual([null, 'ratchet-app']);
    expect(log.lines.filter(({ message }) => message.includes('asked again'))).toHaveLength(2);
  });

  it('asks no more once it is stopped', async () => {
    const github = anAway(99, 1);
    const slug = createAppSlug(github, createMemoryLog(), { ...LIMITS, retryMs: 100_000 });
    await slug.start();

    slug.stop();
    await slug.start();

    expect([slug.current(), github.questions()]).toEqual([null, 2]);
  });
});
