import { describe, expect, it } from 'vitest';
import { maySpend } from '../../../src/core/spend/may-spend.ts';

const widget = { owner: 'acme', name: 'widget' };

describe('maySpend', () => {
  it.each([
    ['no list, own account', { entries: null, appOwner: 'acme' }, 'yes'],
    ['no list, own account in capitals', { entries: null, appOwner: 'ACME' }, 'yes'],
    ['no list, another account', { entries: null, appOwner: 'acme-corp' }, 'no'],
    ['no list, account not known', { entries: null, appOwner: null }, 'unknown'],
    ['an empty list', { entries: [], appOwner: 'acme' }, 'no'],
    ['the owner', { entries: ['octo', 'Acme'], appOwner: null }, 'yes'],
    ['the repository', { entries: ['acme/Widget'], appOwner: null }, 'yes'],
    ['another repository', { entries: ['acme/widgets', 'acme/widge'], appOwner: null }, 'no'],
    ['an owner with the name of the repository', { entries: ['widget', 'octo/widget'], appOwner: null }, 'no'],
    ['a list without the own account', { entries: ['octo'], appOwner: 'acme' }, 'no'],
  ] as const)('%s', (_what, list, expected) => {
    expect(maySpend(list, widget)).toBe(expected);
  });
});
