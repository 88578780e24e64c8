import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  findExitCodeList,
  findOverlap,
  isInRange,
  NO_EXIT_CODES,
  renderOverlap,
  selectExitCodes,
  toOverlapError,
} from '../../../src/core/engines/exit-codes.ts';
import type { ExitCodes, VersionedExitCodes } from '../../../src/core/model/engine.ts';

const OLD: ExitCodes = { success: [0], diagnostic: [2], toolFailure: [3] };
const NEW: ExitCodes = { success: [0], diagnostic: [1], toolFailure: [2, 3] };
const REST: ExitCodes = { success: [], diagnostic: [9], toolFailure: [] };
const TABLE: readonly VersionedExitCodes[] = [
  { versions: '>=5 <6', codes: OLD },
  { versions: '>=5', codes: NEW },
  { versions: null, codes: REST },
];

function select(version: string | null, exitCodes: Partial<ExitCodes> = {}, table = TABLE): ExitCodes {
  return selectExitCodes({ exitCodes: table }, version, { exitCodes });
}

describe('selectExitCodes', () => {
  it.each([
    ['5.9.2', OLD],
    ['6.0.0', NEW],
    ['7.0.0-beta', NEW],
    ['5.0.0-dev.20260101', OLD],
    ['v5.1', OLD],
    ['go5', OLD],
    ['mypy 7.0.1 (compiled: yes)', NEW],
    ['4.9.9', REST],
    ['unknown', REST],
    ['', REST],
    [null, REST],
  ])('takes the first range that takes the version %j', (version, expected) => {
    expect(select(version)).toEqual(expected);
  });

  it.each([
    ['no range takes it', '1.0.0', TABLE.slice(0, 2)],
    ['the version is not known', null, TABLE.slice(0, 2)],
    ['nothing is declared', '5.0.0', []],
    ['a range is none', '5.0.0', [{ versions: 'newest', codes: OLD }]],
  ])('003.R18: leaves all to the conventions where %s', (_why, version, table) => {
    expect(select(version, {}, table)).toEqual({ success: [], diagnostic: [], toolFailure: [] });
  });

  it.each([
    ['a code moves to success', { success: [0, 1] }, { success: [0, 1], diagnostic: [], toolFailure: [2, 3] }],
    ['a code moves to diagnostic', { diagnostic: [1, 3] }, { success: [0], diagnostic: [1, 3], toolFailure: [2] }],
    ['a code moves to toolFailure', { toolFailure: [1, 0] }, { success: [], diagnostic: [], toolFailure: [1, 0] }],
    ['a list is emptied', { toolFailure: [] }, { success: [0], diagnostic: [1], toolFailure: [] }],
    [
      'two lists change places',
      { diagnostic: [2], toolFailure: [1] },
      { success: [0], diagnostic: [2], toolFailure: [1] },
    ],
    ['nothing is overridden', {}, NEW],
  ])('003.R17: lets the policy override list by list: %s', (_what, exitCodes, expected) => {
    expect(select('6.0.0', exitCodes)).toEqual(expected);
  });

  it('C9: does not hide that the policy puts a code into two lists', () => {
    expect(findOverlap(select('6.0.0', { success: [4], toolFailure: [4] }))).toMatchObject({ code: 4 });
  });

  it('changes neither the catalogue nor the policy', () => {
    const before = structuredClone(TABLE);
    const exitCodes = { success: [1] };

    select('6.0.0', exitCodes);

    expect(TABLE).toEqual(before);
    expect(exitCodes).toEqual({ success: [1] });
  });

  it('C9: makes no overlap where neither side has one', () => {
    const codes = fc
      .uniqueArray(fc.nat(20), { maxLength: 9 })
      .map((all): ExitCodes => ({ success: all.slice(0, 3), diagnostic: all.slice(3, 6), toolFailure: all.slice(6) }));
    const overrides = fc.tuple(codes, fc.subarray(['success', 'diagnostic', 'toolFailure'] as const));
    fc.assert(
      fc.property(codes, overrides, (declared, [given, lists]) => {
        const exitCodes = Object.fromEntries(lists.map((list) => [list, given[list]]));
        const selected = select(null, exitCodes, [{ versions: null, codes: declared }]);

        expect(findOverlap(selected)).toBeNull();
        for (const list of lists) expect(selected[list]).toEqual(given[list]);
      }),
    );
  });
});

describe('isInRange', () => {
  it.each([
    ['1.11', '1.11', true],
    ['1.11.1', '1.11', true],
    ['1.9', '1.11', false],
    ['2', '1.11', true],
    ['go1.21.3', '1.21', true],
    ['v0.9.9', '0.10', false],
    ['dev', '0.1', false],
    [null, '0.1', false],
  ])('%s against %s: %s', (version, minimum, expected) => {
    expect(isInRange(version, `>=${minimum}`)).toBe(expected);
  });
});

describe('findExitCodeList', () => {
  it.each([
    [0, 'success'],
    [2, 'toolFailure'],
    [1, 'diagnostic'],
    [7, null],
  ])('finds %i in %s', (code, list) => {
    expect(findExitCodeList(code, NEW)).toBe(list);
  });

  it('003.R6: looks into toolFailure, then success, then diagnostic', () => {
    expect(findExitCodeList(1, { success: [1], diagnostic: [1], toolFailure: [1] })).toBe('toolFailure');
    expect(findExitCodeList(1, { success: [1], diagnostic: [1], toolFailure: [] })).toBe('success');
  });
});

describe('findOverlap', () => {
  it.each([
    ['success and diagnostic', { success: [5], diagnostic: [1, 5], toolFailure: [] }, 5, ['success', 'diagnostic']],
    ['success and toolFailure', { success: [0, 6], diagnostic: [], toolFailure: [6] }, 6, ['toolFailure', 'success']],
    [
      'diagnostic and toolFailure',
      { success: [], diagnostic: [0], toolFailure: [0] },
      0,
      ['toolFailure', 'diagnostic'],
    ],
    ['all three', { success: [1], diagnostic: [1], toolFailure: [1] }, 1, ['toolFailure', 'success', 'diagnostic']],
  ])('C9: finds a code in %s', (_where, codes, code, lists) => {
    expect(findOverlap(codes)).toEqual({ code, lists });
  });

  it.each([
    ['different codes', NEW],
    ['a code twice in one list', { success: [1, 1], diagnostic: [], toolFailure: [] }],
    ['no codes', NO_EXIT_CODES],
  ])('finds none in %s', (_what, codes) => {
    expect(findOverlap(codes)).toBeNull();
  });

  it('C9: is an error of the engine only if its own lists have one', () => {
    expect(toOverlapError('eslint', { exitCodes: { success: [0, 3], diagnostic: [3] } })).toEqual([
      {
        engine: 'eslint',
        code: 'OVERLAPPING_EXIT_CODES',
        message: 'exit code 3 stands in success and in diagnostic',
      },
    ]);
    expect(toOverlapError('eslint', { exitCodes: { success: [0], diagnostic: [3] } })).toEqual([]);
  });

  it('is told in a line', () => {
    expect(renderOverlap({ code: 1, lists: ['toolFailure', 'success'] })).toBe(
      'exit code 1 stands in toolFailure and in success',
    );
  });
});
