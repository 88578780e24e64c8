import { sha256 } from '../hash/sha256.ts';
import type { Finding, FindingKind, ParsedFinding } from '../model/finding.ts';
import { ROOT_PROJECT } from '../model/project.ts';
import { sortByPlace } from './order-findings.ts';
import { replacePath } from './replace-path.ts';

export interface FingerprintInput {
  /** Id of the engine. */
  readonly tool: string;
  /** Project of the run; default: the root. */
  readonly project?: string;
  readonly findings: readonly ParsedFinding[];
  /** Text of a line (1-based) of the checked content, or null. The function is null if all findings have an `identity`. */
  readonly lineText: ((path: string, line: number) => string | null) | null;
}

/** Limit for minified files, in UTF-16 code units; far above written lines, so an edited line counts as another one. */
const MAX_LINE_LENGTH = 1_000;
/** Replaces the file's own path, so that a rename does not change the value. */
const ANY_PATH = '<path>';

type Parts = readonly (string | null)[];

/** What identifies a finding in the same file, and the part of it that survives a rename. */
interface Traits {
  readonly own: Parts;
  readonly alike: Parts;
}

type LineText = FingerprintInput['lineText'];

/** Each kind of finding is identified in its own way. */
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
 * Adds to each finding what identifies it in another run (001.R21), and sorts by place (findings without a path or line first).
 * No fingerprint contains a line number; equal findings in one file are numbered in line order. A finding that a tool reports
 * twice at the same place (clippy does so for each target) is kept once, with the worse severity. The order of the input does not
 * matter.
 */
export function fingerprintFindings({
  tool,
  project = ROOT_PROJECT,
  findings,
  lineText,
}: FingerprintInput): readonly Finding[] {
  // Fingerprints of the root stay what they were before there were projects, because acceptances are stored by them.
  const owner = project === ROOT_PROJECT ? [tool] : [tool, project];
  const ordinals = new Map<string, number>();
  return dropRepeated(sortByPlace(findings)).map((finding) => {
    const { own, alike } = TO_TRAITS[finding.kind](finding, lineText);
    const key = JSON.stringify([...owner, ...own]);
    const ordinal = ordinals.get(key) ?? 0;
    ordinals.set(key, ordinal + 1);
    return {
      ...finding,
      tool,
      project,
      fingerprint: sha256(`${key} ${String(ordinal)}`),
      likeness: sha256(JSON.stringify([...owner, ...alike])),
    };
  });
}

/**
 * Findings are sorted, so the first of equals has the worst severity. A test that fails twice does so with two sets of parameters,
 * which its report may not tell apart.
 */
function dropRepeated(sorted: readonly ParsedFinding[]): readonly ParsedFinding[] {
  const seen = new Set<string>();
  return sorted.filter((finding) => {
    if (finding.kind === 'test_failure') return true;
    const { kind, rule, path, line, column, message, testId, identity } = finding;
    const key = JSON.stringify([kind, rule, path, line, column, message, testId, identity]);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

function toLineTraits(finding: ParsedFinding, lineText: LineText): Traits {
  const alike = ['line', finding.rule, finding.identity ?? toText(finding, lineText)];
  return { own: [...alike, finding.path], alike };
}

/** A test is identified by its id, regardless of its file. A file that cannot be collected may have no id but its path. */
function toTestTraits({ testId, identity, path }: ParsedFinding): Traits {
  const toAlike = (text: string | null): string | null =>
    text === null || path === null ? text : replacePath(text, path, ANY_PATH);
  return { own: ['test', testId ?? path, identity], alike: ['test', toAlike(testId ?? path), toAlike(identity)] };
}

/** The line without white space, or the message if there is no line. */
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
