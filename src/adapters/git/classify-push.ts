/** What one `git push --porcelain` of a single reference says. */
export type PushVerdict =
  | { readonly kind: 'pushed' }
  /** The lease did not hold, or somebody wrote at the same moment. */
  | { readonly kind: 'lost_race' }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'unknown'; readonly reason: string };

const MAX_REASON_LENGTH = 2000;
const REF_LINE = /^([ +\-*=!])\t\S+:refs\/heads\/.*?\t(.*)$/m;
const LOST_RACE =
  /stale info|fetch first|non-fast-forward|cannot lock ref|failed to (?:update|lock) ref|reference already/i;
/** Answers of the server to the request itself: nothing was written. */
const DENIED = /returned error: 40[0134]|Authentication failed|could not read Username|Repository not found/i;

/**
 * Reads the output of a push: the reference line of stdout decides (`=` is the same push once more, after a crash); without
 * one only a plain denial is certain, everything else may or may not have arrived.
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
  // "[rejected]" is our own side's word, "[remote rejected]" the server's.
  if (LOST_RACE.test(summary)) return { kind: 'lost_race' };
  if (summary.startsWith('[remote failure]')) return { kind: 'unknown', reason: toReason(summary, output.stderr) };
  return { kind: 'refused', reason: toReason(summary, output.stderr) };
}

function classifyWithoutRef(output: { readonly exitCode: number | null; readonly stderr: string }): PushVerdict {
  const lastLine = output.stderr.trim().split('\n').at(-1) ?? '';
  if (DENIED.test(output.stderr)) return { kind: 'refused', reason: toReason(lastLine, output.stderr) };
  const reason = output.exitCode === null ? 'the push did not end in time' : toReason(lastLine, output.stderr);
  return { kind: 'unknown', reason };
}

/** The summary and what the server said, without control characters. */
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
