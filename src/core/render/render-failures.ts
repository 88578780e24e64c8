import type { Sha } from '../model/ids.ts';
import type { ReportedFailure } from '../model/reported-failure.ts';
import { toInlineCode, toPlainText } from '../text/escape.ts';
import { toLines } from '../text/words.ts';

/** Web address of a file at a commit, or of a line of it. */
export type ToFileUrl = (place: { readonly sha: Sha; readonly path: string; readonly line: number | null }) => string;

/** The commit that the log is about, and how to link to it. */
export interface LinkedHead {
  readonly headSha: Sha;
  readonly toFileUrl: ToFileUrl;
}

const MAX_OF_A_CHECK = 5;
const MAX_NAME_LENGTH = 120;
const MAX_MESSAGE_LENGTH = 200;

/** What the log of one check reports, as a list below it. */
export function renderFailures(failures: readonly ReportedFailure[], job: string, head: LinkedHead): readonly string[] {
  const ofJob = failures.filter((failure) => failure.job === job);
  const toRest = (rest: number): string => `  - and ${rest} more`;
  return toLines(ofJob, MAX_OF_A_CHECK, (failure) => `  - ${renderFailure(failure, head)}`, toRest);
}

function renderFailure(
  { path, line, rule, testId, message }: ReportedFailure,
  { headSha, toFileUrl }: LinkedHead,
): string {
  const parts = [
    ...(path === null ? [] : [toLink(path, line, toFileUrl({ sha: headSha, path, line }))]),
    ...[testId, rule].flatMap((name) => (name === null || name === '' ? [] : [toName(name)])),
  ].join(' ');
  const says = message === testId ? '' : toPlainText(message, MAX_MESSAGE_LENGTH);
  return says === '' ? parts : `${parts}: ${says}`;
}

function toLink(path: string, line: number | null, url: string): string {
  return `[${toInlineCode(line === null ? path : `${path}:${line}`)}](<${url}>)`;
}

function toName(name: string): string {
  return toInlineCode(name.slice(0, MAX_NAME_LENGTH).toWellFormed());
}
