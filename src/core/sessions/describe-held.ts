import type { OpenFact } from '../model/session.ts';
import { toCountText } from '../text/words.ts';

const MAX_CODES = 5;

/** Why a change waits for a person, in one sentence. It quotes nothing of the change. */
export function describeHeld(facts: readonly Pick<OpenFact, 'code'>[]): string {
  const codes = [...new Set(facts.map(({ code }) => code))];
  const rest = codes.length > MAX_CODES ? ' and others' : '';
  const names = `${codes.slice(0, MAX_CODES).join(', ')}${rest}`;
  return `A change passed its validation and waits for a person, because of ${toCountText(facts.length, 'point')}: ${names}.`;
}
