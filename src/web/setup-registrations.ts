import type { RegisteredApp } from '../core/model/registered-app.ts';
import { type SetupRefusal, type SetupTrouble, toSetupTrouble } from '../core/setup/setup-trouble.ts';
import type { TakenApp } from '../core/setup/taken-app.ts';
import type { Log } from '../ports/log.ts';

/** What registrations need. */
export interface RegistrationsDeps {
  readonly take: (registration: { readonly code: string; readonly organization: string }) => Promise<TakenApp>;
  readonly newSecret: () => string;
  /** Root of GitHub's pages. */
  readonly site: string;
  readonly log: Log;
}

/** How GitHub's answer to a registration is answered. */
export type RegistrationEnd =
  | { readonly kind: 'stored'; readonly app: RegisteredApp }
  | { readonly kind: 'refused'; readonly code: SetupRefusal }
  | { readonly kind: 'trouble'; readonly trouble: SetupTrouble };

/** The registrations that were begun, by their states. */
export interface Registrations {
  /** Returns the state that GitHub gives back. */
  readonly begin: (organization: string) => string;
  readonly finish: (answer: URLSearchParams) => Promise<RegistrationEnd>;
  /** Whether an App is stored. */
  readonly isOver: () => boolean;
}

/** Each look at the form begins one. The oldest go first. */
const MAX_STATES = 32;

interface Registration {
  readonly organization: string;
  /** The code that is being exchanged. */
  taking: { readonly code: string; readonly taken: Promise<TakenApp> } | null;
}

/** Binds each answer of GitHub to a form of ours, by a state that is good for one registration. */
export function createRegistrations({ take, newSecret, site, log }: RegistrationsDeps): Registrations {
  const registrations = new Map<string, Registration>();
  let isOver = false;

  async function takeOne(registration: { readonly code: string; readonly organization: string }): Promise<TakenApp> {
    const taken = await take(registration);
    if (taken.kind === 'stored') isOver = true;
    return taken;
  }

  return {
    isOver: () => isOver,
    begin(organization) {
      const state = newSecret();
      registrations.set(state, { organization, taking: null });
      const oldest = registrations.keys().next().value;
      if (registrations.size > MAX_STATES && oldest !== undefined) registrations.delete(oldest);
      return state;
    },
    async finish(answer) {
      const state = answer.get('state') ?? '';
      const code = answer.get('code') ?? '';
      const registration = registrations.get(state);
      if (registration === undefined) return { kind: 'refused', code: 'STATE_WRONG' };
      if (!/^[\w-]{1,200}$/u.test(code)) return { kind: 'refused', code: 'CODE_WRONG' };
      const { organization } = registration;
      // The same address loaded twice at once is one registration: the code is good for one exchange.
      registration.taking ??= { code, taken: takeOne({ organization, code }) };
      if (registration.taking.code !== code) return { kind: 'refused', code: 'STATE_WRONG' };
      const taken = await registration.taking.taken;
      registration.taking = null;
      if (taken.kind === 'stored') return taken;
      // Without an answer the code may still be good, so the same address may be loaded again.
      if (taken.kind !== 'no_answer') registrations.delete(state);
      log.warn({ outcome: taken.kind, why: taken.why }, 'the App could not be registered');
      const owner = organization === '' ? '' : `/organizations/${organization}`;
      return { kind: 'trouble', trouble: toSetupTrouble(taken, `${site}${owner}/settings/apps`) };
    },
  };
}
