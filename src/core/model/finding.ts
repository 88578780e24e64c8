/** How bad a finding is, worst first. The tool's own word for it is kept in `native`. */
export const SEVERITIES = ['blocker', 'high', 'medium', 'low'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** What a finding is about. A `suppression` is a new place where a check was switched off; it is told by Ratchet itself. */
export const FINDING_KINDS = [
  'lint',
  'type',
  'format',
  'parse_error',
  'test_failure',
  'collection_error',
  'coverage_gap',
  'coverage_threshold',
  'suppression',
] as const;
export type FindingKind = (typeof FINDING_KINDS)[number];

/** One thing that a tool says is wrong with the code, as its parser read it. */
export interface ParsedFinding {
  readonly kind: FindingKind;
  /** The tool's own name of the rule; null where it gives none (a syntax error). */
  readonly rule: string | null;
  readonly severity: Severity;
  /** The tool's own word for the severity. */
  readonly native: string | null;
  readonly message: string;
  /** Relative to the root, `/` between segments; null where the finding has no place in a file of the repository. */
  readonly path: string | null;
  /** 1-based; null where the tool names no line. */
  readonly line: number | null;
  /** 1-based. */
  readonly column: number | null;
  readonly endLine: number | null;
  /** Of a test: its id, by which it is found again. */
  readonly testId: string | null;
  /**
   * What identifies the finding beside tool, rule and path where that is not the text of its line: of a test the exception's
   * type and the innermost frame in the repository, without line numbers. null: the text of its line.
   */
  readonly identity: string | null;
}

/** A finding that can be found again in another run. */
export interface Finding extends ParsedFinding {
  /** Id of the engine. */
  readonly tool: string;
  /** 64 hexadecimal digits. Equal findings of one file differ by their ordinal, which is part of it. */
  readonly fingerprint: string;
  /** As `fingerprint`, without path and ordinal: what a renamed file and a moved line leave equal. */
  readonly likeness: string;
}

/** How a test can end, best first. */
export const TEST_OUTCOMES = ['passed', 'skipped', 'failed', 'error'] as const;

/** One test of a run. Several results of one id: the worst counts. */
export interface TestResult {
  readonly id: string;
  readonly outcome: (typeof TEST_OUTCOMES)[number];
  readonly path: string | null;
}

/** Coverage of one file, in statements or lines, as the tool counts. */
export interface FileCoverage {
  readonly path: string;
  readonly covered: number;
  readonly total: number;
  /** 1-based, ascending. */
  readonly missingLines: readonly number[];
}

export interface Coverage {
  readonly files: readonly FileCoverage[];
}
