import { expect, it } from 'vitest';
import { startPipeline } from '../support/pipeline-fixture.ts';

it.each([
  ['/ratchet enable', '/ratchet disable', 'disabled'],
  ['/ratchet disable', '/ratchet enable', 'enabled'],
] as const)('%s that arrives after a newer %s changes nothing, and is answered', async (late, newer, enablement) => {
  const pipeline = startPipeline();
  pipeline.comment('/ratchet enable');
  await pipeline.evaluate();
  // Two comments in their order. The delivery of the first was lost and comes later.
  const lost = pipeline.holdComment(late);
  pipeline.comment(newer);
  await pipeline.evaluate();
  const before = pipeline.workspace().freshStarts;

  lost.arrive();
  await pipeline.evaluate();

  expect(pipeline.workspace().enablement).toBe(enablement);
  expect(pipeline.workspace().freshStarts).toBe(before);
  expect(pipeline.replies().at(-1)).toContain('a newer command was carried out before this one arrived');
});

it('a command that arrives late is carried out where nothing newer was decided', async () => {
  const pipeline = startPipeline();
  const lost = pipeline.holdComment('/ratchet enable');
  pipeline.comment('/ratchet status');
  await pipeline.evaluate();

  lost.arrive();
  await pipeline.evaluate();

  expect(pipeline.workspace().enablement).toBe('enabled');
});
