import { describe, expect, it } from 'vitest';
import { checkCatalogue } from '../../../src/core/engines/check-catalogue.ts';
import type { ExitCodes } from '../../../src/core/model/engine.ts';
import { CATALOGUE } from '../../../src/engines/catalogue.ts';

type CheckedSpec = Parameters<typeof checkCatalogue>[0][number];

function aSpec(change: Partial<CheckedSpec> = {}): CheckedSpec {
  return { id: 'eslint', exitCodes: [{ versions: null, codes: someCodes() }], ignoreExit: [], ...change };
}

function someCodes(change: Partial<ExitCodes> = {}): ExitCodes {
  return { success: [0], diagnostic: [1], toolFailure: [2], ...change };
}

describe('checkCatalogue', () => {
  it('C9, C12 and 003.R22: finds nothing wrong with the catalogue that is shipped', () => {
    expect(checkCatalogue(CATALOGUE)).toEqual([]);
  });

  it('takes different engines, several ranges and ignored codes', () => {
    const ranges = [
      { versions: '<7', codes: someCodes({ diagnostic: [2], toolFailure: [1] }) },
      { versions: null, codes: someCodes() },
    ];

    expect(checkCatalogue([aSpec(), aSpec({ id: 'go-vet2', exitCodes: ranges, ignoreExit: [0, 3] })])).toEqual([]);
    expect(checkCatalogue([])).toEqual([]);
  });

  it.each([
    [
      'C9: a code in two lists',
      { exitCodes: [{ versions: null, codes: someCodes({ success: [0, 2] }) }] },
      ['"eslint": exit code 2 stands in toolFailure and in success'],
    ],
    [
      'C9: a code in two lists of a later range',
      {
        exitCodes: [
          { versions: '<7', codes: someCodes() },
          { versions: null, codes: someCodes({ diagnostic: [0] }) },
        ],
      },
      ['"eslint": exit code 0 stands in success and in diagnostic'],
    ],
    [
      'C12: an ignored code that is a tool failure',
      { ignoreExit: [1, 2] },
      ['"eslint": exit code 2 is ignored and a tool failure'],
    ],
    [
      'a range that is none',
      { exitCodes: [{ versions: 'newest', codes: someCodes() }] },
      ['"eslint": "newest" is no range of versions'],
    ],
    [
      'codes that never count',
      {
        exitCodes: [
          { versions: null, codes: someCodes() },
          { versions: '>=7', codes: someCodes() },
        ],
      },
      ['"eslint": exit codes of all versions come last: what follows never counts'],
    ],
    [
      'what is no exit code',
      {
        exitCodes: [{ versions: null, codes: { success: [-1], diagnostic: [1.5], toolFailure: [Infinity] } }],
        ignoreExit: [-2],
      },
      [
        '"eslint": -1 is no exit code',
        '"eslint": 1.5 is no exit code',
        '"eslint": Infinity is no exit code',
        '"eslint": -2 is no exit code',
      ],
    ],
  ])('refuses %s (003.R22)', (_what, change, problems) => {
    expect(checkCatalogue([aSpec(change)])).toEqual(problems);
  });

  it.each(['', 'ESLint', 'go test', 'go--vet', '-go', 'go-', 'go_vet', 'go.vet', 'x\n'])(
    'refuses the id %j (003.R22)',
    (id) => {
      expect(checkCatalogue([aSpec({ id })])).toEqual([
        `${JSON.stringify(id)}: an id is made of lower case letters, digits and single hyphens`,
      ]);
    },
  );

  it('refuses an id that is there twice, and says so once (003.R22)', () => {
    expect(checkCatalogue([aSpec(), aSpec({ id: 'tsc' }), aSpec(), aSpec()])).toEqual([
      '"eslint" is there more than once',
    ]);
  });
});
