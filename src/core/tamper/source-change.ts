import { isTestPath } from '../judge/test-paths.ts';
import type { SourceFacts } from '../model/source-facts.ts';
import { type TestChange, toChangedPaths, toMissing } from './test-change.ts';

/** What a change does outside of tests. */
export interface SourceChange {
  /** Whether any code but tests says something else than before: comments and blanks do not count. */
  readonly isMaterial: boolean;
  /** Names that are defined nowhere any more. */
  readonly removedNames: ReadonlySet<string>;
  readonly files: readonly ChangedSource[];
}

interface ChangedSource {
  readonly path: string;
  /** Last part of the path without its extension. */
  readonly stem: string;
  readonly names: ReadonlySet<string>;
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

export function toSourceChange(change: TestChange): SourceChange {
  const { before, after } = change;
  const files = toChangedPaths(change)
    .filter((path) => !isTestPath(path))
    .map((path) => toChangedSource(path, before.get(path)?.facts ?? NOTHING, after.get(path)?.facts ?? NOTHING))
    .filter(({ added, removed }) => added.length + removed.length > 0);
  const remaining = new Set([...after.values()].flatMap(({ facts }) => facts.definitions));
  const gone = [...before].flatMap(([path, { facts }]) => (isTestPath(path) ? [] : facts.definitions));
  return { isMaterial: files.length > 0, removedNames: new Set(gone.filter((name) => !remaining.has(name))), files };
}

/** A file that is not there. */
const NOTHING: Pick<SourceFacts, 'words' | 'tests' | 'definitions'> = { words: [], tests: [], definitions: [] };

function toChangedSource(path: string, old: typeof NOTHING, now: typeof NOTHING): ChangedSource {
  const [oldWords, nowWords] = [withoutTests(old), withoutTests(now)];
  return {
    ...{ path, stem: toStem(path), names: new Set([...old.definitions, ...now.definitions]) },
    ...{ added: toMissing(nowWords, oldWords, String), removed: toMissing(oldWords, nowWords, String) },
  };
}

/** Tests may stand in the file itself. */
function withoutTests({ words, tests }: typeof NOTHING): readonly string[] {
  const ofTests = tests.flatMap((test) => test.words);
  return ofTests.length === 0 ? words : toMissing(words, ofTests, String);
}

/** `src/cart.ts`, `cart.test.ts`, `test_cart.py` and `CartTest.java` have one stem. */
export function toStem(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.[^.]*$/u, '');
  return name
    .replace(/[._-](?:test|tests|spec|specs)$|^(?:test|spec)[._-]|(?:Test|Tests|Spec)$|#$/gu, '')
    .toLowerCase();
}

/** `../src/cart.js`, `shop.cart` and `crate::cart` name a module with the stem `cart`. */
export function toImportedStem(name: string): string {
  return /[/\\]/u.test(name)
    ? toStem(name.replace(/^.*\//u, '/').replace(/(?<!\.[cm]?[jt]sx?|\.py)$/u, '.x'))
    : name.replace(/^.*[.:]/u, '').toLowerCase();
}

/** Names that stand in calls such as `cart.add`. */
export function toNames(texts: readonly string[]): readonly string[] {
  return texts.flatMap((text) => text.match(/[A-Za-z_$][\w$]*/gu) ?? []);
}

/** What a changed expectation needs as its reason. */
export interface Claim {
  readonly path: string;
  /** Names that the test uses. */
  readonly words: readonly string[];
  readonly imports: readonly string[];
  readonly oldExpected: readonly string[];
  readonly newExpected: readonly string[];
}

const NUMBER = /^-?\d[\d.]*$/u;
const ARITHMETIC =
  /^(?:[-+*/%<>=!&|^?:]+|\d[\d.]*|Math|round|floor|ceil|trunc|sort\w*|reverse\w*|filter|len|length|unique|abs|min|max)$/u;

/**
 * Whether a change of the code explains the new expectation: code that the test uses gained a part of the new value, or lost a part
 * of the old one; for numbers, a number or an operator of that code changed.
 */
export function isExplained(source: SourceChange, claim: Claim): boolean {
  return source.files
    .filter((file) => isUsed(file, claim))
    .some((file) => {
      const isAdded = claim.newExpected.some((value) => sharesPart(value, file.added));
      const isRemoved = claim.oldExpected.some((value) => sharesPart(value, file.removed));
      const isNumeric =
        claim.newExpected.some((value) => NUMBER.test(value)) &&
        [...file.added, ...file.removed].some((word) => ARITHMETIC.test(word));
      return isAdded || isRemoved || isNumeric;
    });
}

function isUsed({ path, stem, names }: ChangedSource, { path: testPath, words, imports }: Claim): boolean {
  if (path === testPath || stem === toStem(testPath)) return true;
  return (
    imports.some((name) => toImportedStem(name) === stem || name.split('.').includes(stem)) ||
    words.some((word) => names.has(word))
  );
}

/** Whether a word of the value, of at least two letters or digits, stands among the words; or a sign of it. */
function sharesPart(value: string, words: readonly string[]): boolean {
  const parts = new Set([value, ...toParts(value)]);
  return words.some(
    (word) =>
      parts.has(word) ||
      toParts(word).some((part) => parts.has(part)) ||
      (SIGN.test(word) && value.includes(word.trim())),
  );
}

const SIGN = /^\s*[^\p{L}\d\s]{1,3}\s*$/u;

function toParts(text: string): readonly string[] {
  return text.match(/[\p{L}\d]{2,}/gu) ?? [];
}
