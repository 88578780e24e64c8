import { z } from 'zod';
import { toSeverity } from '../../core/findings/severity.ts';
import type { Parser } from '../../core/model/engine.ts';
import type { FindingKind, ParsedFinding } from '../../core/model/finding.ts';
import { readJson } from '../parse/read-json.ts';
import { MAX_FINDINGS, TOO_MANY_FINDINGS, toFinding } from '../parse/to-finding.ts';
import { toAbsentPayload, toPayload } from '../parse/to-payload.ts';
import { toRepositoryPath } from '../parse/to-repository-path.ts';

const position = z.int().min(1).max(1_000_000_000).nullish();

/** One line of Ratchet's own format: one finding, as JSON. An unknown key is an error. */
export const JsonlFinding = z.strictObject({
  /** Relative to the folder that the command ran in, or absolute; left out: the finding has no place. */
  path: z.string().min(1).max(4096).nullish(),
  line: position,
  column: position,
  endLine: position,
  severity: z.enum(['blocker', 'high', 'medium', 'low', 'error', 'warning', 'info', 'note']),
  rule: z.string().min(1).max(256).nullish(),
  message: z.string().min(1),
  /** Left out: what the engine's kind says. */
  kind: z
    .enum(['lint', 'type', 'format', 'parse_error', 'test_failure', 'collection_error', 'coverage_gap'])
    .optional(),
  /** By which a test is found again. */
  testId: z.string().min(1).max(1024).nullish(),
});
export type JsonlFinding = z.infer<typeof JsonlFinding>;

/**
 * A parser of findings as JSON Lines; blank lines mean nothing. A line that is no finding, or a path outside of the root, makes
 * the whole output invalid, with the number of the line: half a list would look like a better one.
 */
export function createJsonlParser(kind: FindingKind): Parser {
  return (input) => {
    const absent = toAbsentPayload(input.text);
    if (absent !== null || input.text === null) return absent ?? { kind: 'missing' };
    const findings: ParsedFinding[] = [];
    for (const [index, line] of input.text.split('\n').entries()) {
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
  };
}

function toInvalid(index: number, why: string): ReturnType<Parser> {
  return { kind: 'invalid', why: `line ${String(index + 1)}: ${why}` };
}

/** Without a file there is no line in one, and without a line no column. */
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
