import type { AgentStanding } from '../model/agent-standing.ts';
import type { EpochMs } from '../model/ids.ts';
import type { ModelCircuit } from '../model/spend.ts';
import { toCircuitState } from './judge-circuit.ts';

/** How often to look whether the fixup that tries a model has found it to work. */
const TRIAL_CHECK_MS = 60_000;

/** What is known about the model of an agent. */
export interface ModelFacts {
  readonly agent: string;
  /** Whether its key file could be read. */
  readonly isKeyUsable: boolean;
  readonly circuit: ModelCircuit | null;
  /** Another fixup was launched after the time of the circuit was over. */
  readonly isTried: boolean;
  readonly now: EpochMs;
}

/** Why the model is not called for now; null: it may be. When a circuit's time is over, one launch tries the model first. */
export function findOpenCircuit({ agent, isKeyUsable, circuit, isTried, now }: ModelFacts): AgentStanding | null {
  const of = { kind: 'circuit_open', agent } as const;
  if (!isKeyUsable) return { ...of, fault: 'key_file', until: null, isTried: false };
  const state = toCircuitState(circuit, now);
  if (circuit === null || state.kind === 'closed') return null;
  if (state.kind === 'open') return { ...of, fault: circuit.fault, until: state.until, isTried: false };
  return isTried ? { ...of, fault: circuit.fault, until: now + TRIAL_CHECK_MS, isTried } : null;
}
