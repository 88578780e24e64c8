import { toUseText } from '../agents/use-text.ts';
import type { CommitIdentity } from '../model/commit-identity.ts';
import type { SessionId, Sha } from '../model/ids.ts';
import type { AgentUse } from '../model/model-use.ts';
import type { PullRequestFacts } from '../model/pull-request.ts';
import type { Fixup, ResolvedBy } from '../model/session.ts';
import { toInertName } from '../text/escape.ts';
import { toCountText, toLines } from '../text/words.ts';

/** Trailer that identifies our commit on the remote after a crash (fault F2). */
export const ATTEMPT_TRAILER = 'Ratchet-Attempt';

/** Trailer that names the agent, its version and model, and what it used. */
const AGENT_TRAILER = 'Ratchet-Agent';

/** Trailer that says what made a merge. */
const MERGE_TRAILER = 'Ratchet-Merge';

const MAX_NAMES = 10;
const MAX_NAME_LENGTH = 80;

/** What a commit is about. */
export type CommitSubject =
  | { readonly kind: 'ci'; readonly failingChecks: readonly string[] }
  | { readonly kind: 'review'; readonly items: number }
  /** `by`: login of who asked; null: an operator. */
  | { readonly kind: 'undo'; readonly commitSha: Sha; readonly by: string | null }
  | {
      readonly kind: 'merge';
      readonly baseRef: string;
      readonly headRef: string;
      /** What resolved the conflicts; empty without conflicts. */
      readonly resolved: readonly ResolvedBy[];
    };

/**
 * The message of a commit that Ratchet makes. It contains no text of an agent, and its numbers are the gateway's. Names of checks and branches come from the pull
 * request and are made inert.
 */
export function toCommitMessage(
  sessionId: SessionId | 'none',
  fixup: Pick<Fixup, 'attempt'>,
  subject: CommitSubject,
  use: AgentUse | null = null,
): string {
  const lines = [
    ...toSubjectLines(subject),
    '',
    subject.kind === 'undo' ? toAsked(subject.by) : `${toMaker(subject)} (attempt ${String(fixup.attempt)}).`,
    '',
    `${ATTEMPT_TRAILER}: ${sessionId}`,
    ...(subject.kind === 'merge' ? [`${MERGE_TRAILER}: ${toMergeTrailer(subject.resolved)}`] : []),
    ...(use === null ? [] : [`${AGENT_TRAILER}: ${toAgentTrailer(use)}`]),
  ];
  return `${lines.join('\n')}\n`;
}

/** Messages that the next commit may have, to judge rules by before there is one. */
export function toExpectedMessages({
  merge,
  baseRef,
  headRef,
}: Pick<PullRequestFacts, 'merge' | 'baseRef' | 'headRef'>): readonly string[] {
  const subjects: readonly CommitSubject[] =
    merge === 'conflict'
      ? [{ kind: 'merge', baseRef, headRef, resolved: [] }]
      : [
          { kind: 'ci', failingChecks: ['build'] },
          { kind: 'review', items: 1 },
        ];
  return subjects.map((subject) => toCommitMessage('none', { attempt: 1 }, subject));
}

/** Adds who accepted a change that waited for a person to the trailers at the end of its message. */
export function withAcceptance(message: string, login: string): string {
  return `${message}Ratchet-Accepted-By: ${toInertLine(login)}\n`;
}

/** Adds the sign-off of the Developer Certificate of Origin to the trailers at the end of a message. */
export function signOff(message: string, { name, email }: CommitIdentity): string {
  return `${message}Signed-off-by: ${name} <${email}>\n`;
}

function toSubjectLines(subject: CommitSubject): readonly string[] {
  switch (subject.kind) {
    case 'ci':
      return [
        'fix: make the failing checks pass',
        '',
        'Checks that failed before this commit:',
        ...toLines(subject.failingChecks, MAX_NAMES, (name) => `- ${toInertLine(name)}`),
      ];
    case 'review':
      return [
        'fix: address review comments',
        '',
        `Review comments that were open before it: ${String(subject.items)}.`,
      ];
    case 'undo':
      return ['revert: undo the last fixup of Ratchet', '', `This reverts commit ${subject.commitSha}.`];
    case 'merge':
      return [`Merge branch '${toInertLine(subject.baseRef)}' into ${toInertLine(subject.headRef)}`];
  }
}

function toAgentTrailer(use: AgentUse): string {
  const { agent, version, model } = use;
  const names = [agent, ...(version === null ? [] : [version]), ...(model === null ? [] : [`model ${model}`])];
  return `${names.map(toInertLine).join(', ')} (${toUseText(use)})`;
}

const MEANS_WORDS: Readonly<Record<ResolvedBy['by'], string>> = {
  rerere: 'as resolved before',
  structure: 'by structure',
  regeneration: 'made anew',
  agent: 'by an agent',
};

/** `1 file as resolved before, 2 files by structure (mergiraf 0.9.0)`. Names of commands come from the policy and are left out. */
function toMergeTrailer(resolved: readonly ResolvedBy[]): string {
  if (resolved.length === 0) return 'git';
  const toText = ({ by, tool, paths }: ResolvedBy): string =>
    `${toCountText(paths.length, 'file')} ${MEANS_WORDS[by]}${by === 'structure' && tool !== null ? ` (${toInertLine(tool)})` : ''}`;
  return resolved.map(toText).join(', ');
}

function toMaker({ kind }: CommitSubject): string {
  return kind === 'merge' ? 'Merged and validated by Ratchet' : 'Made by an agent, validated by Ratchet';
}

function toAsked(by: string | null): string {
  const who = by === null ? 'An operator' : toInertLine(by);
  return `${who} asked for it. Made by git alone; the content was in the branch before, and was not validated again.`;
}

function toInertLine(name: string): string {
  return toInertName(name, MAX_NAME_LENGTH);
}
