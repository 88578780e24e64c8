import { sortByPlace } from '../../core/findings/order-findings.ts';
import { type EngineKind, FINDING_KIND_OF, type ParseInput, type Payload } from '../../core/model/engine.ts';
import type { ParsedFinding } from '../../core/model/finding.ts';
import { toPayload } from './to-payload.ts';

type Parsed = Extract<Payload, { readonly kind: 'parsed' }>;

/** Findings of one run that are read: nobody reads more. */
export const MAX_FINDINGS = 25_000;
/** Why a run is partial that has more. */
export const TOO_MANY_FINDINGS = `there are more than ${String(MAX_FINDINGS)} findings; the others were not read`;
const MAX_MESSAGE_LENGTH = 4096;
const MAX_POSITION = 1_000_000_000;

/** What a tool told of one finding; what is left out it did not tell. Positions are 1-based already. */
export type ToldFinding = Pick<ParsedFinding, 'kind' | 'severity' | 'message'> & {
  readonly [Key in keyof ParsedFinding]?: ParsedFinding[Key] | undefined;
};

/** A finding from what was told: a position that no file can have is none, a very long message is cut. */
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
 * The payload of a parser that has read everything, its findings by place: the order in which a tool's threads end is chance.
 * More findings than anybody reads are cut, and the run is then partial.
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

/** The kind of a finding: a file that could not be read as a program is no finding of the rules, whatever the engine's kind. */
export function toKind(engine: EngineKind, isParseError: boolean): ParsedFinding['kind'] {
  return isParseError ? 'parse_error' : FINDING_KIND_OF[engine];
}

/** A tool's text without the root, which is another one in each run. */
export function withoutRoot(text: string, { root }: Pick<ParseInput, 'root'>): string {
  return text.replaceAll(`${root}/`, '').replaceAll(`${root}"`, '."');
}

function toPosition(position: number | null | undefined): number | null {
  if (position === null || position === undefined) return null;
  return Number.isInteger(position) && position >= 1 && position <= MAX_POSITION ? position : null;
}
