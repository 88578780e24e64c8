import { EXCEEDED_LIMIT_WORDS, isExceededLimit } from '../limits/exceeded-limit.ts';
import type { EngineError, EngineSpec, ExitCategory, Payload, RawExit } from '../model/engine.ts';
import { assertNever } from '../model/errors.ts';

/** Why a run gave no trustworthy answer. The message contains nothing that differs between two runs that fail alike. */
export type EngineFailure = Pick<EngineError, 'kind' | 'message'>;

/** What `findFailure` judges. */
export interface FailureFacts {
  readonly spec: Pick<EngineSpec, 'launchers' | 'output'>;
  readonly argv: readonly string[];
  readonly exit: RawExit;
  readonly payload: Payload;
  readonly stderr: string;
  readonly category: ExitCategory;
}

/** Longest reason that is taken from a parser, in UTF-16 code units. */
const MAX_WHY_LENGTH = 500;

/**
 * The failure of a run; null if its answer can be used. Checks how it ended, then whether the tool exists, then what it wrote.
 * Both exit and output are checked, because neither is enough alone (resolution C1).
 */
export function findFailure(facts: FailureFacts): EngineFailure | null {
  return findAbnormalEnd(facts.exit, facts.argv[0]) ?? findMissingTool(facts) ?? findUnusableOutput(facts);
}

function findAbnormalEnd({ kind, exitCode, signal }: RawExit, program = 'the tool'): EngineFailure | null {
  if (isExceededLimit(kind)) return { kind: 'CRASHED', message: `it ${EXCEEDED_LIMIT_WORDS[kind].did}` };
  switch (kind) {
    case 'exited':
      return exitCode === null ? { kind: 'CRASHED', message: 'it ended without an exit code' } : null;
    case 'not_found':
      return { kind: 'TOOL_NOT_FOUND', message: `the tool was not found: there is no ${toName(program)}` };
    case 'not_launched':
      return { kind: 'TOOL_NOT_FOUND', message: 'the tool could not be started' };
    case 'timed_out':
      return { kind: 'TIMEOUT', message: 'it did not end in time and was killed' };
    case 'output_limit':
      return { kind: 'OUTPUT_LIMIT', message: 'it wrote more than it may and was killed' };
    case 'signalled':
      return { kind: 'CRASHED', message: `it was ended by ${signal ?? 'a signal'}` };
    case 'aborted':
      return { kind: 'ABORTED', message: 'it was stopped before it ended' };
    default:
      return assertNever(kind);
  }
}

/** The name of the program without its folder, which differs between machines. */
function toName(program: string): string {
  return program.replace(/^.*\//su, '');
}

/** Detects a launcher that starts and then exits with 1, because the tool itself is missing. */
function findMissingTool({ spec, argv, exit, payload, stderr }: FailureFacts): EngineFailure | null {
  if (exit.exitCode !== 1 || hasResults(payload)) return null;
  const module = findMissingModule(argv, stderr) ?? findMissingScript(spec.launchers, stderr);
  return module === null ? null : { kind: 'TOOL_NOT_FOUND', message: `the tool was not found: there is no ${module}` };
}

function hasResults(payload: Payload): boolean {
  return payload.kind === 'parsed' && (payload.findings.length > 0 || (payload.tests ?? []).length > 0);
}

/** `python -m X` starts Python, which then finds no X (or a package X that cannot be run). */
function findMissingModule(argv: readonly string[], stderr: string): string | null {
  const missing = [...stderr.matchAll(/No module named ['"]?([\w.]+)/gu)].map(([, name = '']) => name);
  const modules = argv.filter((_, index) => argv[index - 1] === '-m');
  return modules.find((module) => missing.some((name) => isSameModule(module, name))) ?? null;
}

/** For `a.b`, `a` may be the missing module. */
function isSameModule(module: string, missing: string): boolean {
  return module === missing || module.startsWith(`${missing}.`) || missing === `${module}.__main__`;
}

/** `node <script>` starts Node, which then finds no script. A module that is missing inside the tool is a different failure. */
function findMissingScript(launchers: EngineSpec['launchers'], stderr: string): string | null {
  const missing = [...stderr.matchAll(/Cannot find module '([^']+)'/gu)].map(([, path = '']) => path);
  const scripts = launchers.flatMap((launcher) => (launcher.kind === 'node' ? [launcher.script] : []));
  return scripts.find((script) => missing.some((path) => path.endsWith(`/node_modules/${script}`))) ?? null;
}

/** Compares the output with the category of the exit code. */
function findUnusableOutput({ spec, exit, payload, category }: FailureFacts): EngineFailure | null {
  const code = `exit code ${String(exit.exitCode)}`;
  switch (payload.kind) {
    case 'parsed':
      return findContradiction(payload, category, code);
    case 'empty':
      if (category === 'success' && spec.output.emptyMeansClean) return null;
      return { kind: 'NO_OUTPUT', message: `it wrote nothing (${code})` };
    case 'missing':
      return { kind: 'NO_OUTPUT', message: `it wrote no report (${code})` };
    case 'invalid':
      return { kind: 'JSON_PARSE_FAILED', message: `what it wrote cannot be read: ${cut(payload.why)} (${code})` };
    default:
      return assertNever(payload);
  }
}

function findContradiction(
  { findings, toolFailure }: Extract<Payload, { readonly kind: 'parsed' }>,
  category: ExitCategory,
  code: string,
): EngineFailure | null {
  if (toolFailure !== null)
    return { kind: 'TOOL_FAILURE_EXIT', message: `it says that it failed: ${cut(toolFailure)}` };
  if (category === 'tool_failure') return { kind: 'TOOL_FAILURE_EXIT', message: `${code} means that it failed` };
  if (findings.length > 0 || category === 'success') return null;
  return { kind: 'EXIT_WITHOUT_FINDINGS', message: `${code}, but it names nothing that is wrong` };
}

function cut(why: string): string {
  const line = why.replaceAll(/\s+/gu, ' ').trim();
  return line.length <= MAX_WHY_LENGTH ? line : `${line.slice(0, MAX_WHY_LENGTH).toWellFormed()}…`;
}
