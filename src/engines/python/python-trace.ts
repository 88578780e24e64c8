import type { ParseInput } from '../../core/model/engine.ts';
import { toRepositoryPath } from '../parse/to-repository-path.ts';

/** What a traceback says that stays the same while lines move. */
export interface PythonTrace {
  /** `ValueError`; null: there is none to be seen. */
  readonly exception: string | null;
  /** Innermost frame in a file of the repository; null: there is none. */
  readonly frame: { readonly path: string; readonly functionName: string } | null;
  /** Line of the innermost frame in the file that was asked for; null: it has none. */
  readonly line: number | null;
}

/** `--tb=short` of pytest writes each frame so, whatever the frame. */
const FRAME = /^(?<file>.+?):(?<line>\d+): in (?<functionName>.+)$/u;
/** Where a syntax error is: the file was never run, and so it has no frame. */
const SYNTAX_PLACE = /^E {5}File "(?<file>.+)", line (?<line>\d+)/u;
/** What was raised, three spaces behind `E`; more of them are its details. */
const RAISED = /^E {3}(?<text>\S.*)$/u;
const EXCEPTION = /^(?<name>[A-Za-z_][\w.]*)(?::(?:\s|$)|$)/u;
const BARE_ASSERTION = /^assert\b/u;
/** Folders of packages that are installed below the root. */
const INSTALLED = /(?:^|\/)(?:site-packages|dist-packages|\.venv|\.tox|\.nox)\//u;

/** Reads a traceback as pytest writes it with `--tb=short`. Never throws. */
export function readPythonTrace(
  text: string,
  path: string | null,
  places: Pick<ParseInput, 'root' | 'cwd'>,
): PythonTrace {
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

/** Identity of a failure beside its test: what was raised and where, without line numbers (001.R21). */
export function toTraceIdentity({ exception, frame }: PythonTrace): string {
  return [exception ?? '', frame?.path ?? '', frame?.functionName ?? ''].join('|');
}

/** Of a chain of exceptions the last one counts: the others led to it. */
function findException(lines: readonly string[]): string | null {
  const raised = findLastRaised(lines);
  const named = raised.map((text) => EXCEPTION.exec(text)?.groups?.['name']).find((name) => name !== undefined);
  if (named !== undefined && named !== 'assert') return named;
  return raised.some((text) => BARE_ASSERTION.test(text)) ? 'AssertionError' : null;
}

/** Lines of the last block of `E` lines, without their details. */
function findLastRaised(lines: readonly string[]): readonly string[] {
  const last = lines.findLastIndex((line) => line.startsWith('E '));
  if (last === -1) return [];
  const before = lines.slice(0, last).findLastIndex((line) => !/^E(?: |$)/u.test(line));
  return lines.slice(before + 1, last + 1).flatMap((line) => RAISED.exec(line)?.groups?.['text'] ?? []);
}
