import { z } from 'zod';
import { toSeverity } from '../../core/findings/severity.ts';
import type { Parser } from '../../core/model/engine.ts';
import type { FindingKind, ParsedFinding } from '../../core/model/finding.ts';
import { createTextParser } from '../parse/create-parser.ts';
import { readJson } from '../parse/read-json.ts';
import { MAX_FINDINGS, TOO_MANY_FINDINGS, toFinding } from '../parse/to-finding.ts';
import { toPayload } from '../parse/to-payload.ts';
import { toRepositoryPath } from '../parse/to-repository-path.ts';

const position = z.int().min(1).max(1_000_000_000).nullish();

/** One line of Ratchet's own format: one finding as JSON. Unknown keys are an error. */
export const JsonlFinding = z.strictObject({
  /** Relative to the folder that the command ran in, or absolute. Without it the finding has no place. */
  path: z.string().min(1).max(4096).nullish(),
  line: position,
  column: position,
  endLine: position,
  severity: z.enum(['blocker', 'high', 'medium', 'low', 'error', 'warning', 'info', 'note']),
  rule: z.string().min(1).max(256).nullish(),
  message: z.string().min(1),
  /** Default: the kind that belongs to the engine. */
  kind: z
    .enum(['lint', 'type', 'format', 'parse_error', 'test_failure', 'collection_error', 'coverage_gap'])
    .optional(),
  /** Identifies a test in another run. */
  testId: z.string().min(1).max(1024).nullish(),
});
export type JsonlFinding = z.infer<typeof JsonlFinding>;

/**
 * Creates a parser of findings as JSON Lines; blank lines are ignored. A line that is not a finding, or a path outside of the
 * root, makes the whole output invalid, with its line number: half a list would look like fewer problems.
 */
export function createJsonlParser(kind: FindingKind): Parser {
  return createTextParser((text, input) => {
    const findings: ParsedFinding[] = [];
    for (const [index, line] of text.split('\n').entries()) {
      if (!/\S/u.test(line)) continue;
      if (findings.length === MAX_FINDINGS) return toPayload({ findings, partial: TOO_MANY_FINDINGS });
      const reading = readJson(line, JsonlFinding);
      if (reading.kind === 'invalid') return toInvalid(index, reading.why);
      const { path: named } = reading.value;
      const path = typeof named === 'string' ? toRepositoryPath(named, input) : null;
      if (path === null && typeof named === 'string')
        return toInvalid(index, `path: "${named}" is no file below the root`);
      findings.push(toJsonlFinding(reading.value, path, kind));
    }
    return toPayload({ findings });
  });
}

function toInvalid(index: number, why: string): ReturnType<Parser> {
  return { kind: 'invalid', why: `line ${String(index + 1)}: ${why}` };
}

/** A line needs a file, and a column needs a line. */
function toJsonlFinding(given: JsonlFinding, path: string | null, kind: FindingKind): ParsedFinding {
  const hasLine = path !== null && typeof given.line === 'number';
  return toFinding({
    kind: given.kind ?? kind,
    rule: given.rule,
    severity: toSeverity(given.severity),
    native: given.severity,
    message: given.message,
    path,
    ...(hasLine ? { line: given.line, column: given.column, endLine: given.endLine } : {}),
    testId: given.testId,
    identity: typeof given.testId === 'string' ? (given.rule ?? '') : null,
  });
}
