import { describe, expect, it } from 'vitest';
import { fakeSha } from '../support/builders.ts';
import { A_NEW_FINDING, startFound } from '../support/decision-stories.ts';

describe('new findings of the engines', () => {
  it('lead to a fixup where the policy has them fixed', async () => {
    const pipeline = await startFound();

    expect(pipeline.lastCode()).toBe('QUALITY_FINDINGS');
    expect(pipeline.isDue('fixup')).toBe(true);
    expect(pipeline.liveSession()?.fixup).toMatchObject({ action: 'FIX_CI', attempt: 1 });
  });

  it('change no decision without the policy key', async () => {
    const pipeline = await startFound({}, 'ci: { settleSeconds: 0 }');

    expect(pipeline.lastCode()).toBe('ALL_GREEN');
    expect(pipeline.isDue('fixup')).toBe(false);
  });

  it('are not known from a run of another head, or from one that was cut off', async () => {
    const stale = await startFound({ headSha: fakeSha('an older head') });
    const cut = await startFound({ conclusion: 'interrupted', newFindings: [A_NEW_FINDING] });

    expect([stale.lastCode(), cut.lastCode()]).toEqual(['ALL_GREEN', 'ALL_GREEN']);
    expect([stale.isDue('fixup'), cut.isDue('fixup')]).toEqual([false, false]);
  });
});
