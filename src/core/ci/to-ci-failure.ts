import type { Asked } from '../model/ask.ts';
import type { Policy } from '../model/policy.ts';
import type { CiFailure } from '../model/snapshot.ts';
import type { Diagnosis } from '../model/workspace.ts';
import type { CiResult } from './latest-results.ts';
import { planRerun } from './plan-rerun.ts';

/** A diagnosis, and what decides what it means now. */
export interface CiFailureInput {
  readonly diagnosis: Diagnosis;
  readonly failing: readonly CiResult[];
  readonly headSha: string;
  readonly rerun: Asked['rerun'];
  readonly policy: Pick<Policy, 'ci'>;
  readonly sameAsBefore: boolean;
}

/** What a diagnosis means for the decision. */
export function toCiFailure({ diagnosis, failing, headSha, rerun, policy, sameAsBefore }: CiFailureInput): CiFailure {
  const { flaky, person, redOnBase, repairedOnBase } = diagnosis;
  const isLeft = createLeft(diagnosis, policy);
  const isNothingLeft = failing.length > 0 && !failing.some(isLeft);
  return {
    rerunnable: policy.ci.rerunFlaky && planRerun(failing, { headSha, flaky, rerun }) !== null,
    repairedOnBase: repairedOnBase.length > 0,
    person: isNothingLeft ? (person[0] ?? null) : null,
    redOnBase: failing.length > 0 && failing.every(({ name }) => redOnBase.includes(name)),
    sameAsBefore,
  };
}

/** Whether a red job is left to an agent: its code can mend it, and the failure is not that of the base branch. */
export function createLeft(
  { person, redOnBase }: Pick<Diagnosis, 'person' | 'redOnBase'>,
  { ci }: { readonly ci: Pick<Policy['ci'], 'fixRedOnBase'> },
): (check: Pick<CiResult, 'name'>) => boolean {
  const others = new Set([...person.map(({ name }) => name), ...(ci.fixRedOnBase ? [] : redOnBase)]);
  return ({ name }) => !others.has(name);
}
