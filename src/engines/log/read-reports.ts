import { findWorkspace } from '../../core/evidence/workspace-path.ts';
import type { EngineSpec } from '../../core/model/engine.ts';
import { CATALOGUE } from '../catalogue.ts';
import { createSarifParser } from '../generic/parse-sarif.ts';
import { findDocuments } from './find-documents.ts';
import { type Reported, toReported } from './reported.ts';

/** Failures that one log may report this way. */
const MAX_REPORTED = 200;

type Reader = Pick<EngineSpec, 'id' | 'parse'>;

/** Every parser that reads one text. Coverage names no failure. */
const READERS: readonly Reader[] = [
  ...CATALOGUE.filter(({ kind, output }) => kind !== 'coverage' && output.from !== 'stderr'),
  { id: 'sarif', parse: createSarifParser('lint') },
];

/**
 * Failures in the JSON reports of tools that a log contains, such as that of `eslint -f json` or `go test -json`, read by the parsers
 * of the catalogue. `lines` are clean. A text that no parser knows is ignored.
 */
export function readReports(lines: readonly string[]): readonly Reported[] {
  return findDocuments(lines).flatMap(readDocument).slice(0, MAX_REPORTED);
}

function readDocument(text: string): readonly Reported[] {
  const root = findWorkspace(text) ?? '/';
  const input = { text, reports: {}, stderr: '', root, cwd: '.', exitCode: null, earlierExitCodes: [], version: null };
  for (const { id, parse } of READERS) {
    const payload = parse(input);
    if (payload.kind === 'parsed' && payload.findings.length > 0) {
      return payload.findings.map((finding) => toReported(id, finding));
    }
  }
  return [];
}
