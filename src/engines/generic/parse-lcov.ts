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

/** What the records of one file say. */
interface Measured {
  readonly hitsByLine: Map<number, number>;
  /** Largest `LF` and `LH` of its records, for writers that list no lines. */
  found: number;
  hit: number;
}

/** Line coverage from LCOV trace files (https://github.com/linux-test-project/lcov, geninfo(1)). */
export const parseLcov = createTextParser((given, input) => {
  const text = given.replaceAll('\r\n', '\n');
  const problem = findProblem(text);
  if (problem !== null) return { kind: 'invalid', why: `the LCOV report: ${problem}` };
  const byPath = new Map<string, Measured>();
  const outside = new Set<string>();
  for (const { path: named, lines } of lcovParser({ from: text })) {
    const path = toRepositoryPath(named, input);
    if (path === null) {
      outside.add(named);
      continue;
    }
    const file = byPath.get(path) ?? { hitsByLine: new Map<number, number>(), found: 0, hit: 0 };
    byPath.set(path, file);
    file.found = Math.max(file.found, lines.instrumented);
    file.hit = Math.max(file.hit, lines.hit);
    // A file may have several records, one for each test.
    for (const { line, hit } of lines.details) file.hitsByLine.set(line, Math.max(hit, file.hitsByLine.get(line) ?? 0));
  }
  return toCoveragePayload([...byPath].map(toFile), { measured: byPath.size + outside.size });
});

function toFile([path, { hitsByLine, found, hit }]: readonly [string, Measured]): FileCoverage {
  if (hitsByLine.size === 0) return { path, covered: Math.min(hit, found), total: found, missingLines: [] };
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
