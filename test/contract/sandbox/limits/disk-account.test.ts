import { describe, expect, it } from 'vitest';
import {
  type DiskAccount,
  type DiskReading,
  estimateUsage,
  isOver,
  openDiskAccount,
  settleMeasurement,
  toCurrentQuota,
} from '../../../../src/adapters/sandbox/limits/disk-account.ts';

const GIBIBYTE = 1024 ** 3;
const TOTAL = 100 * GIBIBYTE;
const QUOTA = { bytes: 800, entries: 50 };

function aReading(freeBytes: number, freeEntries: number): DiskReading {
  return { freeBytes, freeEntries, totalBytes: TOTAL };
}

const ACCOUNT: DiskAccount = { usage: { bytes: 100, entries: 10 }, reading: aReading(5000, 500), nextAt: 0 };

describe('the disk account of a command', () => {
  it('begins with nothing, and a look soon after', () => {
    expect(openDiskAccount(aReading(5000, 500), 40)).toEqual({
      usage: { bytes: 0, entries: 0 },
      reading: aReading(5000, 500),
      nextAt: 1040,
    });
  });

  it.each([
    ['the disk lost something', aReading(4700, 480), { bytes: 400, entries: 30 }],
    ['others freed something', aReading(9000, 900), { bytes: 100, entries: 10 }],
    ['nothing happened', aReading(5000, 500), { bytes: 100, entries: 10 }],
    ['the file system counts no inodes', aReading(4900, 0), { bytes: 200, entries: 510 }],
  ])('estimates the usage at most where %s', (_what, current, expected) => {
    expect(estimateUsage(ACCOUNT, current)).toEqual(expected);
  });

  it('believes a measurement that could read everything', () => {
    const measured = { bytes: 30, entries: 3, isComplete: true };

    expect(settleMeasurement(ACCOUNT, measured, { at: 10_000, reading: aReading(4000, 400) }, 10_100)).toEqual({
      usage: { bytes: 30, entries: 3 },
      reading: aReading(4000, 400),
      nextAt: 15_100,
    });
  });

  it('takes what could not be read for what the disk lost', () => {
    const began = { at: 0, reading: aReading(4000, 400) };
    const measure = (bytes: number, entries: number): DiskAccount['usage'] =>
      settleMeasurement(ACCOUNT, { bytes, entries, isComplete: false }, began, 0).usage;

    expect(measure(30, 3)).toEqual({ bytes: 1100, entries: 110 });
    expect(measure(2000, 300)).toEqual({ bytes: 2000, entries: 300 });
  });

  it('measures at most a tenth of the time', () => {
    const measured = { bytes: 0, entries: 0, isComplete: true };

    expect(settleMeasurement(ACCOUNT, measured, { at: 0, reading: ACCOUNT.reading }, 3000).nextAt).toBe(33_000);
  });

  it.each([
    [800, 50, false],
    [801, 0, true],
    [0, 51, true],
  ])('is over its quota with %i bytes and %i entries: %s', (bytes, entries, expected) => {
    expect(isOver({ bytes, entries }, QUOTA)).toBe(expected);
  });

  it.each([
    ['enough space', 3 * GIBIBYTE, TOTAL, 800],
    ['little space', 2 * GIBIBYTE - 1, TOTAL, 100],
    ['little space on a small disk', GIBIBYTE - 1, 20 * GIBIBYTE, 100],
    ['enough space on a small disk', GIBIBYTE, 20 * GIBIBYTE, 800],
  ])('has an eighth of its bytes where the disk is nearly full: %s', (_what, freeBytes, totalBytes, bytes) => {
    expect(toCurrentQuota(QUOTA, { freeBytes, totalBytes, freeEntries: 1 })).toEqual({ bytes, entries: 50 });
  });
});
