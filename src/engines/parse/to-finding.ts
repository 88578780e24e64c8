import { sortByPlace } from '../../core/findings/order-findings.ts';
import { toSeverity } from '../../core/findings/severity.ts';
import type { ParseInput, Payload } from '../../core/model/engine.ts';
import type { ParsedFinding } from '../../core/model/finding.ts';
import { toPayload } from './to-payload.ts';
import { type Roots, toRepositoryPath } from './to-repository-path.ts';

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
    ...(told.otherPlaces === undefined || told.otherPlaces.length === 0 ? {} : { otherPlaces: told.otherPlaces }),
  };
}

/** A message about the code, as a linter or a type checker reported it. */
export interface CodeMessage extends Partial<Omit<ToldFinding, 'path' | 'testId' | 'identity'>> {
  readonly message: string;
  /** As reported, see `toRepositoryPath`. */
  readonly file: string | null | undefined;
  /** The file could not be parsed, which is worse than any finding in it. */
  readonly isParseError: boolean;
}

/** A finding about the code. Defaults: a lint finding, as severe as the tool's own word says, or `medium` without such a word. */
export function toCodeFinding(
  { file, isParseError, kind = 'lint', severity, ...told }: CodeMessage,
  roots: Roots,
): ParsedFinding {
  return toFinding({
    ...told,
    kind: isParseError ? 'parse_error' : kind,
    severity: isParseError ? 'blocker' : (severity ?? toSeverity(told.native ?? 'warning')),
    path: typeof file === 'string' ? toRepositoryPath(file, roots) : null,
  });
}

/**
 * The payload of a parser that has read everything. Findings are sorted by place, because the order of a tool's threads is
 * random. Findings above the limit are dropped, and the run is then partial.
 */
export function toBoundedPayload(parsed: Pick<Parsed, 'findings'> & Partial<Parsed>): Payload {
  const findings = sortByPlace(parsed.findings);
  if (findings.length <= MAX_FINDINGS) return toPayload({ ...parsed, findings });
  const { unparsed, partial = null, ...rest } = parsed;
  const isConfined = partial === null || unparsed !== undefined;
  return toPayload({
    ...rest,
    findings: findings.slice(0, MAX_FINDINGS),
    partial: isConfined ? TOO_MANY_FINDINGS : partial,
  });
}

/**
 * For a tool that checks each file by itself: `why` the run is partial if it could not parse a file, and which files those are.
 * Nothing else of the run is in doubt.
 */
export function toUnparsed(
  findings: readonly ParsedFinding[],
  why: (path: string | null) => string,
): Pick<Parsed, 'partial' | 'unparsed'> {
  const paths = findings.filter(({ kind }) => kind === 'parse_error').map(({ path }) => path);
  const [first] = paths;
  if (first === undefined) return { partial: null };
  const known = paths.filter((path) => path !== null);
  return {
    partial: why(first),
    ...(known.length === paths.length ? { unparsed: [...new Set(known)].toSorted() } : {}),
  };
}

/** Why a run is partial whose tool looked at no file, so that no finding means nothing. */
export const NO_FILE_SEEN = 'it looked at no file';

/** Removes the root from a tool's text, because it differs in each run. */
export function withoutRoot(text: string, { root }: Pick<ParseInput, 'root'>): string {
  return text.replaceAll(`${root}/`, '').replaceAll(`${root}"`, '."');
}

function toPosition(position: number | null | undefined): number | null {
  if (position === null || position === undefined) return null;
  return Number.isInteger(position) && position >= 1 && position <= MAX_POSITION ? position : null;
}
