import type { ProofVerdict } from '../model/proof.ts';
import { toOneLine } from '../text/escape.ts';
import type { Observation } from './observation.ts';

const VERDICT_WORDS: Readonly<Record<ProofVerdict, string>> = {
  proven: 'red before the change, and green with it. These tests pass; nothing more is proven.',
  not_reproduced: 'not reproduced here, not proven.',
  flickers: 'it was red here, and green when it was repeated on the same files: it flickers, so it is not proven.',
  unknown:
    'red before the change, but a run failed for another reason, gave no answer, or there was no time for it: not proven.',
};

/** What a verdict says to people. */
export function toVerdictText(verdict: ProofVerdict, hasTests: boolean): string {
  if (verdict !== 'proven') return VERDICT_WORDS[verdict];
  const third = hasTests ? 'It is red again with only the test files of the change.' : 'The change has no test files.';
  return `${VERDICT_WORDS.proven} ${third}`;
}

/** How a command ended at the old head, for people. */
export function toTriedNote({ run, state }: Observation): string {
  return `\`${toOneLine(run.command.slice(0, 200))}\` at the old head: ${toEnd(run)}${toWhy(run, state)}.`;
}

function toEnd({ exitCode, timedOut }: Observation['run']): string {
  if (timedOut) return 'did not end in time';
  return exitCode === null ? 'ended by a signal' : `exit code ${exitCode}`;
}

function toWhy({ timedOut }: Observation['run'], state: Observation['state']): string {
  if (state === 'red') return ', but for another reason';
  return state === 'unknown' && !timedOut ? ', and nothing ran' : '';
}
