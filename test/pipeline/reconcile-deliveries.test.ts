import { describe, expect, it } from 'vitest';
import { MAX_PAGES, MAX_REDELIVERIES, MAX_TRIES } from '../../src/core/deliveries/plan-redelivery.ts';
import { GitHubError } from '../../src/core/model/errors.ts';
import { reconcileDeliveries } from '../../src/pipeline/upkeep/reconcile-deliveries.ts';
import type { SentDelivery } from '../../src/ports/github.ts';
import { type Pipeline, startPipeline } from '../support/pipeline-fixture.ts';
import { aDelivery } from '../support/store.ts';

const INTERVAL_MS = 60_000;
const HOUR_MS = 60 * INTERVAL_MS;
const isUsed = (eventName: string): boolean => eventName !== 'star';

/** An attempt of GitHub; its GUID follows from `name`, as that of `aDelivery`. */
function sent(pipeline: Pipeline, name: string, change: Partial<SentDelivery> = {}): SentDelivery {
  const guid = aDelivery(name, null).id;
  const what = { eventName: 'issue_comment', action: 'created', isReceived: false };
  return { id: name, guid, sentAt: pipeline.clock.now() - 1_000, ...what, ...change };
}

function pass(pipeline: Pipeline): Promise<void> {
  return reconcileDeliveries(pipeline.deps, { intervalMs: INTERVAL_MS, isUsed }, new AbortController().signal);
}

function list(pipeline: Pipeline, ...deliveries: readonly SentDelivery[]): void {
  pipeline.github.setSent(() => ({ deliveries, next: null }));
}

const asked = (pipeline: Pipeline): readonly string[] =>
  pipeline.github.asked.filter((what) => what.startsWith('redeliver ')).map((what) => what.slice('redeliver '.length));

const readPages = (pipeline: Pipeline): number =>
  pipeline.github.calls.filter((call) => call === 'readSentDeliveries').length;

describe('reconciling deliveries', () => {
  it('asks once for each delivery that did not arrive, commands first and oldest first (F17)', async () => {
    const pipeline = startPipeline();
    const at = pipeline.clock.now();
    list(
      pipeline,
      sent(pipeline, 'check', { eventName: 'check_run', action: 'completed', sentAt: at - 90_000 }),
      sent(pipeline, 'late', { sentAt: at - 1_000 }),
      sent(pipeline, 'early', { sentAt: at - 2_000 }),
      sent(pipeline, 'pull-request', { eventName: 'pull_request', action: 'opened' }),
    );

    await pass(pipeline);

    expect(asked(pipeline)).toEqual(['early', 'late', 'pull-request', 'check']);
  });

  it.each<[string, Partial<SentDelivery>]>([
    ['arrived', { isReceived: true }],
    ['is of an event that Ratchet does not use', { eventName: 'star' }],
    ['is older than GitHub redelivers', { sentAt: 0 }],
  ])('does not ask for one that %s', async (_what, change) => {
    const pipeline = startPipeline();
    pipeline.clock.advance(30 * 24 * HOUR_MS);
    list(pipeline, sent(pipeline, 'one', change));

    await pass(pipeline);

    expect(asked(pipeline)).toEqual([]);
  });

  it('does not ask for one that is stored, though GitHub got no answer in time', async () => {
    const pipeline = startPipeline();
    pipeline.store.ingest([aDelivery('stored', null)]);
    list(pipeline, sent(pipeline, 'stored'));

    await pass(pipeline);

    expect(asked(pipeline)).toEqual([]);
  });

  it('waits twice as long before each further request, and gives up in the end', async () => {
    const pipeline = startPipeline();
    list(pipeline, sent(pipeline, 'deaf', { sentAt: pipeline.clock.now() }));
    const askedAt: number[] = [];
    const begun = pipeline.clock.now();
    for (let minute = 0; minute < 24 * 60; minute += 1) {
      const before = asked(pipeline).length;
      await pass(pipeline);
      if (asked(pipeline).length > before) askedAt.push((pipeline.clock.now() - begun) / INTERVAL_MS);
      pipeline.clock.advance(INTERVAL_MS);
    }

    expect(askedAt).toEqual([0, 1, 3, 7, 15, 31, 63, 127, 255, 511]);
    expect(askedAt).toHaveLength(MAX_TRIES);
    expect(pipeline.log.filter(({ message }) => message === 'a lost delivery is given up')).toMatchObject([
      { level: 'error', fields: { eventName: 'issue_comment', tries: MAX_TRIES } },
    ]);
  });

  it('asks no more once the delivery has arrived', async () => {
    const pipeline = startPipeline();
    list(pipeline, sent(pipeline, 'lost'));
    await pass(pipeline);
    pipeline.store.ingest([aDelivery('lost', null)]);
    pipeline.clock.advance(INTERVAL_MS);

    await pass(pipeline);

    expect(asked(pipeline)).toEqual(['lost']);
    expect(pipeline.store.dueLost(Number.MAX_SAFE_INTEGER, 9)).toEqual([]);
  });

  it('gives up at once what GitHub does not have any more', async () => {
    const pipeline = startPipeline();
    pipeline.github.refuse('redeliver', 'not found');
    list(pipeline, sent(pipeline, 'gone'));
    await pass(pipeline);
    pipeline.clock.advance(HOUR_MS);

    await pass(pipeline);

    expect(pipeline.github.calls.filter((call) => call === 'redeliver')).toHaveLength(1);
  });

  it('makes a bounded number of requests in a pass, and the rest in the next', async () => {
    const pipeline = startPipeline();
    const many = Array.from({ length: MAX_REDELIVERIES + 7 }, (_, count) => sent(pipeline, `lost-${String(count)}`));
    list(pipeline, ...many);

    await pass(pipeline);
    const first = asked(pipeline).length;
    await pass(pipeline);

    expect(first).toBe(MAX_REDELIVERIES);
    expect(new Set(asked(pipeline)).size).toBe(many.length);
    expect(asked(pipeline)).toHaveLength(many.length);
  });

  it('reads a bounded number of pages in a pass, and goes on there in the next, down to what it knows', async () => {
    const pipeline = startPipeline();
    const cursors: (string | null)[] = [];
    const pages = MAX_PAGES + 5;
    pipeline.github.setSent((cursor) => {
      cursors.push(cursor);
      const page = Number(cursor ?? 0);
      const deliveries = [sent(pipeline, `page-${String(page)}`, { sentAt: pipeline.clock.now() - page * 1_000 })];
      return { deliveries, next: page + 1 < pages ? String(page + 1) : null };
    });

    await pass(pipeline);
    const first = cursors.length;
    await pass(pipeline);
    const both = cursors.length;
    pipeline.clock.advance(HOUR_MS);
    await pass(pipeline);

    expect([first, both]).toEqual([MAX_PAGES, pages]);
    expect(cursors[MAX_PAGES]).toBe(String(MAX_PAGES));
    expect(new Set(asked(pipeline)).size).toBe(pages);
    // The list is read from its start again; all of it was sent before the first pass but for ten minutes.
    expect(cursors[both]).toBeNull();
  });

  it('stops reading where an earlier pass has been', async () => {
    const pipeline = startPipeline();
    await pass(pipeline);
    pipeline.clock.advance(HOUR_MS);
    pipeline.github.setSent(() => ({
      deliveries: [sent(pipeline, 'new'), sent(pipeline, 'old', { sentAt: pipeline.clock.now() - HOUR_MS * 2 })],
      next: 'more',
    }));
    const before = readPages(pipeline);

    await pass(pipeline);

    expect(readPages(pipeline) - before).toBe(1);
    expect(asked(pipeline)).toEqual(['new']);
  });

  it('reads from the start where GitHub does not know its place any more', async () => {
    const pipeline = startPipeline();
    pipeline.store.saveListProgress({ readUntil: 1, open: { cursor: 'stale', readsUntil: 2 } });
    pipeline.github.setSent((cursor) => {
      if (cursor !== null) throw new GitHubError('INVALID', 'Invalid cursor', { retry: 'never' });
      return { deliveries: [sent(pipeline, 'lost')], next: null };
    });

    await pass(pipeline);

    expect(asked(pipeline)).toEqual(['lost']);
  });

  it('goes on in the next pass when GitHub does not answer', async () => {
    const pipeline = startPipeline();
    list(pipeline, sent(pipeline, 'lost'));
    pipeline.github.failNext('redeliver', new GitHubError('UNAVAILABLE', 'down', { retry: 'later' }));
    await pass(pipeline);
    pipeline.clock.advance(INTERVAL_MS);

    await pass(pipeline);

    expect(asked(pipeline)).toEqual(['lost']);
    expect(pipeline.log.map(({ message }) => message)).toContain('lost deliveries are looked for again later');
  });
});
