import { fingerprintFindings } from '../../../src/core/findings/fingerprint-findings.ts';
import type { Finding, ParsedFinding } from '../../../src/core/model/finding.ts';

/** Texts of files, by path. */
export type Files = Readonly<Record<string, readonly string[]>>;

/** What a linter says about line 1 of `src/a.ts`. */
export function aParsedFinding(change: Partial<ParsedFinding> = {}): ParsedFinding {
  return {
    kind: 'lint',
    rule: 'no-var',
    severity: 'high',
    native: 'error',
    message: 'Unexpected var.',
    path: 'src/a.ts',
    line: 1,
    column: 1,
    endLine: null,
    testId: null,
    identity: null,
    ...change,
  };
}

/** A failing test of pytest. */
export function aFailingTest(change: Partial<ParsedFinding> = {}): ParsedFinding {
  return aParsedFinding({
    kind: 'test_failure',
    rule: null,
    message: 'assert 1 == 2',
    path: 'tests/test_a.py',
    line: 7,
    column: null,
    testId: 'tests/test_a.py::test_add',
    identity: 'AssertionError tests/test_a.py:test_add',
    ...change,
  });
}

/** A file of which a part is not covered. */
export function aGap(change: Partial<ParsedFinding> = {}): ParsedFinding {
  return aParsedFinding({
    kind: 'coverage_gap',
    rule: null,
    message: '80 % covered',
    line: null,
    column: null,
    ...change,
  });
}

/** The same findings, found again in `files`. */
export function fingerprinted(
  findings: readonly ParsedFinding[],
  files: Files = {},
  tool = 'eslint',
): readonly Finding[] {
  return fingerprintFindings({ tool, findings, lineText: (path, line) => files[path]?.[line - 1] ?? null });
}

/** Findings of `no-var`: one in each line of `files` that has the word. */
export function findVars(files: Files): readonly Finding[] {
  const parsed = Object.entries(files).flatMap(([path, lines]) =>
    lines.flatMap((text, index) => (text.includes('var') ? [aParsedFinding({ path, line: index + 1 })] : [])),
  );
  return fingerprinted(parsed, files);
}
