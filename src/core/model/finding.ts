/** Severities, worst first. */
export const SEVERITIES = ['blocker', 'high', 'medium', 'low'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** Kinds of findings. A `suppression` is a new place that switches a check off; Ratchet itself finds it. */
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

/** A place in the repository. */
export interface FindingPlace {
  readonly path: string;
  /** 1-based; null if the tool reports no line. */
  readonly line: number | null;
}

/** One problem reported by a tool, as its parser read it. */
export interface ParsedFinding {
  readonly kind: FindingKind;
  /** The tool's name of the rule; null if it has none (a syntax error). */
  readonly rule: string | null;
  readonly severity: Severity;
  /** The tool's own severity. */
  readonly native: string | null;
  readonly message: string;
  /** Relative to the root, with `/`; null if the finding is not in a file of the repository. */
  readonly path: string | null;
  /** 1-based; null if the tool reports no line. */
  readonly line: number | null;
  /** 1-based. */
  readonly column: number | null;
  readonly endLine: number | null;
  /** For a test: its id, which is the same in every run. */
  readonly testId: string | null;
  /**
   * Identifies the finding together with tool, rule and path. For a test: the exception's type and the innermost frame in the
   * repository, without line numbers. null: the text of the line identifies it.
   */
  readonly identity: string | null;
  /** Further places of the same problem, in the tool's order. Left out if there are none. */
  readonly otherPlaces?: readonly FindingPlace[];
}

/** A finding that can be matched with one of another run. */
export interface Finding extends ParsedFinding {
  /** Id of the engine. */
  readonly tool: string;
  /** Folder of the project whose run reported it; `.` is the root. */
  readonly project: string;
  /** 64 hexadecimal digits. Includes an ordinal, so that equal findings in one file differ. */
  readonly fingerprint: string;
  /** Like `fingerprint`, without path and ordinal: stays equal when the file is renamed or the line moves. */
  readonly likeness: string;
}

/** Outcomes of a test, best first. */
export const TEST_OUTCOMES = ['passed', 'skipped', 'failed', 'error'] as const;

/** One test of a run. If an id has several results, the worst counts. */
export interface TestResult {
  readonly id: string;
  readonly outcome: (typeof TEST_OUTCOMES)[number];
  readonly path: string | null;
}

/** Coverage of one file, in statements or lines, depending on the tool. */
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
