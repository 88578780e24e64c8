import { sha256 } from '../hash/sha256.ts';
import type { Finding, FindingKind, ParsedFinding } from '../model/finding.ts';
import { sortByPlace } from './order-findings.ts';
import { replacePath } from './replace-path.ts';

export interface FingerprintInput {
  /** Id of the engine. */
  readonly tool: string;
  readonly findings: readonly ParsedFinding[];
  /** Text of a line (1-based) of the content that the tool looked at; null where there is no such file or line. null: all is in `identity`. */
  readonly lineText: ((path: string, line: number) => string | null) | null;
}

/** A bound against minified files, far above the lines that people write: a line that is edited is another line. */
const MAX_LINE_LENGTH = 1_000;
/** Stands for the file's own path, so that a renamed file leaves it equal. */
const ANY_PATH = '<path>';

type Parts = readonly (string | null)[];

/** What a finding is found again by in the same file, and what is left of that when the file was renamed. */
interface Traits {
  readonly own: Parts;
  readonly alike: Parts;
}

type LineText = FingerprintInput['lineText'];

/** Every kind of finding has its own way to be the same as another. */
const TO_TRAITS: Readonly<Record<FindingKind, (finding: ParsedFinding, lineText: LineText) => Traits>> = {
  lint: toLineTraits,
  type: toLineTraits,
  format: toLineTraits,
  parse_error: toLineTraits,
  suppression: toLineTraits,
  test_failure: toTestTraits,
  collection_error: toTestTraits,
  coverage_gap: ({ path }) => ({ own: ['coverage', path], alike: ['coverage'] }),
  coverage_threshold: ({ rule, path }) => ({ own: ['threshold', rule, path], alike: ['threshold', rule] }),
};

/**
 * Gives findings what they are found again by in another run (001.R21), sorted by place (findings without a path or line first).
 * Line numbers are in no fingerprint; of equal findings in one file each has its ordinal, in the order of lines. What a tool
 * reports twice at the very same place (clippy for each target) is one finding, of the worse severity. The order of the input
 * never matters.
 */
export function fingerprintFindings({ tool, findings, lineText }: FingerprintInput): readonly Finding[] {
  const ordinals = new Map<string, number>();
  return dropRepeated(sortByPlace(findings)).map((finding) => {
    const { own, alike } = TO_TRAITS[finding.kind](finding, lineText);
    const key = JSON.stringify([tool, ...own]);
    const ordinal = ordinals.get(key) ?? 0;
    ordinals.set(key, ordinal + 1);
    return {
      ...finding,
      tool,
      fingerprint: sha256(`${key} ${String(ordinal)}`),
      likeness: sha256(JSON.stringify([tool, ...alike])),
    };
  });
}

/** Findings are sorted, so the first of equals has the worst severity. */
function dropRepeated(sorted: readonly ParsedFinding[]): readonly ParsedFinding[] {
  const first = new Map<string, ParsedFinding>();
  for (const finding of sorted) {
    const { kind, rule, path, line, column, message, testId, identity } = finding;
    const key = JSON.stringify([kind, rule, path, line, column, message, testId, identity]);
    if (!first.has(key)) first.set(key, finding);
  }
  return [...first.values()];
}

function toLineTraits(finding: ParsedFinding, lineText: LineText): Traits {
  const alike = ['line', finding.rule, finding.identity ?? toText(finding, lineText)];
  return { own: [...alike, finding.path], alike };
}

/** A test is its id wherever its file says that it failed; what cannot be collected may have no id but its file. */
function toTestTraits({ testId, identity, path }: ParsedFinding): Traits {
  const toAlike = (text: string | null): string | null =>
    text === null || path === null ? text : replacePath(text, path, ANY_PATH);
  return { own: ['test', testId ?? path, identity], alike: ['test', toAlike(testId ?? path), toAlike(identity)] };
}

/** The line without white space; where there is none, the message has to do. */
function toText({ path, line, message }: ParsedFinding, lineText: LineText): string {
  const text = lineText === null || path === null || line === null ? null : lineText(path, line);
  return toSqueezed(text ?? message);
}

function toSqueezed(text: string): string {
  return text
    .slice(0, 4 * MAX_LINE_LENGTH)
    .replaceAll(/\s+/gu, '')
    .slice(0, MAX_LINE_LENGTH);
}
