import type { FingerprintInput } from '../../core/findings/fingerprint-findings.ts';
import type { ParsedFinding } from '../../core/model/finding.ts';
import type { EngineHost } from '../../ports/engine-host.ts';
import { forEachAtOnce } from './for-each-at-once.ts';

/** Findings in further files are identified by their message instead of their line. */
const MAX_FILES = 2000;
const MAX_FILE_BYTES = 1024 * 1024;
const READ_AT_ONCE = 32;

/** Returns a function for the source line of a finding (null: not readable). Each file is read once. */
export async function readLines(
  host: Pick<EngineHost, 'readText'>,
  findings: readonly ParsedFinding[],
): Promise<FingerprintInput['lineText']> {
  const named = findings.flatMap(({ path, line, identity }) =>
    path === null || line === null || identity !== null ? [] : [path],
  );
  const paths = [...new Set(named)].toSorted().slice(0, MAX_FILES);
  const files = new Map<string, readonly string[]>();
  await forEachAtOnce(paths, READ_AT_ONCE, async (path) => {
    const text = await host.readText(path, MAX_FILE_BYTES);
    if (text !== null) files.set(path, text.split('\n'));
  });
  return (path, line) => files.get(path)?.[line - 1] ?? null;
}
