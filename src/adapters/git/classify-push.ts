import { isLasting, isServerTrouble } from './classify-transport.ts';

/** The result of one `git push --porcelain` of a single ref. */
export type PushVerdict =
  | { readonly kind: 'pushed' }
  /** The lease failed, or someone else updated the ref at the same time. */
  | { readonly kind: 'lost_race' }
  /** The server does not want this push, now or later. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** The push may have reached the server, or the server could not take it. The remote head tells. */
  | { readonly kind: 'unknown'; readonly reason: string };

const MAX_REASON_LENGTH = 2000;
const REF_LINE = /^([ +\-*=!])\t\S+:refs\/heads\/.*?\t(.*)$/m;
const LOST_RACE =
  /stale info|fetch first|non-fast-forward|cannot lock ref|failed to (?:update|lock) ref|reference already/i;

/**
 * Parses the output of a push. The ref line on stdout decides; `=` means that the same push succeeded before a crash.
 * Without a ref line, only a lasting refusal is certain. Anything else is `unknown`, also a denied request: if the App
 * has lost its right to push, GitHub grants no token for the next try.
 */
export function classifyPush(output: {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}): PushVerdict {
  const [, flag, summary = ''] = REF_LINE.exec(output.stdout) ?? [];
  if (flag === undefined) return classifyWithoutRef(output);
  if (flag !== '!') {
    return output.exitCode === 0 ? { kind: 'pushed' } : { kind: 'unknown', reason: toReason(summary, output.stderr) };
  }
  // git itself writes "[rejected]"; "[remote rejected]" comes from the server.
  if (LOST_RACE.test(summary)) return { kind: 'lost_race' };
  if (summary.startsWith('[remote failure]') || isServerTrouble(summary, output.stderr)) {
    return { kind: 'unknown', reason: toReason(summary, output.stderr) };
  }
  return { kind: 'refused', reason: toReason(summary, output.stderr) };
}

function classifyWithoutRef(output: { readonly exitCode: number | null; readonly stderr: string }): PushVerdict {
  const lastLine = output.stderr.trim().split('\n').at(-1) ?? '';
  if (isLasting(output.stderr)) return { kind: 'refused', reason: toReason(lastLine, output.stderr) };
  const reason = output.exitCode === null ? 'the push did not end in time' : toReason(lastLine, output.stderr);
  return { kind: 'unknown', reason };
}

/** The summary and the server's `remote:` lines, without control characters. */
function toReason(summary: string, stderr: string): string {
  const said = stderr
    .split(/[\r\n]+/)
    .filter((line) => line.startsWith('remote:'))
    .map((line) => line.slice('remote:'.length).trim())
    .filter((line) => line !== '');
  return [summary, ...said]
    .join('\n')
    .replace(/[^\P{C}\n]/gu, '')
    .slice(0, MAX_REASON_LENGTH);
}
