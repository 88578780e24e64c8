import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aCheck, aPerson, fakeSha } from '../support/builders.ts';
import { MINUTE_MS, type Pipeline, startEnabled, startPipeline, WRITER } from '../support/pipeline-fixture.ts';

const GREEN = { checks: [aCheck()] };

describe('a label', () => {
  const READER = aPerson({ id: 300, login: 'rita' });
  const LABELLED = { ...GREEN, policyText: 'labels: { enable: ratchet, hold: "ratchet:hold" }' };

  it('that policy names enables, in any case, for a writer; taking it off disables', async () => {
    const pipeline = startPipeline(LABELLED);
    pipeline.label('Ratchet');
    await pipeline.evaluate();
    const enabled = pipeline.workspace();
    pipeline.label('Ratchet', 'removed');
    await pipeline.evaluate();

    expect(enabled).toMatchObject({ enablement: 'enabled', enabledBy: WRITER });
    expect(pipeline.workspace().enablement).toBe('disabled');
    expect(pipeline.github.comments).toEqual([]);
    expect(pipeline.github.reactions).toEqual([]);
  });

  it.each([
    ['of a reader (T7)', READER],
    ['of a bot (T9)', aPerson({ id: 302, login: 'helper[bot]', kind: 'bot' })],
  ])('%s changes nothing and is answered by nothing', async (_who, author) => {
    const pipeline = startPipeline(LABELLED);
    pipeline.github.permit(author.login, author.id, author.kind === 'bot' ? 'admin' : 'read');
    pipeline.label('ratchet', 'added', author);

    await pipeline.evaluate();

    expect(pipeline.workspace().enablement).toBe('never');
    expect(pipeline.github.comments).toEqual([]);
    expect(pipeline.store.pendingCommands(pipeline.key)).toEqual([]);
  });

  it('of a reader is in the log', async () => {
    const pipeline = startPipeline(LABELLED);
    pipeline.github.permit(READER.login, READER.id, 'read');
    pipeline.label('ratchet', 'added', READER);

    await pipeline.evaluate();

    expect(pipeline.log.filter(({ message }) => message === 'command changed nothing')).toMatchObject([
      { level: 'info', fields: { authorId: READER.id, place: 'label', why: 'needs_write' } },
    ]);
  });

  it.each([
    ['that policy does not name', 'ratchet-docs', LABELLED.policyText],
    ['where policy names none', 'ratchet', 'labels: { enable: null }'],
    ['while the policy file is invalid', 'ratchet', `${LABELLED.policyText}\nmaxAttempts: -1`],
  ])('%s enables nothing', async (_what, label, policyText) => {
    const pipeline = startPipeline({ ...GREEN, policyText });
    pipeline.label(label);

    await pipeline.evaluate();

    expect(pipeline.workspace().enablement).toBe('never');
    expect(pipeline.github.comments).toEqual([]);
    expect(pipeline.store.pendingCommands(pipeline.key)).toEqual([]);
  });

  it('and comments between are carried out in the order in which they were given', async () => {
    const pipeline = startPipeline(LABELLED);
    pipeline.label('ratchet');
    pipeline.comment('/ratchet disable');
    pipeline.label('ratchet', 'removed');
    pipeline.comment('/ratchet enable');

    await pipeline.evaluate();

    expect(pipeline.workspace().enablement).toBe('enabled');
  });

  it('that holds lets nothing be launched and nothing be pushed; off, Ratchet goes on', async () => {
    const pipeline = await startEnabled({ policyText: LABELLED.policyText });
    pipeline.sites.during('agent', async () => pipeline.label('ratchet:hold'));
    await pipeline.runFixup();
    await pipeline.evaluate();
    const held = { code: pipeline.lastCode(), pushed: [...pipeline.git.pushed] };
    pipeline.comment('/ratchet retry\n/ratchet status');
    await pipeline.evaluate();
    pipeline.label('ratchet:hold', 'removed');

    await pipeline.settle();

    expect(held).toEqual({ code: 'PAUSED', pushed: [] });
    expect(pipeline.replies()).toEqual([expect.stringContaining('remove the hold label')]);
    expect(pipeline.replies()[0]).toContain('On hold by a label');
    expect(pipeline.git.pushed).toHaveLength(1);
    expect(pipeline.workspace().enablement).toBe('enabled');
  });
});

describe("GitHub's own Re-run of the check run", () => {
  it('does what retry does, and tells the check run anew', async () => {
    const pipeline = await startStopped();
    pipeline.rerun();

    await pipeline.evaluate();

    expect(pipeline.transitions().map(({ code }) => code)).toContain('RETRIED');
    expect(pipeline.liveSession()).not.toBeNull();
    expect(pipeline.replies()).toEqual([]);
  });

  it.each([
    ['somebody without permission', aPerson({ id: 301, login: 'stan' })],
    ['a bot', aPerson({ id: 302, login: 'helper[bot]', kind: 'bot' })],
  ])('of %s lifts no stop and is answered by no comment (T7, T9)', async (_who, author) => {
    const pipeline = await startStopped();
    pipeline.rerun(author);

    await pipeline.evaluate();

    expect(pipeline.lastCode()).toBe('STOPPED_SAME_CAUSE');
    expect(pipeline.liveSession()).toBeNull();
    expect(pipeline.replies()).toEqual([]);
  });

  it('updates a check run that says what it said: its suite waits for that', async () => {
    const pipeline = await startEnabled(GREEN);
    const before = pipeline.github.checkRuns()[0]?.updates ?? 0;
    await pipeline.evaluate();
    const unchanged = pipeline.github.checkRuns()[0]?.updates;
    pipeline.rerun();

    await pipeline.evaluate();

    expect(unchanged).toBe(before);
    expect(pipeline.github.checkRuns()).toMatchObject([{ updates: before + 1 }]);
  });

  it('gives a completed check run a successor that says the same: GitHub does not reopen the old one', async () => {
    const pipeline = await startEnabled(GREEN);
    pipeline.clock.advance(MINUTE_MS);
    await pipeline.evaluate();
    const before = pipeline.github.checkRuns().map(({ content }) => content.conclusion);
    pipeline.rerun();

    await pipeline.evaluate();

    expect(before).toEqual(['success']);
    expect(pipeline.github.checkRuns()).toMatchObject([
      { content: { conclusion: 'success' } },
      { content: { conclusion: 'success', externalId: `${pipeline.key}:1` } },
    ]);
  });

  it('where nobody has enabled Ratchet says nothing', async () => {
    const pipeline = startPipeline();
    pipeline.rerun();

    await pipeline.evaluate();

    expect(pipeline.github.comments).toEqual([]);
    expect(pipeline.store.pendingCommands(pipeline.key)).toEqual([]);
  });
});

describe('a stop (S8)', () => {
  type Delivered = (pipeline: Pipeline) => unknown;
  const NOISE: readonly Delivered[] = [
    ({ evaluate }) => evaluate(),
    ({ comment }) => comment('just a remark'),
    ({ comment }) => comment('/ratchet status'),
    ({ comment }) => comment('/ratchet why'),
    ({ comment }) => comment('/ratchet enable'),
    ({ comment }) => comment('/ratchet retry', { author: aPerson({ id: 301, login: 'stan' }) }),
    ({ rerun }) => rerun(aPerson({ id: 301, login: 'stan' })),
    ({ label }) => label('ratchet-docs'),
    ({ label }) => label('ratchet'),
    ({ clock }) => clock.advance(7 * 24 * 60 * MINUTE_MS),
    ({ github }) => github.change({ title: 'Another title' }),
    ({ github }) => github.change({ baseSha: fakeSha('base-2') }),
  ];

  it('stays stopped under any number and order of deliveries', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...NOISE), { maxLength: 12 }), async (noise) => {
        const pipeline = await startStopped();
        for (const deliver of noise) {
          await deliver(pipeline);
          await pipeline.settle();
        }
        await pipeline.evaluate();

        expect(pipeline.endedSessions()).toHaveLength(1);
        expect(pipeline.liveSession()).toBeNull();
        expect(pipeline.lastCode()).toBe('STOPPED_SAME_CAUSE');
        pipeline.store.close();
      }),
      { numRuns: 40 },
    );
  });

  it.each<readonly [string, Delivered]>([
    ['a retry', ({ comment }) => comment('/ratchet retry')],
    ['disabling and enabling', ({ comment }) => comment('/ratchet disable\n/ratchet enable')],
    ['another CI result', ({ reportCi }) => reportCi('failure')],
  ])('is lifted by %s', async (_what, deliver) => {
    const pipeline = await startStopped();
    await deliver(pipeline);

    await pipeline.evaluate();

    expect(pipeline.liveSession()).not.toBeNull();
  });
});

/** Enabled, red, and one fixup that changed nothing. */
async function startStopped(policyText: string | null = null): Promise<Pipeline> {
  const pipeline = await startEnabled({ policyText });
  pipeline.git.agentLeaves({ changes: [], patch: '' });
  await pipeline.settle();
  return pipeline;
}
