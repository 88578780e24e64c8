import { sortByPlace } from '../../core/findings/order-findings.ts';
import { type EngineKind, FINDING_KIND_OF, type ParseInput, type Payload } from '../../core/model/engine.ts';
import type { ParsedFinding } from '../../core/model/finding.ts';
import { toPayload } from './to-payload.ts';

type Parsed = Extract<Payload, { readonly kind: 'parsed' }>;

/** Most findings that are read of one run; people do not read more. */
export const MAX_FINDINGS = 25_000;
/** The reason of a partial run with more findings. */
export const TOO_MANY_FINDINGS = `there are more than ${String(MAX_FINDINGS)} findings; the others were not read`;
const MAX_MESSAGE_LENGTH = 4096;
const MAX_POSITION = 1_000_000_000;

/** One finding as a tool reported it, without the fields that it did not report. Positions are 1-based. */
export type ToldFinding = Pick<ParsedFinding, 'kind' | 'severity' | 'message'> & {
  readonly [Key in keyof ParsedFinding]?: ParsedFinding[Key] | undefined;
};

/** Completes a reported finding. An impossible position becomes null, and a very long message is cut. */
export function toFinding(told: ToldFinding): ParsedFinding {
  return {
    kind: told.kind,
    rule: told.rule ?? null,
    severity: told.severity,
    native: told.native ?? null,
    message: told.message.slice(0, MAX_MESSAGE_LENGTH),
    path: told.path ?? null,
    line: toPosition(told.line),
    column: toPosition(told.column),
    endLine: toPosition(told.endLine),
    testId: told.testId ?? null,
    identity: told.identity ?? null,
  };
}

/**
 * The payload of a parser that has read everything. Findings are sorted by place, because the order of a tool's threads is
 * random. Findings above the limit are dropped, and the run is then partial.
 */
export function toBoundedPayload(parsed: Pick<Parsed, 'findings'> & Partial<Parsed>): Payload {
  const findings = sortByPlace(parsed.findings);
  if (findings.length <= MAX_FINDINGS) return toPayload({ ...parsed, findings });
  return toPayload({
    ...parsed,
    findings: findings.slice(0, MAX_FINDINGS),
    partial: parsed.partial ?? TOO_MANY_FINDINGS,
  });
}

/** The kind of a finding. A file that could not be parsed is a parse error, regardless of the engine's kind. */
export function toKind(engine: EngineKind, isParseError: boolean): ParsedFinding['kind'] {
  return isParseError ? 'parse_error' : FINDING_KIND_OF[engine];
}

/** Removes the root from a tool's text, because it differs in each run. */
export function withoutRoot(text: string, { root }: Pick<ParseInput, 'root'>): string {
  return text.replaceAll(`${root}/`, '').replaceAll(`${root}"`, '."');
}

function toPosition(position: number | null | undefined): number | null {
  if (position === null || position === undefined) return null;
  return Number.isInteger(position) && position >= 1 && position <= MAX_POSITION ? position : null;
}
