import { posix } from 'node:path';
import type { ParseInput } from '../../core/model/engine.ts';
import type { ParsedFinding, TestResult } from '../../core/model/finding.ts';
import { toFinding } from '../parse/to-finding.ts';
import { toRepositoryPath } from '../parse/to-repository-path.ts';
import type { GoRun, GoTestState } from './go-test-events.ts';

const PANIC = /^panic: (?<what>.+?)(?: \[recovered\])?$/mu;
/** A stack frame: the function on one line, its file on the next. */
const FRAME = /^(?<functionName>[^\s(][^\n]*)\([^\n]*\)\n\t(?<file>[^\n]+?):(?<line>\d+)/gmu;
/** Where `t.Error` was called. Before 1.21 the path is only a file name, without its folder. */
const CALL = /^\s+(?<file>\S+\.go):(?<line>\d+): (?<what>.*)$/mu;
/** For example `bad/bad.go:3:25: undefined: x`. */
const COMPILER_ERROR = /^(?<file>\S.*?\.go):(?<line>\d+)(?::\d+)?: /u;
const MAX_BUILD_LINES = 10;
const FRAMING = /^\s*(?:===|---) [A-Z]+\b.*$/u;

/** Test results for comparing runs. An unfinished test counts as failed. */
export function toGoTests({ tests }: GoRun, input: ParseInput): readonly TestResult[] {
  return tests.map((test) => ({
    id: toId(test),
    outcome: toOutcome(test),
    path: findPlace(test, input).path,
  }));
}

/** Findings: failed tests without failed subtests, packages that did not build or failed without a failed test. */
export function toGoFindings(run: GoRun, input: ParseInput): readonly ParsedFinding[] {
  const failing = run.tests.filter((test) => toOutcome(test) === 'failed');
  const ids = new Set(failing.map(toId));
  const parents = new Set([...ids].flatMap((id) => toParents(id)));
  const leaves = failing.filter((test) => !parents.has(toId(test)));
  return [
    ...[...run.unbuilt].map(([name, said]) => toUnbuiltFinding(name, said, input)),
    ...leaves.map((test) => toTestFinding(test, input)),
    ...findUnexplained(run).map((name) => toPackageFinding(name, 'the package failed outside of its tests')),
  ];
}

/** Why not all tests ran; null if they did. */
export function toGoPartial(run: GoRun, { stderr }: Pick<ParseInput, 'stderr'>): string | null {
  const { tests, unbuilt } = run;
  const [name] = unbuilt.keys();
  if (name !== undefined) {
    const [said] = toSaid(findBuildOutput(name, stderr));
    return `the package ${name} did not build, so its tests did not run${said === undefined ? '' : `: ${said}`}`;
  }
  const [unexplained] = findUnexplained(run);
  if (unexplained !== undefined) return `the package ${unexplained} failed outside of its tests`;
  const ended = tests.find(hasEndedPackage);
  return ended === undefined ? null : `the tests of ${ended.package} ended with ${ended.name}`;
}

/** The packages whose tests did not all run. Each has a finding, and says nothing against the others. */
export function toUnrunPackages(run: GoRun): readonly string[] {
  const ended = run.tests.filter(hasEndedPackage).map((test) => test.package);
  return [...new Set([...run.unbuilt.keys(), ...findUnexplained(run), ...ended])].toSorted();
}

/** A test that passed may print the word. */
function hasEndedPackage({ outcome, output }: GoTestState): boolean {
  return outcome === 'unfinished' || (outcome === 'failed' && PANIC.test(output));
}

/** Packages that built and failed without a failed test. */
function findUnexplained({ tests, failed, unbuilt }: GoRun): readonly string[] {
  const explained = new Set(tests.filter((test) => toOutcome(test) === 'failed').map((test) => test.package));
  return [...failed].filter((name) => !explained.has(name) && !unbuilt.has(name));
}

function toId(test: GoTestState): string {
  return `${test.package}::${test.name}`;
}

function toOutcome({ outcome }: GoTestState): TestResult['outcome'] {
  return outcome === 'unfinished' ? 'failed' : outcome;
}

/** For `p::A/b/c` the tests `p::A/b` and `p::A`, which fail with it. Slashes of the package name do not count. */
function toParents(id: string): readonly string[] {
  const start = id.indexOf('::');
  const segments = id.slice(start + 2).split('/');
  return segments.slice(1).map((_, index) => `${id.slice(0, start)}::${segments.slice(0, index + 1).join('/')}`);
}

interface Place {
  readonly path: string | null;
  readonly line: number | null;
  /** Innermost function in the repository, or the file's name. */
  readonly where: string;
}

function findPlace({ output }: GoTestState, input: ParseInput): Place {
  const frames = [...output.matchAll(FRAME)].flatMap(({ groups }) => (groups === undefined ? [] : [groups]));
  const frame = frames.find(({ file = '' }) => toRepositoryPath(file, input) !== null);
  if (frame !== undefined) return toPlace(frame, frame['functionName'] ?? '', input);
  const call = CALL.exec(output)?.groups;
  return call === undefined
    ? { path: null, line: null, where: '' }
    : toPlace(call, posix.basename(call['file'] ?? ''), input);
}

/** A file name without a folder does not identify a file. */
function toPlace(groups: Readonly<Record<string, string>>, where: string, input: ParseInput): Place {
  const { file = '', line } = groups;
  const path = file.startsWith('/') ? toRepositoryPath(file, input) : null;
  return { path, line: path === null ? null : Number(line), where };
}

function toTestFinding(test: GoTestState, input: ParseInput): ParsedFinding {
  const { path, line, where } = findPlace(test, input);
  const panic = PANIC.exec(test.output)?.groups?.['what'];
  const rule = panic === undefined ? null : 'panic';
  return toFinding({
    kind: 'test_failure',
    severity: 'high',
    native: test.outcome === 'unfinished' ? null : 'fail',
    rule,
    message: panic === undefined ? toMessage(test) : `panic: ${panic}`,
    path,
    line,
    testId: toId(test),
    identity: [rule ?? test.outcome, path ?? '', where].join('|'),
  });
}

function toMessage({ output, outcome }: GoTestState): string {
  if (outcome === 'unfinished') return 'the test did not end: its process did';
  const said = output.split('\n').filter((line) => line.trim() !== '' && !FRAMING.test(line));
  return said.map((line) => line.trim()).join('\n') || 'the test failed';
}

function toPackageFinding(name: string, message: string, place: { path?: string; line?: number } = {}): ParsedFinding {
  return toFinding({ kind: 'collection_error', severity: 'blocker', message, testId: name, identity: '', ...place });
}

/** Says what the compiler said, at the place of its first error. */
function toUnbuiltFinding(name: string, said: string, input: ParseInput): ParsedFinding {
  const lines = toSaid(said);
  const message = [`the package ${name} does not build`, ...lines.slice(0, MAX_BUILD_LINES)].join('\n');
  const at = lines.map((line) => COMPILER_ERROR.exec(line)?.groups).find((groups) => groups !== undefined);
  const path = at === undefined ? null : toRepositoryPath(at['file'] ?? '', input);
  return toPackageFinding(name, message, path === null ? {} : { path, line: Number(at?.['line']) });
}

function toSaid(output: string): readonly string[] {
  return output.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('# '));
}

/**
 * What the compiler wrote about a package. Before 1.24 it is on stderr, so it is no finding (000.R34); stdout says that the package
 * did not build.
 */
function findBuildOutput(name: string, stderr: string): string {
  const blocks = stderr.split(/^(?=# \S)/mu);
  return blocks.find((block) => block.startsWith(`# ${name}\n`) || block.startsWith(`# ${name} [`)) ?? '';
}
