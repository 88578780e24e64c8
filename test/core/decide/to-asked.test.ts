import { describe, expect, it } from 'vitest';
import { toAsked, toAskKey } from '../../../src/core/decide/to-asked.ts';
import type { Ask, RerunEffect, UpdateEffect } from '../../../src/core/model/ask.ts';
import { toPullRequestKey } from '../../../src/core/model/ids.ts';
import { fakeSha } from '../../support/builders.ts';

const HEAD = fakeSha('head');
const NEXT = fakeSha('next');
const key = toPullRequestKey(10, 7);

function aRerun(change: Partial<RerunEffect> = {}, ask: Partial<Ask> = {}): Ask {
  const effect: RerunEffect = {
    kind: 'rerun',
    freshStart: 0,
    headSha: HEAD,
    ciRunId: 'run-1',
    names: ['unit'],
    ...change,
  };
  return { effect, createdAt: 5, outcome: 'asked', ...ask };
}

function anUpdate(change: Partial<UpdateEffect> = {}, ask: Partial<Ask> = {}): Ask {
  const baseSha = fakeSha('base');
  const effect: UpdateEffect = {
    kind: 'update_branch',
    freshStart: 0,
    headSha: HEAD,
    baseSha,
    ciRunId: null,
    ...change,
  };
  return { effect, createdAt: 6, outcome: 'asked', ...ask };
}

describe('what GitHub was asked for', () => {
  it('is nothing where nothing was asked for', () => {
    expect(toAsked([], { freshStarts: 0 }, HEAD)).toEqual({ rerun: null, branchUpdate: null });
  });

  it('is one re-run for a head: the newest result, and every job that was run again there', () => {
    const asks = [aRerun({ ciRunId: 'run-2', names: ['e2e'] }, { createdAt: 9 }), anUpdate(), aRerun()];

    expect(toAsked(asks, { freshStarts: 0 }, HEAD).rerun).toEqual({
      ...{ headSha: HEAD, ciRunId: 'run-2', names: ['unit', 'e2e'], at: 9 },
    });
  });

  it('at another head does not count; an update does, for it changes the head', () => {
    expect(toAsked([aRerun(), anUpdate()], { freshStarts: 0 }, NEXT)).toEqual({
      rerun: null,
      branchUpdate: { headSha: HEAD, baseSha: fakeSha('base'), ciRunId: null, at: 6 },
    });
  });

  it('is the newest update', () => {
    const asks = [anUpdate({ baseSha: NEXT, ciRunId: 'run-1' }, { createdAt: 8 }), anUpdate()];

    expect(toAsked(asks, { freshStarts: 0 }, HEAD).branchUpdate).toMatchObject({
      baseSha: NEXT,
      ciRunId: 'run-1',
      at: 8,
    });
  });

  it('before a fresh start counts no more', () => {
    const asks = [aRerun({ freshStart: 1, ciRunId: 'run-3' }), aRerun(), anUpdate()];

    expect(toAsked(asks, { freshStarts: 1 }, HEAD)).toMatchObject({ rerun: { ciRunId: 'run-3', names: ['unit'] } });
    expect(toAsked(asks, { freshStarts: 1 }, HEAD).branchUpdate).toBeNull();
  });

  it.each<[string | null, number]>([
    ['refused', 0],
    ['asked', 5],
    ['unknown', 5],
    [null, 5],
  ])('with the outcome %s is waited for since %s', (outcome, at) => {
    expect(toAsked([aRerun({}, { outcome })], { freshStarts: 0 }, HEAD).rerun?.at).toBe(at);
    expect(toAsked([anUpdate({}, { outcome, createdAt: 5 })], { freshStarts: 0 }, HEAD).branchUpdate?.at).toBe(at);
  });
});

describe('the key of what GitHub is asked for', () => {
  const rerun = aRerun().effect;
  const update = anUpdate().effect;

  it('is one for each CI result of a head', () => {
    const other = aRerun({ names: ['e2e'] }).effect;
    const others = [aRerun({ ciRunId: 'run-2' }), aRerun({ headSha: NEXT }), aRerun({ freshStart: 1 })];

    expect(toAskKey(key, other)).toBe(toAskKey(key, rerun));
    expect(new Set([rerun, ...others.map(({ effect }) => effect)].map((effect) => toAskKey(key, effect))).size).toBe(4);
    expect(toAskKey(toPullRequestKey(10, 8), rerun)).not.toBe(toAskKey(key, rerun));
  });

  it('is one for each commit of the base', () => {
    expect(toAskKey(key, anUpdate({ headSha: NEXT, ciRunId: 'run-2' }).effect)).toBe(toAskKey(key, update));
    expect(toAskKey(key, anUpdate({ baseSha: NEXT }).effect)).not.toBe(toAskKey(key, update));
    expect(toAskKey(key, anUpdate({ freshStart: 1 }).effect)).not.toBe(toAskKey(key, update));
  });
});
