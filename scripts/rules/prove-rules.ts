import { globSync, readFileSync } from 'node:fs';
import { findCitations } from './find-citations.ts';
import type { Exemption, Rule } from './parse-rules.ts';
import { type Comment, readComments } from './read-comments.ts';
import { readTestTitles, type TestTitle } from './read-test-titles.ts';

/** One rule, with the tests that name it. */
export interface Proof extends Rule {
  readonly tests: readonly TestTitle[];
  /** Why `npm run test:all` may pass although the rule is broken; null: it does not. */
  readonly limit: 'only in the suite of the tools' | 'only on some machines' | null;
}

/** All proofs in the order of the rules, and a line for each thing that is wrong. */
export interface ProofReport {
  readonly proofs: readonly Proof[];
  readonly missing: readonly Proof[];
  readonly problems: readonly string[];
}

/** Where comments may cite a rule. */
const SOURCES = '{src,world,scripts,test,bench,eval,demo}/**/*.{ts,mjs}';
/** The suite that `npm run test:all` leaves out. */
const TOOLS = 'test/tools/';
/** Files that are data of tests. */
const DATA = 'test/**/{fixtures,recordings}/**';

/** The titles of all tests of the project. */
export function readAllTitles(): readonly TestTitle[] {
  const files = globSync('test/**/*.test.ts', { exclude: [DATA] }).toSorted();
  return files.flatMap((file) => readTestTitles(file, readFileSync(file, 'utf8')));
}

/** The comments of all sources of the project that cite a number. */
export function readCitingComments(): readonly Comment[] {
  const files = globSync(SOURCES, { exclude: [DATA] }).toSorted();
  return files.flatMap((file) => {
    const source = readFileSync(file, 'utf8');
    // Parsing takes much longer than this search, and most files cite nothing.
    if (findCitations(source).length === 0) return [];
    return readComments(file, source).filter(({ text }) => findCitations(text).length > 0);
  });
}

/** Brings rules, tests and comments together. A skipped test proves nothing, and is a problem by itself. */
export function proveRules(
  rules: readonly Rule[],
  titles: readonly TestTitle[],
  comments: readonly Comment[],
): ProofReport {
  const testsOf = Map.groupBy(
    titles.flatMap((test) => findCitations(test.title).map((id) => ({ id, test }))),
    ({ id }) => id,
  );
  const proofs = rules.map((rule) => {
    const tests = (testsOf.get(rule.id) ?? []).map(({ test }) => test).filter(({ runs }) => runs !== 'skipped');
    return { ...rule, tests, limit: findLimit(tests) };
  });
  const known = new Set(rules.map(({ id }) => id));
  const citing = [
    ...titles.map((test) => ({ place: toPlace(test), text: test.title })),
    ...comments.map(({ file, line, text }) => ({ place: `${file}:${line}, a comment`, text })),
  ];
  return {
    proofs,
    missing: proofs.filter(({ tests, exemption }) => tests.length === 0 && exemption === null),
    problems: [
      ...titles.filter(({ runs }) => runs === 'skipped').map((test) => `${toPlace(test)}: never runs`),
      ...citing.flatMap(({ place, text }) =>
        findCitations(text).flatMap((id) => (known.has(id) ? [] : [`${place}: ${id} is not in docs/rules.md`])),
      ),
      ...proofs.flatMap(({ id, tests, exemption }) =>
        tests.length > 0 && exemption !== null
          ? [`${id} has a test, but docs/rules.md calls it ${exemption.kind}`]
          : [],
      ),
    ],
  };
}

function findLimit(tests: readonly TestTitle[]): Proof['limit'] {
  if (tests.length === 0) return null;
  const inTest = tests.filter(({ file }) => !file.startsWith(TOOLS));
  if (inTest.length === 0) return 'only in the suite of the tools';
  return inTest.every(({ runs }) => runs === 'conditional') ? 'only on some machines' : null;
}

/** `test/a.test.ts:12 title`. */
export function toPlace({ file, line, title }: TestTitle): string {
  return `${file}:${line} ${title}`;
}

/** `not built yet`, `not ours: reason`. */
export function toState(exemption: Exemption): string {
  return exemption.kind === 'not ours' ? `not ours: ${exemption.reason}` : exemption.kind;
}
