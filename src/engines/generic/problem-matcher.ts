import { z } from 'zod';
import { type Reading, readJson } from '../parse/read-json.ts';

const MAX_DEFINITION_LENGTH = 65_536;
const MAX_MATCHERS = 20;
const MAX_PATTERNS = 10;

const Group = z.int().min(0).max(100).optional();

const Pattern = z.strictObject({
  regexp: z.string().min(1).max(2000),
  file: Group,
  fromPath: Group,
  line: Group,
  column: Group,
  severity: Group,
  code: Group,
  message: Group,
  loop: z.boolean().optional(),
});

const Matcher = z.strictObject({
  owner: z.string().min(1).max(100),
  severity: z.string().max(40).optional(),
  fromPath: z.string().max(4096).optional(),
  pattern: z.array(Pattern).min(1).max(MAX_PATTERNS),
});

/** The file that `::add-matcher::` of GitHub's runner reads. */
const Definition = z.looseObject({ problemMatcher: z.array(Matcher).min(1).max(MAX_MATCHERS) });

type Given = z.infer<typeof Pattern>;

/** What a pattern can capture from a line. */
export const CAPTURES = ['file', 'fromPath', 'line', 'column', 'severity', 'code', 'message'] as const;
export type Capture = (typeof CAPTURES)[number];

export interface MatcherPattern {
  readonly regexp: RegExp;
  /** Group number for each capture; 0 is the whole match. */
  readonly groups: Readonly<Partial<Record<Capture, number>>>;
  readonly loops: boolean;
}

export interface ProblemMatcher {
  readonly owner: string;
  /** Used if no group captures it. */
  readonly severity: string;
  readonly fromPath: string | null;
  /** They match consecutive lines, one line each. */
  readonly patterns: readonly MatcherPattern[];
}

/**
 * Reads the matchers of a definition in GitHub's format (https://github.com/actions/toolkit/blob/main/docs/problem-matchers.md)
 * and checks them as GitHub's runner does. Never throws.
 */
export function readProblemMatchers(text: string): Reading<readonly ProblemMatcher[]> {
  if (text.length > MAX_DEFINITION_LENGTH)
    return { kind: 'invalid', why: `it is longer than ${String(MAX_DEFINITION_LENGTH)} characters` };
  const reading = readJson(text, Definition);
  if (reading.kind === 'invalid') return reading;
  const matchers: ProblemMatcher[] = [];
  for (const { owner, severity, fromPath, pattern } of reading.value.problemMatcher) {
    if (matchers.some((known) => known.owner === owner))
      return { kind: 'invalid', why: `two matchers have the owner "${owner}"` };
    const patterns: MatcherPattern[] = [];
    for (const [index, given] of pattern.entries()) {
      const why = findMistake(given, { isLast: index === pattern.length - 1, isOnly: pattern.length === 1 });
      if (why !== null) return { kind: 'invalid', why: `matcher "${owner}", pattern ${String(index + 1)}: ${why}` };
      patterns.push(toPattern(given));
    }
    matchers.push({ owner, severity: severity ?? 'error', fromPath: fromPath ?? null, patterns });
  }
  return { kind: 'ok', value: matchers };
}

function findMistake(
  given: Given,
  { isLast, isOnly }: { readonly isLast: boolean; readonly isOnly: boolean },
): string | null {
  const groupCount = countGroups(given.regexp);
  if (groupCount === null) return 'its regexp is none';
  const missing = CAPTURES.find((capture) => (given[capture] ?? 0) > groupCount);
  if (missing !== undefined) return `its regexp has no group ${String(given[missing])} for "${missing}"`;
  if (given.loop === true && (!isLast || isOnly)) return 'only the last of several patterns may loop';
  return isLast && given.message === undefined ? 'the last pattern must capture the message' : null;
}

/** null if it does not compile. */
function countGroups(source: string): number | null {
  const regexp = compile(`${source}|`);
  return compile(source) === null || regexp === null ? null : (regexp.exec('')?.length ?? 1) - 1;
}

function compile(source: string): RegExp | null {
  try {
    return new RegExp(source);
  } catch {
    return null;
  }
}

function toPattern({ regexp, loop, ...groups }: Given): MatcherPattern {
  const numbers = CAPTURES.flatMap((capture) => {
    const group = groups[capture];
    return group === undefined ? [] : [[capture, group] as const];
  });
  return { regexp: new RegExp(regexp), groups: Object.fromEntries(numbers), loops: loop === true };
}
