import type { AssertionFact, Relation } from '../model/source-facts.ts';
import type { TestChangeFact } from '../model/test-change.ts';
import type { PlacedTest } from './match-tests.ts';
import { isExplained, type SourceChange, toNames } from './source-change.ts';
import { toMissing } from './test-change.ts';

/** What the assertions of one test are compared with. */
export interface Comparison {
  readonly old: PlacedTest;
  readonly now: PlacedTest;
  /** Assertions of other tests and of helpers that are new. */
  readonly elsewhere: readonly AssertionFact[];
  /** Functions that assert. */
  readonly helpers: readonly string[];
  /** Numbers, strings and names of the tests after the change, also of their helpers and fixtures. */
  readonly wordsAfter: ReadonlySet<string>;
  readonly source: SourceChange;
  readonly imports: readonly string[];
}

/** How much a relation asks for. */
const STRENGTH: Readonly<Record<Relation, number>> = {
  ...{ equal: 3, snapshot: 3, throws: 3, called: 2, close: 2, contains: 2, matches: 2, truthy: 2, falsy: 2, helper: 2 },
  ...{ type: 1, order: 1, defined: 0 },
};

export function isSame(left: AssertionFact, right: AssertionFact): boolean {
  return toKey(left) === toKey(right);
}

/** Equality has no direction. */
function toKey({ relation, isNegated, subject, expected }: AssertionFact): string {
  const sides = relation === 'equal' ? [subject, expected].sort() : [subject, expected];
  return JSON.stringify([relation, isNegated, ...sides]);
}

export function toNewAssertions(
  after: readonly AssertionFact[],
  before: readonly AssertionFact[],
): readonly AssertionFact[] {
  return toMissing(after, before, toKey);
}

/** Comparing each with each costs time by their product. */
const MAX_COMPARED = 100_000;

/** What a test lost in its assertions. */
export function compareAssertions(comparison: Comparison): readonly TestChangeFact[] {
  const { old, now, elsewhere } = comparison;
  const real = old.assertions.filter(({ isTrivial }) => !isTrivial);
  const added = toMissing(now.assertions, old.assertions, toKey);
  const lost = toMissing(real, [...now.assertions, ...elsewhere], toKey);
  // Without partners all of them count as lost: nothing passes for being too much.
  const free = lost.length * added.length > MAX_COMPARED ? [] : [...added];
  const facts: TestChangeFact[] = [];
  const loosened = now.assertions.flatMap((assertion) => judgeTolerance(assertion, comparison));
  const waiting: AssertionFact[] = [];
  // The surest matches first, so that none takes the partner of another.
  for (const assertion of lost) {
    const partner = free.findIndex(
      (other) => isRenamed(assertion, other) || isReformulated(assertion, other, old.words),
    );
    if (partner === -1) waiting.push(assertion);
    else free.splice(partner, 1);
  }
  for (const assertion of waiting) {
    const partner = findPartner(assertion, free);
    if (partner !== null) free.splice(free.indexOf(partner), partner.relation === 'helper' ? 0 : 1);
    facts.push(...judgeLost(assertion, partner, comparison));
  }
  return [...facts, ...loosened];
}

function toTrivial({ now }: Comparison, { line }: AssertionFact): TestChangeFact {
  return {
    code: 'ASSERTION_TRIVIAL',
    path: now.path,
    line,
    message: `"${now.name}" asserts what is always true.`,
    is: 'rejected',
  };
}

/** The same assertion over other names: the same relation, numbers and strings. */
function isRenamed(lost: AssertionFact, other: AssertionFact): boolean {
  if (other.isTrivial || other.relation !== lost.relation || other.isNegated !== lost.isNegated) return false;
  if (lost.subject === other.subject && lost.expected !== other.expected) return false;
  return (
    lost.literals.join('\n') === other.literals.join('\n') &&
    (lost.expected === '') === (other.expected === '') &&
    hasRest(lost, other)
  );
}

/** The same value is expected of the same thing in other words: with a variable less, a builder more. */
function isReformulated(lost: AssertionFact, other: AssertionFact, words: readonly string[]): boolean {
  if (other.isTrivial || other.relation !== lost.relation || other.isNegated !== lost.isNegated) return false;
  if (lost.expected === '' || lost.expected !== other.expected) return false;
  const names = toNames([other.subject]);
  const [first] = toNames([lost.subject]);
  return (
    other.literals.every((literal) => words.includes(literal)) &&
    (names.every((name) => words.includes(name)) || names[0] === first)
  );
}

/** One of the sides is as before, or both are no plain values. */
function hasRest(lost: AssertionFact, other: AssertionFact): boolean {
  return lost.expected === other.expected || lost.literals.length > 0;
}

/** What took its place: about the same subject, else with the same relation, else a trivial one, else a helper. */
function findPartner(lost: AssertionFact, free: readonly AssertionFact[]): AssertionFact | null {
  const choices: readonly ((other: AssertionFact) => boolean)[] = [
    (other) => other.subject === lost.subject && !other.isTrivial,
    (other) => other.relation === lost.relation && other.expected === lost.expected && !other.isTrivial,
    (other) => other.relation === lost.relation && !other.isTrivial,
    (other) => toNames([other.subject]).some((name) => toNames([lost.subject]).includes(name)) && !other.isTrivial,
    (other) => other.isTrivial,
    (other) => other.relation === 'helper',
  ];
  return choices.flatMap((isChosen) => free.find(isChosen) ?? []).at(0) ?? null;
}

function judgeLost(
  lost: AssertionFact,
  partner: AssertionFact | null,
  comparison: Comparison,
): readonly TestChangeFact[] {
  const { source } = comparison;
  const isFeatureGone = toNames([lost.subject]).some((name) => source.removedNames.has(name));
  if (isFeatureGone) return [];
  return partner === null ? judgeRemoved(lost, comparison) : judgeReplaced(lost, partner, comparison);
}

/** Whether its numbers and strings are still written in the tests. */
function isKept({ literals }: AssertionFact, { wordsAfter }: Comparison): boolean {
  return literals.every((literal) => wordsAfter.has(literal));
}

function judgeRemoved(lost: AssertionFact, comparison: Comparison): readonly TestChangeFact[] {
  const { old, now, helpers, source } = comparison;
  const isHelped = now.cases > old.cases || helpers.some((name) => now.calls.includes(name));
  if (isHelped && isKept(lost, comparison)) return [];
  const isAlone = now.assertions.length === 0 || !source.isMaterial;
  return [
    {
      code: 'ASSERTION_REMOVED',
      path: now.path,
      line: lost.line,
      message: `"${now.name}" lost an assertion about ${toShown(lost.subject)}.`,
      is: isAlone ? 'rejected' : 'held',
    },
  ];
}

function judgeReplaced(lost: AssertionFact, partner: AssertionFact, comparison: Comparison): readonly TestChangeFact[] {
  const { now, source } = comparison;
  if (partner.isTrivial) return [toTrivial(comparison, partner)];
  if (partner.relation === 'helper' && lost.relation !== 'helper' && isKept(lost, comparison)) return [];
  if (isWeaker(lost, partner)) {
    return [
      {
        code: 'ASSERTION_WEAKENED',
        path: now.path,
        line: partner.line,
        message: `"${now.name}" asks less of ${toShown(lost.subject)} than before.`,
        is: source.isMaterial || STRENGTH[partner.relation] > 1 ? 'held' : 'rejected',
      },
    ];
  }
  return isParametrised(lost, partner, comparison) ? [] : judgeExpectation(lost, partner, comparison);
}

function isWeaker(lost: AssertionFact, partner: AssertionFact): boolean {
  const toStrength = ({ relation, isNegated, expected }: AssertionFact): number => {
    const isBare = (relation === 'throws' || relation === 'called') && expected === '';
    return (isNegated && relation !== 'throws' ? 0.5 : STRENGTH[relation]) - (isBare ? 1 : 0);
  };
  return toStrength(partner) < toStrength(lost) || isBroader(lost, partner);
}

/** What every exception is. */
const ANY_EXCEPTION = /^(?:\w+\.)*(?:Exception|BaseException|Error|Throwable|StandardError)(?:\.class)?$/u;

function isBroader(lost: AssertionFact, partner: AssertionFact): boolean {
  return (
    lost.relation === 'throws' &&
    partner.relation === 'throws' &&
    ANY_EXCEPTION.test(partner.expected) &&
    !ANY_EXCEPTION.test(lost.expected)
  );
}

/** The values moved to a table, a constant or a fixture: all are still written somewhere in the tests. */
function isParametrised(lost: AssertionFact, partner: AssertionFact, comparison: Comparison): boolean {
  const added = toMissing(partner.literals, lost.literals, String);
  return (
    lost.relation === partner.relation &&
    added.length === 0 &&
    isKept(lost, comparison) &&
    /^(?:|.*[a-z].*)$/iu.test(partner.expected)
  );
}

function judgeExpectation(
  lost: AssertionFact,
  partner: AssertionFact,
  comparison: Comparison,
): readonly TestChangeFact[] {
  const { now, source, imports } = comparison;
  const toValues = ({ expected, literals }: AssertionFact): readonly string[] => [...literals, ...toNames([expected])];
  const gained = toMissing(toValues(partner), toValues(lost), String);
  const dropped = toMissing(toValues(lost), toValues(partner), String);
  const isHonest = isExplained(source, {
    ...{ path: now.path, words: now.words, imports },
    ...{ oldExpected: dropped, newExpected: gained },
  });
  if (isHonest) return [];
  const code = lost.relation === 'snapshot' ? 'SNAPSHOT_REWRITTEN' : 'EXPECTATION_CHANGED';
  const what = source.isMaterial ? 'and no change of the code explains it' : 'and no code changed';
  return [
    {
      code,
      path: now.path,
      line: partner.line,
      message: `"${now.name}" expects something else of ${toShown(lost.subject)}, ${what}.`,
      is: 'held',
    },
  ];
}

function judgeTolerance(now: AssertionFact, { old, now: test }: Comparison): readonly TestChangeFact[] {
  const { tolerance } = now;
  if (tolerance === null) return [];
  const before = old.assertions.filter(
    (other) => other.subject === now.subject && (other.tolerance !== null || other.relation === 'equal'),
  );
  const isLooser = before.length > 0 && before.every((other) => (other.tolerance ?? 0) < tolerance);
  if (!isLooser) return [];
  return [
    {
      code: 'THRESHOLD_LOOSENED',
      path: test.path,
      line: now.line,
      message: `"${test.name}" allows a greater difference than before.`,
      is: 'held',
    },
  ];
}

/** Untrusted text: short, and on one line. */
export function toShown(text: string): string {
  const plain = text.replaceAll(/\s+/gu, ' ');
  return plain === ''
    ? 'its subject'
    : JSON.stringify(plain.length > 80 ? `${plain.slice(0, 79)}…`.toWellFormed() : plain);
}
