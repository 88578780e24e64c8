import { assertNever } from '../model/errors.ts';
import type { EpochMs } from '../model/ids.ts';
import type { ModelUse, UpstreamFault } from '../model/model-use.ts';
import type { ModelCircuit } from '../model/spend.ts';
import { findFault } from './find-fault.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Longest wait that a provider may ask for. After it, one launch tries. */
const MAX_RETRY_AFTER_MS = 24 * HOUR_MS;

/** After so many failures in a row, the waits are no short back-off any more. */
const BACK_OFFS = 3;

/** How long the circuit stays open after the nth failure in a row. `never`: it does not close by itself. null: it does not open. */
function toOpenMs(fault: UpstreamFault, nth: number): number | 'never' | null {
  switch (fault) {
    case 'auth':
    case 'no_credit':
      return 'never';
    case 'rate_limited':
      return Math.min(2 ** (nth - 1), 30) * MINUTE_MS;
    case 'overloaded':
    case 'silent':
    case 'cut':
    case 'unreadable':
      if (nth <= BACK_OFFS) return 2 ** (nth - 1) * 30 * SECOND_MS;
      return Math.min(5 * 2 ** (nth - BACK_OFFS - 1), 60) * MINUTE_MS;
    // The request is at fault, not the model.
    case 'too_long':
    case 'bad_request':
      return null;
    default:
      return assertNever(fault);
  }
}

/** An ended session and what it says about the model. */
export interface ModelTrial {
  readonly fingerprint: string;
  readonly agent: string;
  readonly use: ModelUse;
  /** When it was launched. */
  readonly startedAt: EpochMs;
  readonly now: EpochMs;
}

/**
 * The circuit after a session; null: none, all is well. A session that was launched before the circuit opened does not close it,
 * and is not counted again: many sessions may run into the same trouble at once.
 */
export function judgeCircuit(known: ModelCircuit | null, trial: ModelTrial): ModelCircuit | null {
  const isLate = known !== null && trial.startedAt < known.openedAt;
  const fault = findFault(trial.use);
  if (fault === null) return trial.use.lastCall === 'ok' && !isLate ? null : known;
  const failures = (known?.failures ?? 0) + (isLate ? 0 : 1);
  const opened = open(fault, Math.max(failures, 1), trial);
  if (opened === null || !isLate) return opened ?? known;
  return isLonger(opened, known) ? { ...opened, openedAt: known.openedAt } : known;
}

function open(
  fault: UpstreamFault,
  failures: number,
  { fingerprint, agent, use, now }: ModelTrial,
): ModelCircuit | null {
  const own = toOpenMs(fault, failures);
  if (own === null) return null;
  const opened = { fingerprint, agent, fault, failures, openedAt: now };
  if (own === 'never') return { ...opened, until: null };
  const asked = use.retryAt === null ? 0 : Math.min(use.retryAt - now, MAX_RETRY_AFTER_MS);
  // A provider that was wrong about it once is not believed again.
  return { ...opened, until: now + (failures === 1 && asked > 0 ? asked : Math.max(own, asked)) };
}

function isLonger(opened: ModelCircuit, known: ModelCircuit): boolean {
  if (known.until === null) return false;
  return opened.until === null || opened.until > known.until;
}

/** `half_open`: it has closed by itself, and one launch tries the model first. */
export type CircuitState =
  | { readonly kind: 'closed' | 'half_open' }
  | { readonly kind: 'open'; readonly until: EpochMs | null };

/** The state of a circuit at a time. */
export function toCircuitState(circuit: Pick<ModelCircuit, 'until'> | null, now: EpochMs): CircuitState {
  if (circuit === null) return { kind: 'closed' };
  const { until } = circuit;
  return until === null || until > now ? { kind: 'open', until } : { kind: 'half_open' };
}
