import type { Finding, ParsedFinding } from '../model/finding.ts';
import { parsePatch } from '../patch/parse-patch.ts';
import { unquotePath } from '../paths/unquote-path.ts';
import { fingerprintFindings } from './fingerprint-findings.ts';
import { orderFindings, sortByPlace } from './order-findings.ts';
import { subtract } from './subtract.ts';
import { findRules, type SuppressionRule } from './suppression-rules.ts';

/** Ratchet's name as the tool of its own findings. */
const TOOL = 'ratchet';
const MAX_MESSAGE_LENGTH = 200;
const MAX_IDENTITY_LENGTH = 1_000;
const MAX_SUPPRESSIONS = 1_000;

interface Place {
  readonly rule: SuppressionRule;
  readonly path: string;
  /** The path before a rename; otherwise the current path. */
  readonly oldPath: string;
  /** 1-based line of the new file; null if it was removed. */
  readonly line: number | null;
  readonly column: number;
  readonly text: string;
  /** From the start of the suppression to the end of the line. */
  readonly directive: string;
}

/**
 * Places in a unified diff that newly switch off a check, a type or a test, as findings of Ratchet's own (rules
 * `new-suppression/NAME`), sorted by place. At most 1,000; if there are more, the worst ones. A suppression is not new if the
 * diff removes the same line in any file (it was moved), or the same suppression in a line of the same file (its line was
 * edited). `renames` maps head path to base path. Each removed suppression excuses one added one.
 */
export function findSuppressions(patch: string, renames: ReadonlyMap<string, string> = new Map()): readonly Finding[] {
  const files = parsePatch(patch).map((file) => {
    const path = unquotePath(file.path);
    return { ...file, path, oldPath: renames.get(path) ?? path };
  });
  const added = files.flatMap((file) => findPlaces(file, file.added, file.addedAt));
  const removed = files.flatMap((file) => findPlaces({ ...file, oldPath: file.path }, file.removed, []));
  const places = dropMoved(added, removed);
  const findings = fingerprintFindings({ tool: TOOL, findings: places.map(toFinding), lineText: null });
  return takeWorst(findings);
}

/** Many harmless suppressions must not push out a severe one. */
function takeWorst(findings: readonly Finding[]): readonly Finding[] {
  if (findings.length <= MAX_SUPPRESSIONS) return findings;
  return sortByPlace(orderFindings(findings, () => true).slice(0, MAX_SUPPRESSIONS));
}

/** At most one for each rule and line. */
function findPlaces(
  { path, oldPath }: Pick<Place, 'path' | 'oldPath'>,
  lines: readonly string[],
  lineNumbers: readonly number[],
): readonly Place[] {
  const rules = findRules(path);
  return lines.flatMap((text, index) => {
    return rules.flatMap((rule) => {
      const at = text.search(rule.pattern);
      if (at === -1) return [];
      const directive = text.slice(at).trim();
      return [{ rule, path, oldPath, line: lineNumbers[index] ?? null, column: at + 1, text, directive }];
    });
  });
}

/** Surest match first, so that a removed line is not spent on a place that has another match. */
function dropMoved(added: readonly Place[], removed: readonly Place[]): readonly Place[] {
  const keys: readonly ((place: Place) => string)[] = [
    ({ rule, oldPath, text }) => JSON.stringify([rule.name, oldPath, toSqueezed(text)]),
    ({ rule, text }) => JSON.stringify([rule.name, toSqueezed(text)]),
    ({ rule, oldPath, directive }) => JSON.stringify([rule.name, oldPath, toSqueezed(directive)]),
  ];
  let rest = { added, removed };
  for (const toKey of keys) {
    rest = {
      added: subtract(rest.added, rest.removed.map(toKey), toKey),
      removed: subtract(rest.removed, rest.added.map(toKey), toKey),
    };
  }
  return rest.added;
}

function toSqueezed(text: string): string {
  return text.replaceAll(/\s+/gu, '');
}

function toFinding({ rule, path, line, column, text, directive }: Place): ParsedFinding {
  return {
    kind: 'suppression',
    rule: `new-suppression/${rule.name}`,
    severity: rule.severity,
    native: null,
    message: `newly switched off: ${directive.slice(0, MAX_MESSAGE_LENGTH).toWellFormed()}`,
    path,
    line,
    column,
    endLine: null,
    testId: null,
    identity: toSqueezed(text).slice(0, MAX_IDENTITY_LENGTH).toWellFormed(),
  };
}
