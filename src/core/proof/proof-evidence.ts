import { toShape } from '../evidence/group-failures.ts';
import type { FailureSign } from '../evidence/log-failure.ts';
import { readLog } from '../evidence/read-log.ts';
import type { ResolvePath } from '../evidence/resolve-path.ts';
import type { ReportedFailure } from '../model/reported-failure.ts';
import type { Diagnosis } from '../model/workspace.ts';
import type { ActionableItem } from '../reviews/review-verdict.ts';

/** A failure that the evidence names, or that a run of ours shows. */
export type NamedFailure = Pick<ReportedFailure, 'tool' | 'path' | 'rule' | 'testId' | 'message'>;

/** What the evidence says about what is red. All texts are untrusted. */
export interface ProofEvidence {
  /** Failed tests and places in files. */
  readonly failures: readonly NamedFailure[];
  /** The commands that failed. */
  readonly commands: readonly string[];
}

export const NO_EVIDENCE: ProofEvidence = { failures: [], commands: [] };

/** Commands that prepare, publish or need more than a site has. They prove nothing here. */
const NOT_HERE =
  /^[\w.-]+\/[\w./-]+@|\$\{\{|\b(?:npm ci|(?:npm|pnpm|yarn|bun|pip3?|poetry|apt|apt-get|brew|gem|bundle|cargo|go) (?:install|add|i|get|update|sync)|uv sync|apt-get|curl|wget|docker|podman|kubectl|publish|deploy|git)\b/u;
const MAX_COMMAND_LENGTH = 300;
/** More commands are not tried. */
const MAX_COMMANDS = 3;
const MAX_COMMENT_BYTES = 16 * 1024;

/** What the closer look at red CI found, for the checks that are to be fixed. */
export function toCiEvidence(
  diagnosis: Pick<Diagnosis, 'failures' | 'jobs'> | null,
  failing: readonly string[],
): ProofEvidence {
  if (diagnosis === null) return NO_EVIDENCE;
  const ours = new Set(failing);
  const commands = diagnosis.jobs.filter(({ name }) => ours.has(name)).map(({ command }) => command ?? '');
  return {
    failures: diagnosis.failures.filter(({ job }) => ours.has(job)),
    commands: [...new Set(commands)].filter(isForHere).slice(0, MAX_COMMANDS),
  };
}

/** Failed tests that reviewers quote from the output of a runner, and the commands before them; null if they quote none. */
export function toReviewProofEvidence(items: readonly ActionableItem[], resolve: ResolvePath): ProofEvidence | null {
  const texts = items.flatMap((item) =>
    item.kind === 'thread' ? [item.request, ...item.words.map(({ comment }) => comment.body)] : [item.body],
  );
  const found = texts.flatMap((text) => readLog(text, MAX_COMMENT_BYTES).failures.map(({ failure }) => failure));
  const tests = found.filter(({ kind, testId, tool }) => kind === 'test' && testId !== null && tool !== null);
  if (tests.length === 0) return null;
  return {
    failures: toNamed(tests).map((test) => ({ ...test, path: test.path === null ? null : resolve(test.path) })),
    commands: [...new Set(tests.map(({ step }) => step ?? ''))].filter(isForHere).slice(0, MAX_COMMANDS),
  };
}

function isForHere(command: string): boolean {
  return command !== '' && command.length <= MAX_COMMAND_LENGTH && !NOT_HERE.test(command);
}

/**
 * The failures of the evidence that a run shows too. A runner prints a test in several ways, so the last part of its name counts,
 * without numbers.
 */
export function findShown(evidence: ProofEvidence, shown: readonly NamedFailure[]): readonly NamedFailure[] {
  const keys = new Set(shown.flatMap(toKeys));
  return evidence.failures.filter((failure) => toKeys(failure).some((key) => keys.has(key)));
}

function toKeys({ path, rule, testId, message }: NamedFailure): readonly string[] {
  if (testId !== null) return [`test ${toTestName(testId)}`];
  const name = path === null ? '' : path.slice(path.lastIndexOf('/') + 1);
  return [`place ${name} ${rule ?? ''} ${toShape(message)}`];
}

function toTestName(testId: string): string {
  return toShape(testId.replace(/^.*(?:::| > | › |(?<=\w)[.#](?=\w))/su, ''));
}

/** What a log or a comment shows for sure. */
export function toNamed(signs: readonly FailureSign[]): readonly NamedFailure[] {
  return signs
    .filter(({ kind }) => kind === 'test' || kind === 'place' || kind === 'exception')
    .map(({ tool, path, rule, testId, message }) => ({ tool, path, rule, testId, message }));
}
