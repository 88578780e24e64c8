import { CAPTURES, type Capture, type MatcherPattern, type ProblemMatcher } from './problem-matcher.ts';

/** What a matcher captured from one line or from consecutive lines. */
export interface ProblemMatch {
  readonly matcher: ProblemMatcher;
  readonly captured: Readonly<Partial<Record<Capture, string>>>;
}

type Captured = ProblemMatch['captured'];

/**
 * Problems that the matchers find in the lines, in order of the lines, by the rules of GitHub's runner. The first matcher that
 * matches a line takes it and resets the progress of the others. The patterns of one matcher match consecutive lines. The last of
 * several patterns may loop, and then matches as many lines as it can. Returns at most `maxProblems`.
 */
export function matchProblems(
  matchers: readonly ProblemMatcher[],
  lines: Iterable<string>,
  maxProblems: number,
): readonly ProblemMatch[] {
  const problems: ProblemMatch[] = [];
  // Captures of each matcher after its first, second … pattern; null if that pattern did not match the previous line.
  let progress = matchers.map(({ patterns }) => noProgress(patterns));
  for (const line of lines) {
    const found = matchLine(matchers, progress, line);
    progress = [...found.progress];
    if (found.problem !== null) problems.push(found.problem);
    if (problems.length >= maxProblems) return problems;
  }
  return problems;
}

type Progress = readonly (Captured | null)[];

interface LineMatch {
  readonly progress: readonly Progress[];
  readonly problem: ProblemMatch | null;
}

function matchLine(matchers: readonly ProblemMatcher[], progress: readonly Progress[], line: string): LineMatch {
  const next: Progress[] = [];
  for (const [index, matcher] of matchers.entries()) {
    const moved = advance(matcher.patterns, progress[index] ?? [], line);
    next.push(moved.progress);
    if (moved.captured === null) continue;
    const others = matchers.map(({ patterns }) => noProgress(patterns));
    return { progress: others.with(index, moved.progress), problem: { matcher, captured: moved.captured } };
  }
  return { progress: next, problem: null };
}

function noProgress(patterns: readonly MatcherPattern[]): Progress {
  return patterns.slice(1).map(() => null);
}

interface Advance {
  readonly progress: Progress;
  /** Everything that its patterns captured; null if the line did not complete a match. */
  readonly captured: Captured | null;
}

/** Tries the last pattern first: a line may complete a match, else continue one or start another. */
function advance(patterns: readonly MatcherPattern[], progress: Progress, line: string): Advance {
  const last = patterns.length - 1;
  const before = last === 0 ? {} : (progress[last - 1] ?? null);
  const final = before === null ? null : capture(patterns[last], line, before);
  if (final !== null) {
    const kept = patterns[last]?.loops === true ? noProgress(patterns).with(last - 1, before) : noProgress(patterns);
    return { progress: kept, captured: final };
  }
  const next = patterns.slice(0, -1).map((pattern, index) => {
    const running = index === 0 ? {} : (progress[index - 1] ?? null);
    return running === null ? null : capture(pattern, line, running);
  });
  return { progress: next, captured: null };
}

/** Captures of the pattern added to the earlier ones; null if it does not match. */
function capture(pattern: MatcherPattern | undefined, line: string, before: Captured): Captured | null {
  const match = pattern?.regexp.exec(line) ?? null;
  if (pattern === undefined || match === null) return null;
  const captured: Partial<Record<Capture, string>> = { ...before };
  for (const name of CAPTURES) {
    const group = pattern.groups[name];
    const text = group === undefined ? undefined : match[group]?.trim();
    if (text !== undefined && text !== '') captured[name] = text;
  }
  return captured;
}
