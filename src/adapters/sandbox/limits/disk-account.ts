import type { DiskUsage, Measurement } from './measure-folders.ts';

/** What a file system has left. */
export interface DiskReading {
  readonly freeBytes: number;
  readonly freeEntries: number;
  /** Size of the whole file system. */
  readonly totalBytes: number;
}

/** What is known about the disk usage of a command. */
export interface DiskAccount {
  /** The last measurement. Before the first, nothing. */
  readonly usage: DiskUsage;
  /** The reading that the measurement began with. */
  readonly reading: DiskReading;
  /** When to measure again, even if the disk did not grow. */
  readonly nextAt: number;
}

const FIRST_AFTER_MS = 1000;
const PAUSE_MS = 5000;
/** Measuring takes at most a tenth of the time. */
const PAUSE_FACTOR = 10;
/** Below this much free space, each command has only an eighth of its quota. */
const FLOOR_BYTES = 2 * 1024 ** 3;
const FLOOR_SHARE = 0.05;
const SHARE_AT_FLOOR = 1 / 8;

export function openDiskAccount(reading: DiskReading, now: number): DiskAccount {
  return { usage: { bytes: 0, entries: 0 }, reading, nextAt: now + FIRST_AFTER_MS };
}

/**
 * What the command uses at most: what was measured, and what the disk has lost since. Others write to the same disk, so this only
 * tells when to measure.
 */
export function estimateUsage({ usage, reading }: DiskAccount, current: DiskReading): DiskUsage {
  return {
    bytes: usage.bytes + Math.max(0, reading.freeBytes - current.freeBytes),
    entries: usage.entries + Math.max(0, reading.freeEntries - current.freeEntries),
  };
}

/** The quota of a command, smaller where the disk is nearly full. */
export function toCurrentQuota(quota: DiskUsage, { freeBytes, totalBytes }: DiskReading): DiskUsage {
  const isNearlyFull = freeBytes < Math.min(FLOOR_BYTES, totalBytes * FLOOR_SHARE);
  return isNearlyFull ? { ...quota, bytes: quota.bytes * SHARE_AT_FLOOR } : quota;
}

/**
 * The account after a measurement that began at `began` and ended at `now`. What could not be read is taken to be what the disk
 * has lost: a command that closes its folders to hide them gains nothing.
 */
export function settleMeasurement(
  account: DiskAccount,
  measurement: Measurement,
  began: { readonly at: number; readonly reading: DiskReading },
  now: number,
): DiskAccount {
  const estimate = estimateUsage(account, began.reading);
  const usage = measurement.isComplete
    ? { bytes: measurement.bytes, entries: measurement.entries }
    : {
        bytes: Math.max(measurement.bytes, estimate.bytes),
        entries: Math.max(measurement.entries, estimate.entries),
      };
  return { usage, reading: began.reading, nextAt: now + Math.max(PAUSE_MS, PAUSE_FACTOR * (now - began.at)) };
}

export function isOver(usage: DiskUsage, quota: DiskUsage): boolean {
  return usage.bytes > quota.bytes || usage.entries > quota.entries;
}
