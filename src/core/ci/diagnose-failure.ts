import type { Diagnosis } from '../model/workspace.ts';
import { toFailureSignature } from './failure-signature.ts';
import { findRedOnBase } from './find-red-on-base.ts';
import type { CiResult } from './latest-results.ts';
import { type FailedJob, looksFlaky } from './looks-flaky.ts';

/** What was read about one red CI result. */
export interface FailureInput {
  readonly ciRunId: string;
  /** Red jobs that were read, as far as they could be. */
  readonly read: readonly FailedJob[];
  /** Red jobs beyond the bound of what is read. */
  readonly unread: readonly CiResult[];
  /** Results at the merge base; empty when they could not be read. */
  readonly atBase: readonly CiResult[];
}

/** What kind of failure it is (resolution S7), from data alone; the names sorted as they came. */
export function diagnoseFailure({ ciRunId, read, unread, atBase }: FailureInput): Diagnosis {
  const all = [...read, ...unread.map((check) => ({ check, text: null }))];
  const real = new Set(all.filter((job) => !looksFlaky(job)).map(({ check }) => check.name));
  const names = new Set(all.map(({ check }) => check.name));
  return {
    ciRunId,
    flaky: [...names].filter((name) => !real.has(name)),
    redOnBase: findRedOnBase(
      all.map(({ check }) => check),
      atBase,
    ),
    signature: toFailureSignature(read, unread),
  };
}
