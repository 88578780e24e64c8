import { describe, expect, it } from 'vitest';
import type { Event } from '../../src/core/model/event.ts';
import type { Actor } from '../../src/core/model/pull-request.ts';
import { toDelivery } from '../../src/webhooks/to-delivery.ts';
import { aPerson } from '../support/builders.ts';
import { aDelivery, aRepository, fakeSha } from '../support/store.ts';

const where = { repository: aRepository(), number: 7, headSha: fakeSha('head'), headRef: 'f', baseRef: 'main' };

function commandsOf(event: Event): unknown {
  const { id } = aDelivery('it', null);
  const mapped = { id, eventName: 'any', body: Buffer.from('{}'), payload: {}, receivedAt: 1, event };
  return toDelivery(mapped, () => [{ name: 'stop', args: [] }]).commands;
}

function events(author: Actor): readonly Event[] {
  return [
    { kind: 'label_changed', ...where, label: 'ratchet', change: 'added', author },
    { kind: 'label_changed', ...where, label: 'ratchet', change: 'removed', author },
    { kind: 'rerun_requested', ...where, checkRunId: 9, author },
    { kind: 'rerun_requested', ...where, checkRunId: 9, checkName: 'Ratchet', author },
    { kind: 'rerun_requested', ...where, checkRunId: 9, checkName: 'Ratchet / quality', author },
    { kind: 'button_pressed', ...where, checkRunId: 9, button: 'why', args: [], author },
    { kind: 'comment_created', ...where, comment: { kind: 'issue_comment', id: 1, body: '' }, author },
  ];
}

describe('the commands of a delivery', () => {
  it('are what a person asked by a label, a Re-run, a button or a comment', () => {
    expect(events(aPerson()).map(commandsOf)).toEqual([
      [{ name: 'enable', args: ['ratchet'] }],
      [{ name: 'disable', args: ['ratchet'] }],
      [
        { name: 'retry', args: [] },
        { name: 'check', args: [] },
      ],
      [{ name: 'retry', args: [] }],
      [{ name: 'check', args: [] }],
      [{ name: 'why', args: [] }],
      [{ name: 'stop', args: [] }],
    ]);
  });

  it('of a bot are none but of a Re-run, which is refused where it is carried out (T9)', () => {
    const check = { name: 'check', args: [] };
    const retry = { name: 'retry', args: [] };

    expect(events(aPerson({ kind: 'bot' })).map(commandsOf)).toEqual([
      [],
      [],
      [retry, check],
      [retry],
      [check],
      [],
      [],
    ]);
  });
});

describe('the body hash of a delivery', () => {
  const hashOf = (guid: string, event: Event): string =>
    toDelivery({ ...aDelivery(guid, null), eventName: 'any', body: Buffer.from('{}'), payload: {}, event }, () => [])
      .bodyHash;
  const [label, , rerun, , , button, comment] = events(aPerson());

  it.each([
    ['a button', button],
    ['a Re-run', rerun],
  ])('of %s that is pressed again differs: GitHub sends the same body (S45)', (_what, event) => {
    if (event === undefined) throw new Error('there is no such event');
    expect(hashOf('one', event)).not.toBe(hashOf('two', event));
    expect(hashOf('one', event)).toBe(hashOf('one', event));
  });

  it.each([
    ['a label', label],
    ['a comment', comment],
  ])('of %s is that of its body, whatever its GUID (T2)', (_what, event) => {
    if (event === undefined) throw new Error('there is no such event');
    expect(hashOf('one', event)).toBe(hashOf('two', event));
  });
});
