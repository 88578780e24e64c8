import { createHash } from 'node:crypto';
import type { Policy } from '../../core/model/policy.ts';
import { listChanges } from '../../core/policy/list-changes.ts';
import type { PushEffect } from '../../ports/store.ts';
import type { ReadFacts } from '../look/read-facts.ts';
import { type OrEnded, ok, superseded } from '../prepare/or-ended.ts';
import type { PreparedFixup } from './fixup-session.ts';

/** Keys of the policy that a change is made and judged by. Holds judge the others. */
const JUDGED_BY = /^(?:changes\.|(?:merge\.regenerate|setup|validate)$)/u;

/** The change was judged for one base branch and by its policy at the start. Under others it has to be judged anew. */
export function checkJudgedBy({ facts, policy }: PreparedFixup, now: ReadFacts): OrEnded<null> {
  const moved = checkBase(facts.baseRef, now);
  if (moved.kind === 'ended') return moved;
  const changed = listChanges(policy, now.taken.policy).find(({ name }) => JUDGED_BY.test(name));
  if (changed === undefined) return ok(null);
  return superseded('base_changed', `The policy of ${now.baseRef} changed: ${changed.name} is now ${changed.after}.`);
}

/** What a planned push was judged by. */
export function toJudgedBy(baseRef: string, policy: Policy): NonNullable<PushEffect['judgedBy']> {
  const { changes, merge, setup, validate } = policy;
  const text = JSON.stringify([changes, merge.regenerate, setup, validate]);
  return { baseRef, policyHash: createHash('sha256').update(text).digest('hex') };
}

/** `checkJudgedBy` for a planned push, which may be made long after the gate. */
export function checkPlannedBy({ judgedBy }: Pick<PushEffect, 'judgedBy'>, now: ReadFacts): OrEnded<null> {
  if (judgedBy === undefined) return ok(null);
  const moved = checkBase(judgedBy.baseRef, now);
  if (moved.kind === 'ended') return moved;
  if (toJudgedBy(now.baseRef, now.taken.policy).policyHash === judgedBy.policyHash) return ok(null);
  return superseded('base_changed', `The policy of ${now.baseRef} changed.`);
}

function checkBase(baseRef: string, now: ReadFacts): OrEnded<null> {
  if (now.baseRef === baseRef) return ok(null);
  return superseded('base_changed', `The base branch was ${baseRef} and is now ${now.baseRef}.`);
}
