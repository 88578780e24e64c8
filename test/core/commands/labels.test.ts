import { describe, expect, it } from 'vitest';
import { isLabelOfOurs, isSameLabel } from '../../../src/core/commands/labels.ts';

describe('isLabelOfOurs', () => {
  it.each(['ratchet', 'Ratchet', 'RATCHET:hold', 'ratchet-docs'])('may be %s', (label) => {
    expect(isLabelOfOurs(label)).toBe(true);
  });

  it.each(['', 'ratche', 'my ratchet', ' ratchet', 'bug'])('is not %j', (label) => {
    expect(isLabelOfOurs(label)).toBe(false);
  });
});

describe('isSameLabel', () => {
  it('takes no notice of the case, as GitHub does', () => {
    expect(isSameLabel('Ratchet:Hold', 'ratchet:hold')).toBe(true);
    expect(isSameLabel('ratchet', 'RATCHET')).toBe(true);
  });

  it.each(['ratchet:hold2', '', 'ratchet:'])('tells %j from it', (label) => {
    expect(isSameLabel(label, 'ratchet:hold')).toBe(false);
  });

  it('has nothing equal to the label that policy does not name', () => {
    expect(isSameLabel('', null)).toBe(false);
    expect(isSameLabel('null', null)).toBe(false);
    expect(isSameLabel('undefined', null)).toBe(false);
  });
});
