/**
 * Prints each rule and each trap with the tests that prove it, by the titles in the sources. Usage: `npm run rules`. Exit code 1:
 * something has no test, or a title names what there is not.
 */

import { ENGINE_RULES } from '../test/rules/engine-rules.ts';
import { RULES } from '../test/rules/rules.ts';
import { NOT_OURS, TRAPS } from '../test/rules/traps.ts';
import { proveRules, readAllTitles, toPlace } from './rules/prove-rules.ts';

const { proofs, missing, problems } = proveRules(
  { rules: { ...RULES, ...ENGINE_RULES }, traps: TRAPS, notOurs: NOT_OURS },
  readAllTitles('test'),
);
for (const { id, text, tests, notOurs } of proofs) {
  console.log(`${id}: ${text}`);
  if (notOurs !== null) console.log(`  not ours: ${notOurs}`);
  for (const test of tests) console.log(`  ${toPlace(test)}`);
}
console.log(`\n${proofs.length} rules and traps, ${missing.length} without a test`);
for (const { id, text } of missing) console.log(`MISSING ${id}: ${text}`);
for (const problem of problems) console.log(`WRONG ${problem}`);
process.exitCode = missing.length + problems.length === 0 ? 0 : 1;
