import { CHECK_STATES, type DoctorCheck } from '../../core/doctor/doctor-check.ts';
import type { Log } from '../../ports/log.ts';

/** Writes what is not well to the log, one line for each check, and a summary. */
export function reportDiagnosis(log: Log, checks: readonly DoctorCheck[]): void {
  for (const { name, state, detail, fix } of checks) {
    if (state !== 'ok') log.warn({ check: name, state, detail, fix }, 'the diagnosis of the start found something');
  }
  const counts = CHECK_STATES.map((state) => [state, checks.filter((check) => check.state === state).length] as const);
  log.info(Object.fromEntries(counts), 'start diagnosed');
}
