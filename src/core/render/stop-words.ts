import type { Stop } from '../model/workspace.ts';
import { DECISION_WORDS } from './decision-words.ts';
import { author, maintainer, RETRY_STEP, type ReaderWords } from './reader-words.ts';

/** The texts for each stop. A stop over a rejected attempt has the words of its reject code instead. */
export const STOP_WORDS: Readonly<Record<Stop['code'], ReaderWords>> = {
  ...DECISION_WORDS,
  NO_PUSH: { title: 'Stopped · nothing was pushed', first: null, next: author(RETRY_STEP) },
  NEEDS_HUMAN: {
    title: 'Stopped',
    first: null,
    next: maintainer('Comment `/ratchet retry` to let Ratchet continue.'),
  },
  SUGGESTED: {
    title: 'A change is suggested',
    first: null,
    next: author('Apply the patch below, or set `mode: push` in `.github/ratchet.yml` and comment `/ratchet retry`.'),
  },
  HELD: {
    title: 'A change waits for a maintainer',
    first: null,
    next: maintainer(
      'Check the change below. To push it, press **Accept** or comment `/ratchet accept`; it is validated again. Otherwise fix it yourself, or comment `/ratchet retry` for another attempt.',
    ),
  },
  QUESTION: {
    title: 'The agent asks a question',
    first: null,
    next: maintainer(
      'Answer the question below with a button or a comment `/ratchet answer TEXT`. The agent then starts again with the answer.',
    ),
  },
  DECLINED: {
    title: 'Review comments were declined',
    first: null,
    next: author('Read the answers below. Resolve the comments, or reply to them to have them checked again.'),
  },
};
