import { endsAsStop, waitDeadline } from '../decide/next-check.ts';
import { toPlainText } from '../text/escape.ts';
import { toUtcMinute } from '../text/words.ts';
import { DECISION_WORDS } from './decision-words.ts';
import { MAX_REASON_LENGTH } from './limits.ts';
import { toShortSha } from './markdown.ts';
import { toProgressText } from './progress-words.ts';
import { operator, type ReaderWords, renderNextStep } from './reader-words.ts';
import { REJECT_WORDS } from './reject-words.ts';
import { STOP_WORDS } from './stop-words.ts';
import type { Story } from './story.ts';
import { toWaitingText } from './waiting-words.ts';

/** The part of a story that the headline needs. */
export type Headlined = Pick<
  Story,
  'workspace' | 'facts' | 'snapshot' | 'decision' | 'ci' | 'working' | 'beside' | 'waiting' | 'progress' | 'clamped'
>;

const ALLOW_MORE = operator('Let Ratchet do more than observe in this repository. Until then, the author fixes it.');

/** The stop that the decision is about; null: it is about none. */
function findStop({ decision, workspace }: Pick<Headlined, 'decision' | 'workspace'>): Story['workspace']['stop'] {
  return decision.code === 'STOPPED_SAME_CAUSE' ? workspace.stop : null;
}

/** The reject code that led to the stop; null: the stop has another reason, or there is none. */
export function isRejected(story: Pick<Headlined, 'decision' | 'workspace'>): boolean {
  return findStop(story)?.reject !== undefined;
}

/** What people read about a decision: the words of the reject code that it stopped for, else of the stop, else of the decision. */
export function findWords(story: Pick<Headlined, 'decision' | 'workspace'>): ReaderWords {
  const stop = findStop(story);
  if (stop === null) return DECISION_WORDS[story.decision.code];
  return stop.reject === undefined ? STOP_WORDS[stop.code] : REJECT_WORDS[stop.reject];
}

/**
 * The lines that come before everything else, at most five: what is the case, its detail, what happens now, until when, and what
 * has to be done by whom. Check run, comment and `status` begin with the same ones. The reason is given once.
 */
export function renderHeadline(story: Headlined): readonly string[] {
  const { first } = findWords(story);
  const next = findNext(story);
  const reason = toPlainText(toReason(story), MAX_REASON_LENGTH);
  const { waiting = null, progress = null } = story;
  return [
    `**${first ?? reason}**`,
    ...(first === null || findStop(story) === null ? [] : [reason]),
    ...(waiting === null ? [] : [toWaitingText(waiting)]),
    ...(progress === null ? [] : [toProgressText(progress)]),
    ...renderDeadline(story),
    ...renderPushed(story),
    ...(next === null ? [] : [renderNextStep(next)]),
  ];
}

/** Where the operator lets Ratchet only observe, the policy file of the repository cannot allow more. */
function findNext(story: Headlined): ReaderWords['next'] {
  const isCapped = story.clamped?.some((line) => line.startsWith('mode: ')) === true;
  return isCapped && story.decision.code === 'OBSERVE_ONLY' ? ALLOW_MORE : findWords(story).next;
}

/** For people who work on the same branch. */
function renderPushed({ workspace, facts }: Headlined): readonly string[] {
  if (facts === null || facts.headSha !== workspace.lastPushSha) return [];
  return [`Ratchet made the newest commit of the branch, ${toShortSha(facts.headSha)}. Pull it before you push.`];
}

/** Of a wait for CI, what CI says: it names the checks. */
function toReason(story: Headlined): string {
  const { decision, ci } = story;
  if (decision.code === 'CI_RUNNING' && ci !== null) return ci.reason;
  return (findStop(story) ?? decision).reason;
}

function renderDeadline({ decision, snapshot }: Headlined): readonly string[] {
  const deadlineAt = waitDeadline(decision, snapshot);
  if (deadlineAt === null) return [];
  const after = endsAsStop(decision.code) ? 'stops and asks for help' : 'continues';
  return [`Ratchet waits until ${toUtcMinute(deadlineAt)} at most. Then it ${after}.`];
}
