import type { FailingCheck } from '../ci/ci-verdict.ts';
import { toLeftItemText } from '../decide/review-words.ts';
import type { FailureClass } from '../model/failure-class.ts';
import type { Sha } from '../model/ids.ts';
import type { Mode } from '../model/policy.ts';
import type { PullRequestFacts } from '../model/pull-request.ts';
import type { Diagnosis } from '../model/workspace.ts';
import { toInlineCode, toPlainText } from '../text/escape.ts';
import { toCountText, toLines, toUtcMinute } from '../text/words.ts';
import { toAttemptsLine } from './attempt-words.ts';
import { toBesideLines } from './branch-standing.ts';
import { MAX_REASON_LENGTH } from './limits.ts';
import { toDetails, toLinkedName, toSection, toShortSha } from './markdown.ts';
import { type LinkedHead, renderFailures } from './render-failures.ts';
import type { Story } from './story.ts';

const MAX_CHECKS_SHOWN = 20;
const MAX_FLAKES_SHOWN = 5;
const MAX_LINE_LENGTH = 160;

/** The failing checks, with links and what their logs report, under a heading; empty if there are none. */
export function renderFailingChecks(story: Story): string {
  return story.facts === null ? '' : toSection('### Failing checks', renderFailing(story, story.facts.headSha));
}

/** What was read at which commit, folded; empty if nothing was read. */
export function renderSeen(story: Story): string {
  const { facts, ci, snapshot, workspace } = story;
  if (facts === null) return '';
  const { ratchet, policy } = snapshot;
  const lines = [
    `- Commit: ${toInlineCode(facts.headSha)}`,
    `- CI: ${ci === null ? 'not read' : toPlainText(ci.reason, MAX_REASON_LENGTH)}`,
    ...workspace.flakes.slice(0, MAX_FLAKES_SHOWN).map(renderFlake),
    `- Base branch: ${MERGE_WORDS[facts.merge]}`,
    `- Reviews: ${renderReviews(story)}`,
    ...renderLeft(story),
    toAttemptsLine(ratchet.consecutiveAttempts, policy.maxAttempts),
    ...toBesideLines(facts.number, snapshot.pullRequest?.beside ?? []),
    ...renderHolds(story),
  ];
  return toDetails('State of the pull request', lines.join('\n'));
}

const MERGE_WORDS: Readonly<Record<PullRequestFacts['merge'], string>> = {
  clean: 'merges cleanly',
  behind: 'merges cleanly; the branch is behind it',
  conflict: 'conflicts',
  unknown: 'GitHub has not reported yet whether it merges cleanly',
};

function renderFailing({ ci, snapshot, workspace, toFileUrl }: Story, headSha: Sha): readonly string[] {
  const failing = ci?.failing ?? [];
  const { diagnosis } = workspace;
  const names = failing.map(({ name }) => name);
  const isRepeated = ({ name }: FailingCheck): boolean => names.indexOf(name) !== names.lastIndexOf(name);
  const known = diagnosis?.ciRunId === snapshot.ci.runId ? diagnosis : null;
  const toRest = (rest: number): string => `- and ${rest} more`;
  return [
    ...toLines(
      failing,
      MAX_CHECKS_SHOWN,
      (check) => renderCheck(check, { diagnosis: known, isRepeated: isRepeated(check) }, { headSha, toFileUrl }),
      toRest,
    ),
    ...(snapshot.ci.failure?.sameAsBefore === true ? ['- The failure is the same as before the last attempt'] : []),
  ];
}

/** A check, and below it what its log reports. */
function renderCheck(
  { name, conclusion, check }: FailingCheck,
  { diagnosis, isRepeated }: { readonly diagnosis: Diagnosis | null; readonly isRepeated: boolean },
  head: LinkedHead,
): string {
  const notes = [
    ...(diagnosis?.redOnBase.includes(name) === true ? ['also fails on the base branch'] : []),
    ...(diagnosis?.repairedOnBase.includes(name) === true ? ['fixed on the base branch since'] : []),
    ...renderClass(name, diagnosis),
  ];
  const origin = isRepeated ? toOrigin(check) : '';
  const line = `- ${[`${toLinkedName(name, check.detailsUrl)}${origin}: ${conclusion.replaceAll('_', ' ')}`, ...notes].join(', ')}`;
  return [line, ...renderFailures(diagnosis?.failures ?? [], name, head)].join('\n');
}

/** Tells two checks of one name apart: ` (workflow CI, push)`. */
function toOrigin({ workflow, event }: FailingCheck['check']): string {
  const parts = [
    ...(workflow === undefined ? [] : [`workflow ${toInlineCode(workflow)}`]),
    ...(event === null ? [] : [toInlineCode(event)]),
  ];
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

const CLASS_WORDS: Readonly<Record<FailureClass, string>> = {
  infrastructure: 'looks like a problem of the infrastructure',
  flake: 'looks flaky',
  code: 'fails because of the code',
  person: 'fails for a reason outside the code',
  unknown: 'no known reason',
};

/** What the job failed through, and the line that shows it. */
function renderClass(name: string, diagnosis: Diagnosis | null): readonly string[] {
  const job = diagnosis?.jobs.find((one) => one.name === name);
  const person = diagnosis?.person.find((one) => one.name === name);
  if (job !== undefined) {
    const line = job.line ?? person?.line ?? null;
    return [`${CLASS_WORDS[job.class]}${line === null ? '' : ` (${toInlineCode(line.slice(0, MAX_LINE_LENGTH))})`}`];
  }
  // A diagnosis of an earlier version.
  return [
    ...(diagnosis?.flaky.includes(name) === true ? [CLASS_WORDS.flake] : []),
    ...(person === undefined ? [] : [CLASS_WORDS.person]),
  ];
}

function renderFlake({ name, headSha }: Story['workspace']['flakes'][number]): string {
  return `- Flaky: ${toInlineCode(name)} failed and then passed on the same commit ${toShortSha(headSha)}`;
}

function renderReviews({ snapshot, review }: Story): string {
  const { actionable, left, otherOpen } = snapshot.review;
  const open = toCountText(actionable + left + otherOpen, 'open comment');
  const answered = (review?.ignored ?? []).filter(({ why }) => why === 'answered_by_us').length;
  return [
    left + otherOpen === 0 ? open : `${open} (${actionable} for Ratchet, ${left} for a person)`,
    ...(answered === 0 ? [] : [`${answered} answered and waiting for the reviewer`]),
  ].join(', ');
}

/** What is left to people, with Ratchet's answers. */
function renderLeft({ snapshot: { review } }: Story): readonly string[] {
  const lines = review.leftItems.map((item) => `  - ${toPlainText(toLeftItemText(item), MAX_REASON_LENGTH)}`);
  const rest = review.left - lines.length;
  return rest > 0 ? [...lines, `  - and ${rest} more`] : lines;
}

const MODE_WORDS: Readonly<Record<Mode, string | null>> = {
  observe: '- Mode: `observe` (Ratchet only reports)',
  suggest: '- Mode: `suggest` (Ratchet offers patches and pushes nothing)',
  push: null,
};

function renderHolds({ snapshot, workspace }: Story): readonly string[] {
  const { policy, pullRequest, ratchet } = snapshot;
  const mode = MODE_WORDS[policy.mode];
  return [
    ...(mode === null ? [] : [mode]),
    ...(ratchet.paused ? [renderPause(workspace.pause)] : []),
    ...(ratchet.pausedBeside === null ? [] : [`- Paused on #${ratchet.pausedBeside}, which has the same branch`]),
    ...(pullRequest?.holdLabel === true ? ['- On hold by a label'] : []),
    ...(pullRequest?.draft === true && policy.holdDrafts ? ['- On hold as a draft'] : []),
  ];
}

function renderPause(pause: Story['workspace']['pause']): string {
  return pause === null ? '- Paused' : `- Paused by ${toInlineCode(pause.by.login)} since ${toUtcMinute(pause.at)}`;
}
