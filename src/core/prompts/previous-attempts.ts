import { assertNever } from '../model/errors.ts';
import type { FixupKind, OpenFact, Session, SessionOutcome } from '../model/session.ts';
import { toCountText } from '../text/words.ts';
import { type Exhibit, quote } from './data-frame.ts';

/** An ended session, as a prompt reports it. */
export type EndedSession = Pick<Session, 'id' | 'outcome' | 'fixup'>;

/** Why the previous attempt at the same task was refused, and what it had changed. Both are untrusted. */
export interface PreviousAttempt {
  readonly reason: string;
  /** Its diff; null: none was kept. */
  readonly patch: string | null;
}

/** An agent reads how this many earlier sessions ended. */
export const TOLD_SESSIONS = 3;
/** Of what a person had to look at. */
const TOLD_FACTS = 20;
/** More of a diff is not read. */
export const MAX_PREVIOUS_PATCH_BYTES = 128 * 1024;

/** Of ended sessions, newest first, the last attempt at the same task; null if it was not one that teaches something. */
export function findPreviousAttempt(ended: readonly EndedSession[], action: FixupKind): EndedSession | null {
  const newest = ended.find(({ fixup, outcome }) => fixup?.action === action && !isInterruption(outcome));
  return newest !== undefined && TEACHES.has(newest.outcome?.kind) ? newest : null;
}

const TEACHES: ReadonlySet<string | undefined> = new Set(['rejected', 'held', 'timed_out']);

function isInterruption(outcome: SessionOutcome | null): boolean {
  return outcome === null || outcome.kind === 'died' || outcome.kind === 'superseded';
}

/** Why an attempt was refused, with the end of the output of the command that failed. */
export function toRefusalText(outcome: SessionOutcome | null): string {
  if (outcome?.kind === 'held') return outcome.facts.slice(0, TOLD_FACTS).map(toFactText).join('\n');
  if (outcome?.kind !== 'rejected') return '';
  const failed = outcome.validation.find(({ exitCode }) => exitCode !== 0);
  const output = failed === undefined ? '' : `\n\nThe end of the output of ${failed.command}:\n${failed.tail}`;
  return `${outcome.detail}${output}`;
}

function toFactText({ code, path, line, message }: OpenFact): string {
  const place = path === null ? '' : ` ${path}${line === null ? '' : `:${line}`}`;
  return `${code}${place}: ${message}`;
}

/** What people answered to earlier questions about the same task, the newest first. */
export function toAnswersText(ended: readonly EndedSession[], action: FixupKind): string {
  return ended
    .flatMap(({ fixup, outcome }) => {
      const question = fixup?.action === action && outcome?.kind === 'rejected' ? outcome.question : undefined;
      const answer = question?.answer ?? null;
      return question === undefined || answer === null ? [] : [`Question: ${question.text}\nAnswer: ${answer.text}`];
    })
    .slice(0, TOLD_SESSIONS)
    .join('\n\n');
}

/** The texts about the previous attempt; `folder` is the one of all evidence files. */
export function toPreviousExhibits(attempt: PreviousAttempt | null, folder: string): readonly Exhibit[] {
  const { reason, patch } = attempt ?? { reason: '', patch: null };
  const exhibits: readonly Exhibit[] = [
    {
      label: 'why the previous attempt was refused',
      ...{ path: `${folder}/previous-refusal.txt`, text: reason, cut: 'head' },
    },
    {
      label: 'the diff of the previous attempt, which was not taken',
      ...{ path: `${folder}/previous.diff`, text: patch ?? '', cut: 'head' },
    },
  ];
  return exhibits.filter(({ text }) => text.trim() !== '');
}

/** `text`: see `toAnswersText`. */
export function toAnswersExhibit(text: string, folder: string): readonly Exhibit[] {
  const label = 'what a maintainer answered to earlier questions of yours';
  return text === '' ? [] : [{ label, path: `${folder}/answers.txt`, text, cut: 'head' }];
}

/** How the previous attempts ended: codes and commands only. What was said about them is data. */
export function toPreviousEnds(previous: readonly EndedSession[], attempt: number): string {
  const ends = previous.flatMap(({ outcome }) => (outcome === null ? [] : [describe(outcome)])).slice(0, TOLD_SESSIONS);
  if (ends.length === 0) return `This is attempt ${attempt}.`;
  return [
    `This is attempt ${attempt}. How the ones before ended, the newest first:`,
    ...ends.map((text) => `- ${text}`),
  ].join('\n');
}

function describe(outcome: SessionOutcome): string {
  switch (outcome.kind) {
    case 'pushed':
      return `pushed ${outcome.commitSha} (${toCountText(outcome.diff.files, 'file')}); CI was not green after it`;
    case 'suggested':
      return `suggested as a patch (${toCountText(outcome.diff.files, 'file')}); nobody has applied it`;
    case 'held':
      return `kept back for a person: ${[...new Set(outcome.facts.map(({ code }) => code))].join(', ')}`;
    case 'declined':
      return 'declined every review comment';
    case 'rejected':
      return `refused: ${outcome.code}${toFailedCommand(outcome)}`;
    case 'timed_out':
      return 'ran out of time';
    case 'superseded':
      return 'was overtaken by something else';
    case 'died':
      return 'was interrupted';
    default:
      return assertNever(outcome);
  }
}

function toFailedCommand({ validation }: Extract<SessionOutcome, { kind: 'rejected' }>): string {
  const failed = validation.find(({ exitCode }) => exitCode !== 0);
  return failed === undefined ? '' : `; ${quote(failed.command)} did not end with exit code 0`;
}
