import { describe, expect, it } from 'vitest';
import { assembleCatalogue, CATALOGUE } from '../../src/engines/catalogue.ts';
import { aSpec } from '../support/plan-builders.ts';

describe('the catalogue', () => {
  it('is sorted by id, whatever the order of its files', () => {
    const ids = CATALOGUE.map(({ id }) => id);

    expect(ids).toEqual(ids.toSorted());
    expect(assembleCatalogue([aSpec({ id: 'b' }), aSpec({ id: 'a' })]).map(({ id }) => id)).toEqual(['a', 'b']);
  });

  it('is refused at the start where one code stands in two lists (003.R22, C9)', () => {
    const codes = { success: [0, 2], diagnostic: [1], toolFailure: [2] };
    const broken = aSpec({ id: 'broken', exitCodes: [{ versions: null, codes }] });

    expect(() => assembleCatalogue([aSpec(), broken])).toThrow('"broken"');
  });

  it('is refused at the start where two tools have one name', () => {
    expect(() => assembleCatalogue([aSpec(), aSpec()])).toThrow('more than once');
  });
});
