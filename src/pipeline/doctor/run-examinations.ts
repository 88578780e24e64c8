import type { DoctorCheck } from '../../core/doctor/doctor-check.ts';
import { ConfigError, toError } from '../../core/model/errors.ts';

/** A part of the diagnosis: reads something and returns one or more checks. */
export interface Examination {
  /** Names the check if it could not be made. */
  readonly name: string;
  readonly timeoutMs: number;
  /** A check that could not be made: its state, which is never `ok`, and what to do then. */
  readonly ifUnknown: { readonly state: 'warn' | 'fail'; readonly fix: string };
  readonly examine: (signal: AbortSignal) => Promise<readonly DoctorCheck[]>;
}

/** Ports of `runExaminations`. */
export interface ExaminationDeps {
  readonly newDeadline: (ms: number) => AbortSignal;
  readonly redact: (text: string) => string;
}

const MAX_REASON_LENGTH = 500;

/** Makes all examinations at once and returns their checks in order. Never throws; no text holds a secret. */
export async function runExaminations(
  deps: ExaminationDeps,
  examinations: readonly Examination[],
): Promise<readonly DoctorCheck[]> {
  const found = await Promise.all(examinations.map((examination) => make(deps, examination)));
  return found.flat().map((check) => ({ ...check, detail: deps.redact(check.detail), fix: deps.redact(check.fix) }));
}

async function make({ newDeadline }: ExaminationDeps, examination: Examination): Promise<readonly DoctorCheck[]> {
  const { name, timeoutMs, ifUnknown, examine } = examination;
  const { state, fix } = ifUnknown;
  const unknown = (why: string): readonly DoctorCheck[] => [{ name, state, detail: why, fix }];
  const deadline = newDeadline(timeoutMs);
  try {
    const checks = await raceDeadline(examine(deadline), deadline);
    return checks.length > 0 ? checks : unknown('nothing was checked');
  } catch (error) {
    if (deadline.aborted) return unknown(`no answer within ${String(Math.round(timeoutMs / 1000))} s`);
    const why = error instanceof ConfigError ? error.problems.join('; ') : toError(error).message;
    return unknown(why.slice(0, MAX_REASON_LENGTH));
  }
}

/** Something that does not heed its signal must not hold up the rest. */
async function raceDeadline<Value>(work: Promise<Value>, deadline: AbortSignal): Promise<Value> {
  deadline.throwIfAborted();
  return Promise.race([
    work,
    new Promise<never>((_, reject) => {
      deadline.addEventListener('abort', () => reject(toError(deadline.reason)), { once: true });
    }),
  ]);
}
