import type { Diagnosis } from '../model/workspace.ts';
import { toFailureSignature } from './failure-signature.ts';
import { findRedOnBase } from './find-red-on-base.ts';
import type { CiResult } from './latest-results.ts';
import { type FailedJob, looksFlaky } from './looks-flaky.ts';

/** What was read about one red CI result. */
export interface FailureInput {
  readonly ciRunId: string;
  /** Red jobs whose logs were read, as far as possible. */
  readonly read: readonly FailedJob[];
  /** Red jobs beyond the reading limit. */
  readonly unread: readonly CiResult[];
  /** Results at the merge base; empty if they could not be read. */
  readonly atBase: readonly CiResult[];
}

/** Classifies the failure (resolution S7), from data alone. Names are in input order. */
export function diagnoseFailure({ ciRunId, read, unread, atBase }: FailureInput): Diagnosis {
  const all = [...read, ...unread.map((check) => ({ check, text: null }))];
  const realNames = new Set(all.filter((job) => !looksFlaky(job)).map(({ check }) => check.name));
  const names = new Set(all.map(({ check }) => check.name));
  return {
    ciRunId,
    flaky: [...names].filter((name) => !realNames.has(name)),
    redOnBase: findRedOnBase(
      all.map(({ check }) => check),
      atBase,
    ),
    signature: toFailureSignature(read, unread),
  };
}
