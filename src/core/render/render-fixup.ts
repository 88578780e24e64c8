import { toUseText } from '../agents/use-text.ts';
import { assertNever } from '../model/errors.ts';
import type { SessionId, Sha } from '../model/ids.ts';
import type { AgentUse } from '../model/model-use.ts';
import {
  type AcceptOrder,
  type AgentQuestion,
  type DiffStat,
  type Fixup,
  type HeldChange,
  MAX_TAIL_BYTES,
  type MadeBy,
  type OpenFact,
  type ResolvedBy,
  type ReviewAnswer,
  type Session,
  type SessionOutcome,
  type SupersededBy,
  type UndoOrder,
  type ValidationRun,
} from '../model/session.ts';
import type { ShownStep } from '../model/shown-step.ts';
import type { Workspace } from '../model/workspace.ts';
import { toRejectEffect } from '../sessions/reject-effects.ts';
import { describeUndo } from '../sessions/undo-words.ts';
import { cutTail } from '../text/cut-bytes.ts';
import { toFence, toInlineCode, toPlainText } from '../text/escape.ts';
import { toCountText, toDurationText, toLines, toSecondsText } from '../text/words.ts';
import { toCommitLink, toDetails, toParagraphs, toSection, toShortSha } from './markdown.ts';
import { REJECT_WORDS } from './reject-words.ts';
import { renderProof } from './render-proof.ts';
import { renderSetup } from './render-setup.ts';
import { renderAgentSteps, renderSteps } from './render-steps.ts';
import { renderSuggestion } from './render-suggestion.ts';

const MAX_FILES = 10;
const MAX_DETAIL_LENGTH = 600;
const MAX_ANSWERS = 20;
const MAX_FACTS = 20;

/** The URL of a commit's page. */
export type ToCommitUrl = (sha: Sha) => string;

/** What stands above an attempt and around it. */
export interface FixupContext {
  readonly workspace: Pick<Workspace, 'stop'>;
  readonly toCommitUrl: ToCommitUrl;
  readonly steps?: ReadonlyMap<SessionId, readonly ShownStep[]>;
  readonly agentSteps?: ReadonlyMap<SessionId, readonly ShownStep[]>;
}

/**
 * One ended session as Markdown: a heading, the outcome, what changed, how it was validated. A detail that the headline has given is
 * not repeated.
 */
export function renderFixup(session: Session, { workspace, toCommitUrl, steps, agentSteps }: FixupContext): string {
  const { outcome, fixup, agentUse, setup } = session;
  if (outcome === null || fixup === null) return '';
  const shownSteps = renderSteps(steps?.get(session.id) ?? []);
  if (fixup.undo !== undefined) return toParagraphs([renderUndo(fixup.undo, outcome, toCommitUrl), shownSteps]);
  const heading = `### Attempt ${fixup.attempt} on ${toShortSha(fixup.headSha)}${toAcceptedText(fixup.accept)}`;
  const prepared = setup === null ? '' : renderSetup(setup).join('\n');
  return toParagraphs([
    heading,
    ...toBody(outcome, fixup, { workspace, toCommitUrl }),
    prepared,
    renderAgentUse(agentUse),
    shownSteps,
    renderAgentSteps(agentSteps?.get(session.id) ?? []),
  ]);
}

function toAcceptedText(accept: AcceptOrder | undefined): string {
  return accept === undefined ? '' : `, accepted by ${toInlineCode(accept.by.login)}`;
}

/** An undo is no attempt: git made it, for a person. */
function renderUndo(undo: UndoOrder, outcome: SessionOutcome, toCommitUrl: ToCommitUrl): string {
  const { commitSha, by } = undo;
  const who = by === null ? 'an operator' : toInlineCode(by.login);
  const heading = `### Undo of ${toCommitLink(commitSha, toCommitUrl(commitSha))}, requested by ${who}`;
  const body =
    outcome.kind === 'pushed'
      ? [
          `Pushed ${toCommitLink(outcome.commitSha, toCommitUrl(outcome.commitSha))}: ${renderDiff(outcome.diff)}. It does not count as an attempt.`,
          renderFiles(outcome.files),
        ]
      : [toPlainText(describeUndo(undo, outcome), MAX_DETAIL_LENGTH)];
  return toParagraphs([heading, ...body]);
}

/** By the gateway's count, never by the agent's own. */
function renderAgentUse(use: AgentUse | null): string {
  if (use === null) return '';
  const { agent, version, model } = use;
  const name = [agent, ...(version === null ? [] : [version])].map(toInlineCode).join(' ');
  const called = model === null ? '' : ` with the model ${toInlineCode(model)}`;
  return `Agent: ${name}${called} (${toUseText(use)})`;
}

function toBody(outcome: SessionOutcome, fixup: Fixup, context: FixupContext): readonly string[] {
  const { toCommitUrl } = context;
  switch (outcome.kind) {
    case 'pushed':
      return [
        `Pushed ${toCommitLink(outcome.commitSha, toCommitUrl(outcome.commitSha))}: ${renderDiff(outcome.diff)}${MADE_BY_WORDS[outcome.madeBy]}.`,
        renderFiles(outcome.files),
        renderResolved(outcome.resolved),
        renderQuote(outcome.madeBy === 'agent' ? 'The agent says' : 'What was done', outcome.summary),
        renderAnswers(outcome.answers),
        renderValidation(outcome.validation),
        renderProof(outcome.proof),
      ];
    case 'suggested':
      return [
        `Suggested, but not pushed: ${renderDiff(outcome.diff)}. This does not count as an attempt.`,
        renderFiles(outcome.files),
        renderResolved(outcome.resolved),
        renderQuote(fixup.action === 'FIX_MERGE_CONFLICT' ? 'What was done' : 'The agent says', outcome.summary),
        ...renderSuggestion(outcome, fixup),
        renderValidation(outcome.validation),
        renderProof(outcome.proof),
      ];
    case 'held':
      return renderHeld(outcome, fixup);
    case 'declined':
      return [
        'Nothing was pushed: the agent found nothing to change. This does not count as an attempt.',
        renderQuote('The agent says', outcome.summary),
        renderAnswers(outcome.answers),
      ];
    case 'rejected':
      return renderRejected(outcome, context);
    case 'timed_out':
      return [renderTimeout(outcome)];
    case 'superseded':
      return [toLostText(outcome.why), renderQuote('Detail', outcome.detail)];
    case 'died':
      return [
        'Nothing was pushed: Ratchet was interrupted. This does not count as an attempt.',
        renderQuote('Detail', outcome.detail),
      ];
    default:
      return assertNever(outcome);
  }
}

function renderTimeout({ afterMs }: SessionOutcome & { readonly kind: 'timed_out' }): string {
  const after = toDurationText(Math.round(afterMs / 1000));
  return `Nothing was pushed: the attempt ran out of time after ${after}. This counts as an attempt.`;
}

/** A detail that the headline has given is not repeated. */
function renderRejected(
  { code, detail, diff, question, validation }: SessionOutcome & { readonly kind: 'rejected' },
  { workspace }: FixupContext,
): readonly string[] {
  const size = diff === null ? '' : ` (${renderDiff(diff)})`;
  const counts = toRejectEffect(code).counts ? 'This counts as an attempt.' : 'This does not count as an attempt.';
  const reason = workspace.stop?.reason === detail ? '' : renderQuote('Detail', detail);
  return [
    `Nothing was pushed: ${REJECT_WORDS[code].title}${size}. ${counts}`,
    ...(question === undefined ? [reason] : renderQuestion(question)),
    renderValidation(validation),
  ];
}

function renderQuestion({ text, choices, answer }: AgentQuestion): readonly string[] {
  return [
    renderQuote('The agent asks', text),
    choices.length === 0 ? '' : `Possible answers: ${choices.map(toInlineCode).join(', ')}.`,
    answer === null ? '' : renderQuote(`${answer.by} answered`, answer.text),
  ];
}

/** If the branch changed, the detail says whether our push came before. */
function toLostText(why: SupersededBy): string {
  return `${why === 'head_moved' ? '' : 'Nothing was pushed. '}The pull request changed meanwhile, so this does not count as an attempt.`;
}

/** All that a person needs to accept the change, or to leave it. */
function renderHeld(outcome: HeldChange, fixup: Fixup): readonly string[] {
  return [
    `Held, not pushed: ${renderDiff(outcome.diff)}. This does not count as an attempt.`,
    toSection('Look at this before you accept it:', toLines(outcome.facts, MAX_FACTS, toFactLine)),
    renderFiles(outcome.files),
    renderResolved(outcome.resolved),
    renderQuote(outcome.madeBy === 'agent' ? 'The agent says' : 'What was done', outcome.summary),
    renderAnswers(outcome.answers),
    ...renderSuggestion(outcome, fixup),
    renderValidation(outcome.validation),
    renderProof(outcome.proof),
  ];
}

function toFactLine({ code, path, line, message }: OpenFact): string {
  const place = path === null ? '' : ` in ${toInlineCode(line === null ? path : `${path}:${line}`)}`;
  return `- ${toInlineCode(code)}${place}: ${toPlainText(message, MAX_DETAIL_LENGTH)}`;
}

const MADE_BY_WORDS: Readonly<Record<MadeBy, string>> = {
  agent: '',
  git: ', merged by git alone',
  rerere: ', resolved like the same conflict before',
  structure: ', merged by the structure of the code',
  regeneration: ', with regenerated files',
};

const MEANS_WORDS: Readonly<Record<ResolvedBy['by'], string>> = {
  rerere: 'resolved as before',
  structure: 'merged by structure',
  regeneration: 'regenerated',
  agent: 'resolved by the agent',
};

/** Which means resolved which conflict. */
function renderResolved(resolved: readonly ResolvedBy[]): string {
  const lines = resolved.map(({ by, tool, paths }) => {
    const files = toLines(paths, MAX_FILES, toInlineCode, (rest) => `${String(rest)} more`).join(', ');
    return `- ${MEANS_WORDS[by]}${tool === null ? '' : ` with ${toInlineCode(tool)}`}: ${files}`;
  });
  return toSection('Conflicts:', lines);
}

const ANSWER_WORDS: Readonly<Record<ReviewAnswer['status'], string>> = {
  fixed: 'fixed',
  declined: 'declined',
  needs_human: 'left to people',
};

function renderAnswers(answers: readonly ReviewAnswer[]): string {
  const toLine = ({ status, reason }: ReviewAnswer): string =>
    `- ${ANSWER_WORDS[status]}: ${toPlainText(reason, MAX_DETAIL_LENGTH)}`;
  return toSection('Answers to the review:', toLines(answers, MAX_ANSWERS, toLine));
}

function renderDiff({ files, insertions, deletions }: DiffStat): string {
  return `${toCountText(files, 'file')}, +${insertions} −${deletions}`;
}

function renderFiles(files: readonly string[]): string {
  return toLines(files, MAX_FILES, (file) => `- ${toInlineCode(file)}`).join('\n');
}

function renderQuote(label: string, text: string): string {
  const plain = toPlainText(text, MAX_DETAIL_LENGTH);
  return plain === '' ? '' : `${label}: ${plain}`;
}

function renderValidation(runs: readonly ValidationRun[]): string {
  const lines = runs.map(
    (run) => `- ${toInlineCode(run.command)}: ${renderExit(run)}, ${toRunTimeText(run.durationMs)}`,
  );
  const tails = runs.filter((run) => run.exitCode !== 0 && run.tail.trim() !== '').map(renderTail);
  return toSection('Validation (in a new sandbox without network):', [...lines, ...tails]);
}

/** Short durations are shown with tenths of a second. */
function toRunTimeText(durationMs: number): string {
  return durationMs < 9_950 ? toSecondsText(durationMs) : toDurationText(Math.round(durationMs / 1000));
}

function renderExit({ exitCode, timedOut, failedBefore }: ValidationRun): string {
  if (timedOut) return 'did not finish in time';
  if (exitCode === 0) return 'passed';
  const exit = exitCode === null ? 'killed by a signal' : `exit code ${exitCode}`;
  return failedBefore === true ? `${exit}, as before the merge` : exit;
}

function renderTail({ command, tail }: ValidationRun): string {
  return `\n${toDetails(`Last lines of ${toCodeElement(command)}`, toFence(cutTail(tail, MAX_TAIL_BYTES)))}`;
}

/** Markdown is not parsed inside an HTML block, so the text is made safe for HTML. */
function toCodeElement(text: string): string {
  const plain = text
    .slice(0, 80)
    .toWellFormed()
    .replaceAll(/[^\w .,:/=-]/gu, '·');
  return `<code>${plain}</code>`;
}
