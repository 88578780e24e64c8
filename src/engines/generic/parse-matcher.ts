import { posix } from 'node:path';
import { toSeverity } from '../../core/findings/severity.ts';
import type { Parser } from '../../core/model/engine.ts';
import type { FindingKind, ParsedFinding } from '../../core/model/finding.ts';
import { createTextParser } from '../parse/create-parser.ts';
import { MAX_FINDINGS, TOO_MANY_FINDINGS, toFinding } from '../parse/to-finding.ts';
import { toPayload } from '../parse/to-payload.ts';
import { type Roots, toRepositoryPath } from '../parse/to-repository-path.ts';
import { computeWithin } from './compute-within.ts';
import { matchProblems, type ProblemMatch } from './match-problems.ts';
import { readProblemMatchers } from './problem-matcher.ts';

const MAX_LINES = 200_000;
const MAX_LINE_LENGTH = 2000;
const MATCH_TIMEOUT_MS = 2000;

export interface MatcherParserOptions {
  /** Text of the definition in GitHub's format; null if its file could not be read. */
  readonly definition: string | null;
  readonly kind: FindingKind;
  /** For tests. */
  readonly timeoutMs?: number;
}

/**
 * Creates a parser of plain text with problem matchers. The regular expressions come from a repository and the text from a tool,
 * so lines are cut at 2,000 characters, and matching stops after two seconds, which makes the output invalid. Lines without a
 * match are ignored, as by GitHub's runner.
 */
export function createMatcherParser({ definition, kind, timeoutMs }: MatcherParserOptions): Parser {
  if (definition === null) return () => ({ kind: 'invalid', why: 'the file of the problem matcher cannot be read' });
  const reading = readProblemMatchers(definition);
  if (reading.kind === 'invalid') return () => ({ kind: 'invalid', why: `the problem matcher: ${reading.why}` });
  return createTextParser((text, input) => {
    const { lines, isCut } = toLines(text);
    const matched = computeWithin(timeoutMs ?? MATCH_TIMEOUT_MS, () =>
      matchProblems(reading.value, lines, MAX_FINDINGS + 1),
    );
    if (matched.kind === 'too_long')
      return { kind: 'invalid', why: 'the problem matcher takes too long on this output: its regexps backtrack' };
    const isFull = matched.value.length > MAX_FINDINGS;
    return toPayload({
      findings: matched.value.slice(0, MAX_FINDINGS).flatMap((problem) => toProblemFinding(problem, kind, input)),
      partial: toPartial({ isCut, isFull }),
    });
  });
}

function toLines(text: string): { readonly lines: readonly string[]; readonly isCut: boolean } {
  const lines = text.split(/\r?\n/u, MAX_LINES + 1);
  return {
    lines: lines.slice(0, MAX_LINES).map((line) => line.slice(0, MAX_LINE_LENGTH)),
    isCut: lines.length > MAX_LINES,
  };
}

function toPartial({ isCut, isFull }: { readonly isCut: boolean; readonly isFull: boolean }): string | null {
  if (isFull) return TOO_MANY_FINDINGS;
  return isCut ? `the output has more than ${String(MAX_LINES)} lines; the others were not read` : null;
}

/** Empty if no message was captured, as by GitHub's runner. */
function toProblemFinding(
  { matcher, captured }: ProblemMatch,
  kind: FindingKind,
  roots: Roots,
): readonly ParsedFinding[] {
  const { message, code } = captured;
  if (message === undefined) return [];
  const native = captured.severity ?? matcher.severity;
  const path = toPath(captured.file, captured.fromPath ?? matcher.fromPath, roots);
  const line = path === null ? null : toNumber(captured.line);
  const column = line === null ? null : toNumber(captured.column);
  return [toFinding({ kind, rule: code, severity: toSeverity(native), native, message, path, line, column })];
}

/** A relative path is relative to the folder of the (project) file in `fromPath`, if there is one. */
function toPath(file: string | undefined, fromPath: string | null, roots: Roots): string | null {
  if (file === undefined) return null;
  const folder = fromPath === null ? '' : posix.dirname(fromPath.replaceAll('\\', '/'));
  return toRepositoryPath(posix.isAbsolute(file) ? file : posix.join(folder, file), roots);
}

function toNumber(text: string | undefined): number | null {
  return text !== undefined && /^0*[1-9]\d{0,8}$/u.test(text) ? Number(text) : null;
}
