import { isForeign } from '../evidence/foreign-code.ts';
import type { LogFailure } from '../evidence/log-failure.ts';
import { isFailingTest, isWrongCode } from './code-signs.ts';
import type { FailedJob } from './failed-job.ts';
import { toEnd, toFailedSteps } from './failed-steps.ts';
import { type CiResult, compareText } from './latest-results.ts';
import { normaliseLine } from './normalise-line.ts';
import { toShortHash } from './short-hash.ts';

/** Signatures of other versions equal none of these: nobody knows whether the failure is the same. */
const VERSION = 3;

/** How many lines at the end of a step stand for its failure where no line speaks of one. */
const SILENT_LINES = 12;
/** So few lines that speak of a failure may stand for many failures: the end of the step says which. */
const FEW_LINES = 2;
/** How many lines before the end of a step can name what failed, and tell of it in general words. */
const NAMED_LINES = 1500;
const TOLD_LINES = 60;

/** A line that speaks of a failure where failures are told: at its beginning, or as the name of an error. */
const FAILURE =
  /^\W*(?:\[?(?:error|fatal|failed|failure|fail|panic|exception|traceback|abort(?:ed|ing)?)\b|npm err|caused by)|\w(?:Error|Exception)\b|\b(?:error|fatal|exception|panic)\b ?:|\b(?:failed|failing|failures?|panicked|goroutine \d+ \[)\b|(?:error|fail(?:ed|ure)?)!?$/iu;

/** A line about what passed, or about nothing that failed. */
const PASSED =
  /^\s*(?:✓|✔|√|ok\b|PASS(?:ED)?\b|--- PASS|\[ +OK +\]|\[info\]|warning\b|warn\b|\[warn)|\.\.\. ?ok\b|^(?!.*\b[1-9]\d* (?:fail|error)).*\b0 (?:failures?|failed|errors?)\b|^(?!.*(?:failures|errors): [1-9]).*\b(?:failures|errors): 0\b/iu;

/** A test that was left out, a try that was not the last one, and the progress of a download, of a list or of gulp. */
const ON_THE_WAY =
  /\bSKIPPED\b|\bretrying\b|^\s*\d+% ?\[|[✓✔→]{20}|^(?:\[[\d:]+\] )?(?:Starting|Finished) '|^travis_(?:time|fold):/u;

/** A frame of Java, .NET, JavaScript, Ruby or Python. */
const STACK = /^\s*at |^\s*File "|:\d+:in [`']/u;

/** What the runner and git write about any failure, and what we write about what we leave out. */
const FRAME =
  /^##\[error\](?:Process completed with exit code 1\.|Error: Process completed)|^… \d+ lines left out …$|^(?:remote: )?(?:Receiving objects|Compressing|Counting|Resolving deltas|Rece)|^The command ".*" (?:failed and )?exited with/u;

/**
 * Hash of a failure without what changes from run to run: equal for equal failures, in any order of jobs and lines. A job that could
 * not be read makes the signature unique, because nothing is known to be the same. Jobs that fail alike count once: a job may run
 * for the push, for the pull request, or for both. `unread` are jobs beyond the reading limit.
 */
export function toFailureSignature(
  read: readonly Pick<FailedJob, 'check' | 'failures' | 'lines'>[],
  unread: readonly CiResult[],
): string {
  const jobs = [
    ...read.map((job) => [...toIdentity(job.check), ...toTraits(job)]),
    ...unread.map((check) => toIdentity(check)),
  ];
  const distinct = new Set(jobs.map((job) => JSON.stringify(job)));
  return `${VERSION}.${toShortHash(JSON.stringify([...distinct].sort(compareText)))}`;
}

function toIdentity({ name, conclusion }: CiResult): readonly string[] {
  return [name, conclusion ?? ''];
}

/** What makes the failure of a job this one: each once, sorted. */
function toTraits({ check, failures, lines }: Pick<FailedJob, 'check' | 'failures' | 'lines'>): readonly string[] {
  const traits = new Set([...failures.flatMap(toTrait), ...toStrongLines(lines)]);
  return traits.size === 0 ? [`nothing to read: ${check.id} ${check.startedAt ?? ''}`] : [...traits].sort(compareText);
}

/** The identity of a recognised failure. What a test compared is among the strong lines, in any order. */
function toTrait({ kind, path, rule, testId, message }: LogFailure): readonly string[] {
  if (kind === 'test') return [JSON.stringify([kind, path, testId])];
  return kind === 'place' ? [JSON.stringify([kind, path, rule, normaliseLine(message)])] : [];
}

function toStrongLines(lines: readonly string[]): readonly string[] {
  const steps = toFailedSteps(lines).map((step) => toEnd(step).filter(isTelling));
  const ends = steps.map(toLastCommand);
  const named = steps.flatMap((step) => step.slice(-NAMED_LINES)).filter(isNamed);
  const told = ends.flatMap((step) => step.slice(-TOLD_LINES)).filter((line) => FAILURE.test(line));
  const strong = new Set([...named, ...told]);
  const silent = strong.size > FEW_LINES ? [] : ends.flatMap((step) => step.slice(-SILENT_LINES));
  return [...strong, ...silent].map(normaliseLine).filter((line) => line !== '');
}

/** Whether a line is about what failed. */
function isTelling(line: string): boolean {
  return line.trim() !== '' && ![FRAME, PASSED, ON_THE_WAY].some((noise) => noise.test(line)) && !isForeignFrame(line);
}

/** Frames in code of others differ by the version of a runtime, and those of the project say where it failed. */
function isForeignFrame(line: string): boolean {
  return STACK.test(line) && isForeign(line);
}

/** What follows the last command that the log shows; everything if it shows none. */
function toLastCommand(lines: readonly string[]): readonly string[] {
  const at = lines.findLastIndex((line, index) => /^\$ \S/u.test(line) && index < lines.length - 1);
  return lines.slice(at + 1);
}

function isNamed(line: string): boolean {
  return isFailingTest(line) || isWrongCode(line);
}
