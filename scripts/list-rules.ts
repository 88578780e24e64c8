/**
 * Prints each rule of docs/rules.md with the tests that prove it, by the titles in the sources; rules that are not built yet and rules
 * whose tests `npm run test:all` leaves out are shown as such. Usage: `npm run rules`. Exit code 1: a rule has no test, or a title or a
 * comment cites a number that docs/rules.md does not have.
 */

import { readFileSync } from 'node:fs';
import { parseRules } from './rules/parse-rules.ts';
import { proveRules, readAllTitles, readCitingComments, toPlace, toState } from './rules/prove-rules.ts';

const { rules, problems: mistakes } = parseRules(readFileSync('docs/rules.md', 'utf8'));
const { proofs, missing, problems } = proveRules(rules, readAllTitles(), readCitingComments());
for (const { id, text, tests, exemption, limit } of proofs) {
  console.log(`${id}: ${text}`);
  if (exemption !== null) console.log(`  ${toState(exemption)}`);
  if (limit !== null) console.log(`  ${limit}`);
  for (const test of tests) console.log(`  ${toPlace(test)}`);
}
const count = (kind: string): number => proofs.filter(({ exemption }) => exemption?.kind === kind).length;
console.log(`\n${proofs.length} rules: ${count('not built yet')} not built yet, ${count('not ours')} not ours,`);
console.log(
  `${proofs.filter(({ limit }) => limit !== null).length} not tested by each run of all tests, ${missing.length} without a test`,
);
for (const { id, limit } of proofs) if (limit !== null) console.log(`LIMITED ${id}: ${limit}`);
for (const { id, text } of missing) console.log(`MISSING ${id}: ${text}`);
for (const problem of [...mistakes, ...problems]) console.log(`WRONG ${problem}`);
process.exitCode = missing.length + mistakes.length + problems.length === 0 ? 0 : 1;
