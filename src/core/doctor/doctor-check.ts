/** `fail`: Ratchet cannot work as it should until somebody acts. `warn`: it works, but not fully, or it is not known. */
export const CHECK_STATES = ['ok', 'warn', 'fail'] as const;
export type CheckState = (typeof CHECK_STATES)[number];

/** One line of `ratchet doctor`. */
export interface DoctorCheck {
  /** Stable; the same name may occur several times. */
  readonly name: string;
  readonly state: CheckState;
  readonly detail: string;
  /** What to do; empty if the state is `ok`. */
  readonly fix: string;
}

export function good(name: string, detail: string): DoctorCheck {
  return { name, state: 'ok', detail, fix: '' };
}

export function warn(name: string, detail: string, fix: string): DoctorCheck {
  return { name, state: 'warn', detail, fix };
}

export function bad(name: string, detail: string, fix: string): DoctorCheck {
  return { name, state: 'fail', detail, fix };
}

/** Exit code of `ratchet doctor`. Without a single check nothing is proven. */
export function toDoctorExit(checks: readonly DoctorCheck[]): 0 | 1 | 3 {
  if (checks.length === 0 || checks.some(({ state }) => state === 'fail')) return 3;
  return checks.some(({ state }) => state === 'warn') ? 1 : 0;
}
