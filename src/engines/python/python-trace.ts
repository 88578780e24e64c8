import { type Roots, toRepositoryPath } from '../parse/to-repository-path.ts';

/** The parts of a traceback that stay the same when lines move. */
export interface PythonTrace {
  /** For example `ValueError`; null if there is none. */
  readonly exception: string | null;
  /** Innermost frame in a file of the repository; null if there is none. */
  readonly frame: { readonly path: string; readonly functionName: string } | null;
  /** Line of the innermost frame in the requested file; null if there is none. */
  readonly line: number | null;
}

/** pytest's `--tb=short` writes every frame in this form. */
const FRAME = /^(?<file>.+?):(?<line>\d+): in (?<functionName>.+)$/u;
/** Place of a syntax error, which has no frame, because the file never ran. */
const SYNTAX_PLACE = /^E {5}File "(?<file>.+)", line (?<line>\d+)/u;
/** The exception, three spaces after `E`; more spaces are its details. */
const RAISED = /^E {3}(?<text>\S.*)$/u;
const EXCEPTION = /^(?<name>[A-Za-z_][\w.]*)(?::(?:\s|$)|$)/u;
const BARE_ASSERTION = /^assert\b/u;
/** Folders of installed packages below the root. */
const INSTALLED = /(?:^|\/)(?:site-packages|dist-packages|\.venv|\.tox|\.nox)\//u;

/** Reads a traceback that pytest wrote with `--tb=short`. Never throws. */
export function readPythonTrace(text: string, path: string | null, places: Roots): PythonTrace {
  const lines = text.split(/\r?\n/u);
  let frame: PythonTrace['frame'] = null;
  let line: number | null = null;
  for (const candidate of lines) {
    const found = (FRAME.exec(candidate) ?? SYNTAX_PLACE.exec(candidate))?.groups;
    if (found === undefined) continue;
    const at = toRepositoryPath(found['file'] ?? '', places);
    if (at === null || INSTALLED.test(at) || at.startsWith('<')) continue;
    frame = { path: at, functionName: found['functionName'] ?? '' };
    if (at === path) line = Number(found['line']);
  }
  return { exception: findException(lines), frame, line };
}

/** Identifies a failure together with its test: what was raised and where, without line numbers (001.R21). */
export function toTraceIdentity({ exception, frame }: PythonTrace): string {
  return [exception ?? '', frame?.path ?? '', frame?.functionName ?? ''].join('|');
}

/** The last exception of a chain counts; the others caused it. */
function findException(lines: readonly string[]): string | null {
  const raised = findLastRaised(lines);
  const named = raised.map((text) => EXCEPTION.exec(text)?.groups?.['name']).find((name) => name !== undefined);
  if (named !== undefined && named !== 'assert') return named;
  return raised.some((text) => BARE_ASSERTION.test(text)) ? 'AssertionError' : null;
}

/** Lines of the last block of `E` lines, without details. */
function findLastRaised(lines: readonly string[]): readonly string[] {
  const last = lines.findLastIndex((line) => line.startsWith('E '));
  if (last === -1) return [];
  const before = lines.slice(0, last).findLastIndex((line) => !/^E(?: |$)/u.test(line));
  return lines.slice(before + 1, last + 1).flatMap((line) => RAISED.exec(line)?.groups?.['text'] ?? []);
}
