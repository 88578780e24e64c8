import type { AgentStanding, LASTING_SCOPES } from '../model/agent-standing.ts';
import type { EpochMs } from '../model/ids.ts';
import type { AgentSwitch, ModelCircuit, SpendLimits, Spent } from '../model/spend.ts';
import { findExceeded } from '../spend/check-limits.ts';
import { toNextPeriod } from '../spend/next-period.ts';
import { toCircuitState } from './judge-circuit.ts';

type LastingScope = (typeof LASTING_SCOPES)[number];

/** Facts about the agent of a pull request. */
export interface AgentFacts {
  readonly agent: string;
  /** null: the agent has no model, so it spends nothing. */
  readonly model: {
    readonly isAllowed: boolean;
    readonly limits: SpendLimits;
    readonly spent: Readonly<Record<LastingScope, Pick<Spent, 'microUsd' | 'calls'>>>;
    /** Whether its key file could be read. */
    readonly isKeyUsable: boolean;
    readonly circuit: ModelCircuit | null;
    /** Another fixup was launched after the time of the circuit was over. */
    readonly isTried: boolean;
  } | null;
  readonly switchedOff: AgentSwitch | null;
  readonly now: EpochMs;
}

/** The longest-lasting first. */
const CHECKED_SCOPES = ['pull_request', 'month', 'day'] as const;

/** The least that a call can cost. */
const LEAST_MICRO_USD = 1;

/** How often to look whether the fixup that tries a model has found it to work. */
const TRIAL_CHECK_MS = 60_000;

/** Whether the agent may be launched. What people have to end comes first. */
export function toAgentStanding({ agent, model, switchedOff, now }: AgentFacts): AgentStanding {
  if (switchedOff !== null) {
    const { repositoryId, by, reason, offSince } = switchedOff;
    return { kind: 'switched_off', isEverywhere: repositoryId === null, by, reason, since: offSince };
  }
  if (model === null) return { kind: 'ready' };
  if (!model.isAllowed) return { kind: 'not_allowed', agent };
  if (!model.isKeyUsable) return { kind: 'circuit_open', agent, fault: 'key_file', until: null, isTried: false };
  return findOverBudget(model, now) ?? findOpenCircuit(agent, model, now) ?? { kind: 'ready' };
}

function findOverBudget({ limits, spent }: NonNullable<AgentFacts['model']>, now: EpochMs): AgentStanding | null {
  for (const scope of CHECKED_SCOPES) {
    const limit = limits[scope];
    const exceeded = limit === undefined ? null : findExceeded([{ scope, limit, used: spent[scope] }], LEAST_MICRO_USD);
    if (exceeded === null) continue;
    const until = scope === 'pull_request' ? null : toNextPeriod(scope, now);
    return { ...exceeded, kind: 'over_budget', scope, until };
  }
  return null;
}

function findOpenCircuit(
  agent: string,
  { circuit, isTried }: NonNullable<AgentFacts['model']>,
  now: EpochMs,
): AgentStanding | null {
  const state = toCircuitState(circuit, now);
  if (circuit === null || state.kind === 'closed') return null;
  const of = { kind: 'circuit_open', agent, fault: circuit.fault } as const;
  if (state.kind === 'open') return { ...of, until: state.until, isTried: false };
  return isTried ? { ...of, until: now + TRIAL_CHECK_MS, isTried } : null;
}
