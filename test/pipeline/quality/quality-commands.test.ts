import { describe, expect, it } from 'vitest';
import { aPerson, aRepository, fakeSha } from '../../support/builders.ts';
import { aFinding, aRun } from '../../support/engine-stories.ts';
import { MINUTE_MS, WRITER } from '../../support/pipeline-fixture.ts';
import { type QualityPipeline, startQuality } from '../../support/quality-fixture.ts';
import { aDelivery } from '../../support/store.ts';

const READER = aPerson({ id: 300, login: 'rita' });

/** Looked at and run once, with one new finding. */
async function startRun(): Promise<QualityPipeline> {
  const pipeline = startQuality();
  pipeline.github.permit(READER.login, READER.id, 'read');
  pipeline.say('head', { runs: [aRun({ findings: [aFinding()] })] });
  await pipeline.evaluate();
  await pipeline.runQuality();
  return pipeline;
}

describe('/ratchet check', () => {
  it('runs the engines again on the given paths, with a limit of each, past the cache, on a pull request that nobody enabled (C6)', async () => {
    const pipeline = await startRun();
    pipeline.comment('/ratchet check src test/a.ts --timeout 60');
    await pipeline.evaluate();
    await pipeline.runQuality();

    expect(pipeline.sides.slice(2).map(({ side, request }) => [side.name, request])).toMatchObject([
      ['head', { mode: 'both', paths: ['src', 'test/a.ts'], timeoutSeconds: 60, refresh: true }],
      ['base', { mode: 'target', timeoutSeconds: 60, refresh: true }],
    ]);
    expect(pipeline.qualityChecks()).toHaveLength(2);
    expect(pipeline.qualityChecks()[1]?.content.summary).toContain('on the requested paths alone');
    expect(pipeline.github.reactions.map(({ reaction }) => reaction)).toEqual(['eyes', '+1']);
    expect(pipeline.isQualityDue()).toBe(false);
  });

  it('runs them once for each time that it is asked', async () => {
    const pipeline = await startRun();
    pipeline.comment('/ratchet check');
    await pipeline.evaluate();
    await pipeline.runQuality();
    await pipeline.evaluate();

    expect(pipeline.isQualityDue()).toBe(false);
    expect(pipeline.store.qualityAsk(pipeline.key)).toBeNull();
  });

  it('is told by the check run where policy asks for no engines', async () => {
    const pipeline = startQuality({ policyText: null });
    pipeline.comment('/ratchet check');
    await pipeline.evaluate();
    await pipeline.runQuality();

    expect(pipeline.sides).toEqual([]);
    expect(pipeline.qualityChecks()).toMatchObject([{ content: { conclusion: 'action_required' } }]);
    expect(pipeline.qualityChecks()[0]?.content.summary).toContain('asks for no engines');
  });

  it.each([
    ['/ratchet check --timeout soon', 'the flag --timeout takes seconds, from 1 to 3600'],
    ['/ratchet check ../secrets', 'does not lie below the root of the repository'],
  ])('%s is refused with a sentence', async (body, why) => {
    const pipeline = await startRun();
    pipeline.comment(body);
    await pipeline.evaluate();

    expect(pipeline.replies()).toEqual([expect.stringContaining(why)]);
    expect(pipeline.github.reactions.map(({ reaction }) => reaction)).toEqual(['eyes', 'confused']);
    expect(pipeline.isQualityDue()).toBe(false);
  });

  it.each(['/ratchet check', '/ratchet rebaseline because'])('%s needs write permission (T7)', async (body) => {
    const pipeline = await startRun();
    pipeline.comment(body, { author: READER });
    await pipeline.evaluate();

    expect(pipeline.replies()).toEqual([expect.stringContaining('it needs write permission')]);
    expect(pipeline.isQualityDue()).toBe(false);
    expect(pipeline.store.acceptances(pipeline.key)).toEqual([]);
  });
});

describe('the button and the Re-run of "Ratchet / quality"', () => {
  it('run the engines again, in a check run of its own', async () => {
    const pipeline = await startRun();
    pipeline.pressButton('check');
    await pipeline.evaluate();
    await pipeline.runQuality();
    pipeline.rerun(WRITER, 'Ratchet / quality');
    await pipeline.evaluate();
    await pipeline.runQuality();

    expect(pipeline.qualityChecks().map(({ content }) => content.externalId)).toEqual(
      pipeline.store
        .qualityRuns(pipeline.key, 9)
        .map(({ id }) => `${pipeline.key}:${id}`)
        .toReversed(),
    );
    expect(pipeline.qualityChecks().map(({ annotations }) => annotations.length)).toEqual([1, 1, 1]);
    expect(pipeline.github.comments).toEqual([]);
  });

  it('run nothing for whoever may not write: the button does nothing (T7)', async () => {
    const pipeline = await startRun();
    pipeline.pressButton('check', READER);
    await pipeline.evaluate();

    expect(pipeline.isQualityDue()).toBe(false);
  });

  it('run nothing for whoever may not write: a Re-run tells the newest result anew in a check run of its own, each time (T7)', async () => {
    const pipeline = await startRun();
    const [before] = pipeline.qualityChecks();
    const rerun = async (): Promise<void> => {
      pipeline.clock.advance(MINUTE_MS);
      pipeline.rerun(READER, 'Ratchet / quality');
      await pipeline.evaluate();
      await pipeline.runQuality();
    };
    await rerun();
    await rerun();
    const [first, ...told] = pipeline.qualityChecks();

    expect(first).toEqual(before);
    for (const [nth, { content, annotations }] of told.entries()) {
      const externalId = `${before?.content.externalId ?? ''}:${String(nth + 1)}`;
      expect(content).toEqual({ ...before?.content, externalId });
      expect(annotations).toEqual(before?.annotations);
    }
    expect(told).toHaveLength(2);
    expect(pipeline.sides.map(({ side }) => side.name)).toEqual(['head', 'base']);
    expect(pipeline.isQualityDue()).toBe(false);
    expect(pipeline.replies()).toEqual([]);
  });

  it('tell the newest result, also where the Re-run of an older check run was pressed: it would hide the newest', async () => {
    const pipeline = await startRun();
    pipeline.comment('/ratchet check');
    await pipeline.evaluate();
    await pipeline.runQuality();
    const [first, second] = pipeline.qualityChecks();
    const { headSha, headRef } = pipeline.github.facts();
    const where = { repository: aRepository(), headSha, headRef, author: READER };
    for (const [nth, checkRunId] of [first?.id ?? 0, 4711].entries()) {
      const event = { kind: 'rerun_requested', ...where, checkRunId } as const;
      const commands = [{ name: 'check', args: [] } as const];
      pipeline.store.ingest([aDelivery(`rerun-of-${String(nth)}`, event, { eventName: 'check_run', commands })]);
      await pipeline.evaluate();
      await pipeline.runQuality();
    }

    const newest = second?.content.externalId ?? '';
    expect(pipeline.qualityChecks().map(({ content }) => content.externalId)).toEqual([
      first?.content.externalId,
      newest,
      `${newest}:1`,
      `${newest}:2`,
    ]);
  });

  it('of all check runs of a head makes none where no engines ever ran', async () => {
    const pipeline = startQuality({ policyText: null });
    const { headSha, headRef } = pipeline.github.facts();
    const where = { repository: aRepository(), headSha, headRef };
    const event = { kind: 'rerun_requested', ...where, checkRunId: 9, author: WRITER } as const;
    const commands = [{ name: 'retry', args: [] } as const, { name: 'check', args: [] } as const];
    pipeline.store.ingest([aDelivery('suite', event, { eventName: 'check_suite', commands })]);
    await pipeline.evaluate();

    expect(pipeline.isQualityDue()).toBe(false);
    expect(pipeline.store.pendingCommands(pipeline.key)).toEqual([]);
  });
});

describe('/ratchet rebaseline', () => {
  it('accepts what is new on this head, with author and reason in store, log and check run, for later heads too', async () => {
    const pipeline = await startRun();
    pipeline.comment('/ratchet rebaseline the new rule comes with the next version, see there');
    await pipeline.evaluate();
    await pipeline.runQuality();
    pipeline.comment('/ratchet enable');
    pipeline.github.change({ headSha: fakeSha('next') });
    await pipeline.evaluate();
    await pipeline.runQuality();
    const reason = 'the new rule comes with the next version, see there';

    expect(pipeline.store.acceptances(pipeline.key)).toMatchObject([
      { author: WRITER, headSha: fakeSha('head'), acceptance: { reason, findings: [{ tool: 'eslint', line: 3 }] } },
    ]);
    expect(pipeline.transitions().find(({ code }) => code === 'REBASELINED')?.reason).toBe(
      `ada accepted 1 new findings of ${fakeSha('head')}: ${reason}`,
    );
    expect(pipeline.qualityChecks().map(({ content }) => [content.conclusion, content.title])).toEqual([
      ['failure', '1 new finding'],
      ['success', 'No new findings · 1 accepted'],
      ['success', 'No new findings · 1 accepted'],
    ]);
    expect(pipeline.qualityChecks()[1]?.content.summary).toContain(`1 by \`ada\`: ${reason}`);
  });

  it('does not accept what another head brings', async () => {
    const pipeline = await startRun();
    pipeline.comment('/ratchet rebaseline later');
    await pipeline.evaluate();
    pipeline.say('head', { runs: [aRun({ findings: [aFinding(), aFinding({ line: 9, message: 'another' })] })] });
    await pipeline.runQuality();

    expect(pipeline.qualityChecks().at(-1)?.content.title).toBe('1 new finding · 1 accepted');
  });

  it('without a reason is refused with a sentence', async () => {
    const pipeline = await startRun();
    pipeline.comment('/ratchet rebaseline');
    await pipeline.evaluate();

    expect(pipeline.replies()).toEqual([expect.stringContaining('it needs a reason')]);
    expect(pipeline.store.acceptances(pipeline.key)).toEqual([]);
    expect(pipeline.isQualityDue()).toBe(false);
  });

  it('is refused where there is no result on this head, and where nothing is new', async () => {
    const pipeline = startQuality();
    pipeline.comment('/ratchet rebaseline first');
    await pipeline.evaluate();
    await pipeline.runQuality();
    pipeline.comment('/ratchet rebaseline second');
    await pipeline.evaluate();
    const { headRef, baseRef } = pipeline.github.facts();
    const pushed = { kind: 'pull_request_changed', repository: aRepository(), number: 7, headRef, baseRef } as const;
    pipeline.store.ingest([aDelivery('pushed', { ...pushed, headSha: fakeSha('newer') })]);
    pipeline.comment('/ratchet rebaseline third');
    await pipeline.evaluate();

    expect(pipeline.replies()).toEqual([
      expect.stringContaining('have not come to a result on this head'),
      expect.stringContaining('there is no new finding on this head'),
      expect.stringContaining('have not come to a result on this head'),
    ]);
  });
});
