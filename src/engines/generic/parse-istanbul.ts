import { z } from 'zod';
import type { FileCoverage } from '../../core/model/finding.ts';
import { createTextParser } from '../parse/create-parser.ts';
import { type Reading, readJson } from '../parse/read-json.ts';
import { toCoveragePayload } from '../parse/to-coverage-payload.ts';
import { type Roots, toRepositoryPath } from '../parse/to-repository-path.ts';

/** `coverage-final.json` of istanbul, nyc, c8, vitest and jest, by absolute path. Only statements are read. */
const IstanbulFile = z.object({
  path: z.string().min(1),
  statementMap: z.record(z.string(), z.object({ start: z.object({ line: z.int().min(1) }) })),
  s: z.record(z.string(), z.number().min(0)),
});
type IstanbulFile = z.infer<typeof IstanbulFile>;
const IstanbulReport = z.record(z.string(), IstanbulFile);

export interface MeasuredFiles {
  readonly files: readonly FileCoverage[];
  /** Number of files in the report, including those outside of the root. */
  readonly measured: number;
}

/** The report's files with their statement coverage, without files outside of the root. Never throws. */
export function readIstanbul(text: string, roots: Roots): Reading<MeasuredFiles> {
  const reading = readJson(text, IstanbulReport);
  if (reading.kind === 'invalid') return { kind: 'invalid', why: `the coverage report: ${reading.why}` };
  const files: FileCoverage[] = [];
  const measured = Object.values(reading.value);
  for (const file of measured) {
    const path = toRepositoryPath(file.path, roots);
    if (path === null) continue;
    const counted = countStatements(file, path);
    if (counted === null) return { kind: 'invalid', why: `the coverage report: ${path} counts unknown statements` };
    files.push(counted);
  }
  return { kind: 'ok', value: { files, measured: measured.length } };
}

/** Coverage in istanbul's own format. */
export const parseIstanbul = createTextParser((text, input) => {
  const reading = readIstanbul(text, input);
  return reading.kind === 'invalid' ? reading : toCoveragePayload(reading.value.files, reading.value);
});

/** null if statements and counts do not match. A line is covered if any statement that starts on it is. */
function countStatements({ statementMap, s: counts }: IstanbulFile, path: string): FileCoverage | null {
  const statements = Object.entries(statementMap);
  if (Object.keys(counts).length !== statements.length) return null;
  const hitsByLine = new Map<number, number>();
  let covered = 0;
  for (const [id, { start }] of statements) {
    const hits = counts[id];
    if (hits === undefined) return null;
    if (hits > 0) covered += 1;
    hitsByLine.set(start.line, Math.max(hits, hitsByLine.get(start.line) ?? 0));
  }
  return { path, covered, total: statements.length, missingLines: toMissing(hitsByLine) };
}

/** Lines without a hit, ascending. */
export function toMissing(hitsByLine: ReadonlyMap<number, number>): readonly number[] {
  const missing = [...hitsByLine].filter(([, hits]) => hits <= 0).map(([line]) => line);
  return missing.toSorted((left, right) => left - right);
}
