import type { Mode, Policy } from '../model/policy.ts';
import type { Ceilings } from './operator-policy.ts';

/** A policy under the operator's ceilings. */
export interface ClampedPolicy {
  readonly policy: Policy;
  /** What was asked for and not given, one line each: `maxAttempts: 10 → 5 (operator)`. */
  readonly clamped: readonly string[];
}

/** Lowers what lies above a ceiling, and says so. */
export function clampPolicy(policy: Policy, ceilings: Ceilings): ClampedPolicy {
  const clamped: string[] = [];
  const atMost = createAtMost((line) => clamped.push(line));
  const under: Policy = {
    ...policy,
    mode: atMost('mode', policy.mode, ceilings.mode, isMoreMode),
    ...clampNumbers(atMost, policy, ceilings),
    changes: clampChanges(atMost, policy, ceilings),
    ci: clampCi(atMost, policy, ceilings),
    merge: clampMerge(atMost, policy, ceilings),
    reviews: clampReviews(atMost, policy, ceilings),
    engines: clampEngines(atMost, policy, ceilings),
    autoMerge: atMost('autoMerge', policy.autoMerge, ceilings.autoMerge, isOther),
    labels: {
      ...policy.labels,
      enable: atMost('labels.enable', policy.labels.enable, ceilings.labels?.enable, isOther),
    },
  };
  return { policy: under, clamped };
}

type IsMore<Value> = (wanted: Value, ceiling: Value) => boolean;
type AtMost = <Value>(name: string, wanted: Value, ceiling: Value | undefined, isMore: IsMore<Value>) => Value;

/** Gives `wanted`, or the ceiling where `wanted` is more, and then tells so. */
function createAtMost(tell: (line: string) => void): AtMost {
  return (name, wanted, ceiling, isMore) => {
    if (ceiling === undefined || !isMore(wanted, ceiling)) return wanted;
    tell(`${name}: ${String(wanted)} → ${String(ceiling)} (operator)`);
    return ceiling;
  };
}

type LimitName = 'maxAttempts' | 'maxLaunchesPerDay' | 'sessionTimeoutMinutes' | 'validateTimeoutMinutes';

function clampNumbers(atMost: AtMost, policy: Policy, ceilings: Ceilings): Pick<Policy, LimitName> {
  const clamp = (name: LimitName): number => atMost(name, policy[name], ceilings[name], isGreater);
  return {
    maxAttempts: clamp('maxAttempts'),
    maxLaunchesPerDay: clamp('maxLaunchesPerDay'),
    sessionTimeoutMinutes: clamp('sessionTimeoutMinutes'),
    validateTimeoutMinutes: clamp('validateTimeoutMinutes'),
  };
}

function clampChanges(atMost: AtMost, { changes }: Policy, ceilings: Ceilings): Policy['changes'] {
  const clamp = (name: 'maxFiles' | 'maxLines' | 'maxBytes'): number =>
    atMost(`changes.${name}`, changes[name], ceilings.changes?.[name], isGreater);
  return { ...changes, maxFiles: clamp('maxFiles'), maxLines: clamp('maxLines'), maxBytes: clamp('maxBytes') };
}

function clampCi(atMost: AtMost, { ci }: Policy, ceilings: Ceilings): Policy['ci'] {
  const clamp = (name: 'rerunFlaky' | 'fixRedOnBase'): boolean =>
    atMost<boolean>(`ci.${name}`, ci[name], ceilings.ci?.[name], isOther);
  return { ...ci, rerunFlaky: clamp('rerunFlaky'), fixRedOnBase: clamp('fixRedOnBase') };
}

function clampMerge(atMost: AtMost, { merge }: Policy, ceilings: Ceilings): Policy['merge'] {
  const clamp = (name: 'resolveConflicts' | 'updateBranch'): boolean =>
    atMost<boolean>(`merge.${name}`, merge[name], ceilings.merge?.[name], isOther);
  return { ...merge, resolveConflicts: clamp('resolveConflicts'), updateBranch: clamp('updateBranch') };
}

function clampReviews(atMost: AtMost, { reviews }: Policy, ceilings: Ceilings): Policy['reviews'] {
  const clamp = (name: 'fix' | 'resolveThreads'): boolean =>
    atMost<boolean>(`reviews.${name}`, reviews[name], ceilings.reviews?.[name], isOther);
  return { ...reviews, fix: clamp('fix'), resolveThreads: clamp('resolveThreads') };
}

/** What a policy says nothing of is capped where the engine runs. */
function clampEngines(atMost: AtMost, { engines }: Policy, ceilings: Ceilings): Policy['engines'] {
  if (engines === null) return null;
  const ceiling = ceilings.engines?.timeoutSeconds;
  const entries = Object.entries(engines.engines).map(([id, settings]) => {
    const { timeoutSeconds: wanted } = settings;
    const timeoutSeconds = wanted === null ? null : atMost(`engines.${id}.timeoutSeconds`, wanted, ceiling, isGreater);
    return [id, { ...settings, timeoutSeconds }] as const;
  });
  return { ...engines, engines: Object.fromEntries(entries) };
}

const MODES: readonly Mode[] = ['observe', 'suggest', 'push'];

function isMoreMode(wanted: Mode, ceiling: Mode): boolean {
  return MODES.indexOf(wanted) > MODES.indexOf(ceiling);
}

function isGreater(wanted: number, ceiling: number): boolean {
  return wanted > ceiling;
}

/** Of settings with a single ceiling: whatever differs from it is more. */
function isOther(wanted: unknown, ceiling: unknown): boolean {
  return wanted !== ceiling;
}
