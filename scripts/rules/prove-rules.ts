import { globSync, readFileSync } from 'node:fs';
import { findCitations } from './find-citations.ts';
import { readTestTitles, type TestTitle } from './read-test-titles.ts';

/** What has to be proved by tests, by the name that their titles use. */
export interface Claims {
  readonly rules: Readonly<Record<string, string>>;
  /** `trap 1` is the first. */
  readonly traps: readonly string[];
  /** By number of the trap: why it cannot spring here. */
  readonly notOurs: Readonly<Record<number, string>>;
}

/** One rule or trap, with the tests that name it. */
export interface Proof {
  readonly id: string;
  readonly text: string;
  readonly tests: readonly TestTitle[];
  readonly notOurs: string | null;
}

/** All proofs in the order of the lists, and a line for each thing that is wrong. */
export interface ProofReport {
  readonly proofs: readonly Proof[];
  readonly missing: readonly Proof[];
  readonly problems: readonly string[];
}

/** The titles of all test files below `folder`. */
export function readAllTitles(folder: string): readonly TestTitle[] {
  const files = globSync(`${folder}/**/*.test.ts`).toSorted();
  return files.flatMap((file) => readTestTitles(file, readFileSync(file, 'utf8')));
}

/** Brings claims and tests together. A skipped test proves nothing, and is a problem by itself. */
export function proveRules(claims: Claims, titles: readonly TestTitle[]): ProofReport {
  const testsOf = Map.groupBy(
    titles.flatMap((test) => findCitations(test.title).map((id) => ({ id, test }))),
    ({ id }) => id,
  );
  const proofs = toUnproved(claims).map((proof) => ({
    ...proof,
    tests: (testsOf.get(proof.id) ?? []).map(({ test }) => test).filter(({ runs }) => runs !== 'skipped'),
  }));
  const known = new Set(proofs.map(({ id }) => id));
  return {
    proofs,
    missing: proofs.filter(({ tests, notOurs }) => tests.length === 0 && notOurs === null),
    problems: [
      ...titles.filter(({ runs }) => runs === 'skipped').map((test) => `${toPlace(test)}: never runs`),
      ...titles.flatMap((test) =>
        findCitations(test.title).flatMap((id) => (known.has(id) ? [] : [`${toPlace(test)}: ${id} is in no list`])),
      ),
      ...proofs.flatMap(({ id, tests, notOurs }) =>
        tests.length > 0 && notOurs !== null ? [`${id} has a test and is said not to be ours`] : [],
      ),
    ],
  };
}

function toUnproved({ rules, traps, notOurs }: Claims): readonly Omit<Proof, 'tests'>[] {
  return [
    ...Object.entries(rules).map(([id, text]) => ({ id, text, notOurs: null })),
    ...traps.map((text, index) => ({ id: `trap ${index + 1}`, text, notOurs: notOurs[index + 1] ?? null })),
  ];
}

/** `test/a.test.ts:12 title`. */
export function toPlace({ file, line, title }: TestTitle): string {
  return `${file}:${line} ${title}`;
}
