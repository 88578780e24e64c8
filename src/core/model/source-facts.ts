/** What one file says about its tests, as a parser of its language reads it. Lines count from 1. */
export interface SourceFacts {
  /** False: syntax errors, or too large, nested too deeply, or too much work to read. Nothing else is known then. */
  readonly isReadable: boolean;
  readonly tests: readonly TestFact[];
  /** Outside of every test: those of helpers. */
  readonly assertions: readonly AssertionFact[];
  readonly events: readonly SourceEvent[];
  /** Literals that code chooses by literals. */
  readonly choices: readonly LiteralChoice[];
  /** Functions that hold `assertions`. */
  readonly helpers: readonly string[];
  /** Names that the file defines. */
  readonly definitions: readonly string[];
  /** Modules and names that the file imports. */
  readonly imports: readonly string[];
  /** Names, numbers and strings of the code in their order, without comments and marks. */
  readonly words: readonly string[];
}

/** `conditional`: skipped under a condition. */
export type TestState = 'run' | 'skipped' | 'conditional' | 'focused' | 'expected_failure';

export interface TestFact {
  /** With the groups or classes that hold it. */
  readonly name: string;
  readonly line: number;
  readonly state: TestState;
  /** Its body does nothing. */
  readonly isEmpty: boolean;
  readonly assertions: readonly AssertionFact[];
  /** Rows of a table of cases that are written out; 1 without one. */
  readonly cases: number;
  /** In milliseconds. */
  readonly timeouts: readonly number[];
  /** Names that it calls, assertions and methods of values aside. */
  readonly calls: readonly string[];
  /** Names, numbers and strings of its body. */
  readonly words: readonly string[];
}

/** `truthy` and `falsy` hold comparisons with true and false, too. `helper`: a function that asserts by its name. */
export type Relation =
  | 'equal'
  | 'truthy'
  | 'falsy'
  | 'close'
  | 'contains'
  | 'matches'
  | 'type'
  | 'throws'
  | 'called'
  | 'order'
  | 'defined'
  | 'snapshot'
  | 'helper';

export interface AssertionFact {
  readonly relation: Relation;
  readonly isNegated: boolean;
  /** Without blanks. */
  readonly subject: string;
  /** Without blanks; empty if the assertion names no value. */
  readonly expected: string;
  /** Numbers and strings in both. */
  readonly literals: readonly string[];
  /** True whatever the code does. */
  readonly isTrivial: boolean;
  /** Of a comparison of numbers: the greater, the less it asks. Null without one. */
  readonly tolerance: number | null;
  readonly line: number;
}

/**
 * `exit`: ends the process. `swallowed`: an error goes nowhere; `swallowed_assertion`: that of an assertion, too. `environment`: asks
 * whether tests run. `mock`: puts something in the place of what `detail` names. `early_return`: leaves a test before its end.
 * `constant`: a function whose whole body is a literal (`detail`). `equality`: makes values equal to everything.
 */
export type SourceEventKind =
  | 'exit'
  | 'swallowed'
  | 'swallowed_assertion'
  | 'environment'
  | 'mock'
  | 'early_return'
  | 'constant'
  | 'equality';

export interface SourceEvent {
  readonly kind: SourceEventKind;
  readonly line: number;
  readonly text: string;
  readonly detail: string;
}

/** `if (x === KEY) return VALUE`, an arm of a switch, an entry of a table. */
export interface LiteralChoice {
  readonly key: string;
  readonly value: string;
  readonly line: number;
}
