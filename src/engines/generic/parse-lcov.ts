import { lcovParser } from '@friedemannsommer/lcov-parser/sync';
import type { FileCoverage } from '../../core/model/finding.ts';
import { createTextParser } from '../parse/create-parser.ts';
import { toCoveragePayload } from '../parse/to-coverage-payload.ts';
import { toRepositoryPath } from '../parse/to-repository-path.ts';
import { toMissing } from './parse-istanbul.ts';

/** The library skips lines that it does not know. Unknown lines or a truncated report must not look like coverage. */
const KNOWN_LINE = /^(?:[A-Z]{2,6}:.*|end_of_record|#.*|\s*)$/u;
const LINE_DATA = /^DA:[1-9]\d*,-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?:,.*)?$/u;
const RECORD_START = 'SF:';
const RECORD_END = 'end_of_record';

/** Line coverage from LCOV trace files (https://github.com/linux-test-project/lcov, geninfo(1)). */
export const parseLcov = createTextParser((given, input) => {
  const text = given.replaceAll('\r\n', '\n');
  const problem = findProblem(text);
  if (problem !== null) return { kind: 'invalid', why: `the LCOV report: ${problem}` };
  const hitsByPath = new Map<string, Map<number, number>>();
  const records = lcovParser({ from: text });
  for (const { path: named, lines } of records) {
    const path = toRepositoryPath(named, input);
    if (path === null) continue;
    const hitsByLine = hitsByPath.get(path) ?? new Map<number, number>();
    hitsByPath.set(path, hitsByLine);
    // A file may have several records, one for each test.
    for (const { line, hit } of lines.details) hitsByLine.set(line, Math.max(hit, hitsByLine.get(line) ?? 0));
  }
  return toCoveragePayload([...hitsByPath].map(toFile), { measured: records.length });
});

function toFile([path, hitsByLine]: readonly [string, ReadonlyMap<number, number>]): FileCoverage {
  const missingLines = toMissing(hitsByLine);
  return { path, covered: hitsByLine.size - missingLines.length, total: hitsByLine.size, missingLines };
}

/** Why the text is not an LCOV report; null if it is. */
function findProblem(text: string): string | null {
  let isOpen = false;
  let hasRecord = false;
  for (const [index, line] of text.split('\n').entries()) {
    const place = `line ${String(index + 1)}`;
    if (!KNOWN_LINE.test(line)) return `${place} is of no known shape`;
    if (line.startsWith('DA:') && !LINE_DATA.test(line)) return `${place} counts no line`;
    if (line.startsWith(RECORD_START)) {
      if (isOpen) return `${place} begins a record within another`;
      isOpen = true;
      hasRecord = true;
    }
    if (line === RECORD_END) isOpen = false;
  }
  if (isOpen) return 'its last record does not end';
  return hasRecord ? null : 'it has no record';
}
