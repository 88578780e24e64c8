import { z } from 'zod';
import { type Reading, readJson } from '../parse/read-json.ts';

/** Format of `go doc test2json`; build events exist since 1.24. */
const GoEvent = z.object({
  Action: z.string(),
  Package: z.string().optional(),
  ImportPath: z.string().optional(),
  Test: z.string().optional(),
  Output: z.string().optional(),
  FailedBuild: z.string().optional(),
});
type GoEvent = z.infer<typeof GoEvent>;

/** One test, as its events describe it. */
export interface GoTestState {
  readonly package: string;
  readonly name: string;
  /** `unfinished`: it started, and its package ended first. */
  readonly outcome: 'passed' | 'failed' | 'skipped' | 'unfinished';
  readonly output: string;
}

export interface GoRun {
  readonly tests: readonly GoTestState[];
  /** Packages that failed. */
  readonly failed: ReadonlySet<string>;
  /** Packages that did not build, with the compiler's output if stdout has it. */
  readonly unbuilt: ReadonlyMap<string, string>;
}

const MAX_OUTPUT_LENGTH = 65_536;
const UNBUILT = /^FAIL\t(?<name>\S+) \[(?:build|setup) failed\]$/u;
/** Text lines between the events: packages without tests, and the final line. */
const PLAIN = /^(?:\?|ok|---|===|FAIL|PASS)(?:\s|$)/u;
const ENDS: Readonly<Record<string, GoTestState['outcome']>> = { pass: 'passed', fail: 'failed', skip: 'skipped' };

/** State while the lines are read. */
interface Gathering {
  readonly tests: Map<string, GoTestState>;
  readonly failed: Set<string>;
  readonly unbuilt: Map<string, string>;
  /** Build output by import path. */
  readonly builds: Map<string, string>;
}

/** The events of a run, grouped by test. A line that is neither an event nor known text makes the reading invalid. */
export function readGoEvents(text: string): Reading<GoRun> {
  const run: Gathering = { tests: new Map(), failed: new Set(), unbuilt: new Map(), builds: new Map() };
  for (const [index, line] of text.split(/\r?\n/u).entries()) {
    if (line.trim() !== '' && !readLine(line, run))
      return { kind: 'invalid', why: `line ${String(index + 1)} is no event of go test: ${line.slice(0, 200)}` };
  }
  return { kind: 'ok', value: { ...run, tests: [...run.tests.values()] } };
}

/** Whether go test writes such a line. */
function readLine(line: string, run: Gathering): boolean {
  if (!line.startsWith('{')) {
    const unbuilt = UNBUILT.exec(line)?.groups?.['name'];
    if (unbuilt !== undefined) run.unbuilt.set(unbuilt, '');
    return unbuilt !== undefined || PLAIN.test(line);
  }
  const reading = readJson(line, GoEvent);
  if (reading.kind === 'ok') addEvent(reading.value, run);
  return reading.kind === 'ok';
}

function addEvent(event: GoEvent, run: Gathering): void {
  const { Action: action, Package: name, ImportPath: built, Output: output = '' } = event;
  if (built !== undefined) run.builds.set(built, append(run.builds.get(built) ?? '', output));
  if (name === undefined) return;
  if (event.Test !== undefined) {
    const id = `${name}::${event.Test}`;
    const known = run.tests.get(id) ?? { package: name, name: event.Test, outcome: 'unfinished', output: '' };
    run.tests.set(id, { ...known, outcome: ENDS[action] ?? known.outcome, output: append(known.output, output) });
  } else if (action === 'fail') {
    run.failed.add(name);
    if (event.FailedBuild !== undefined) run.unbuilt.set(name, run.builds.get(event.FailedBuild) ?? '');
  }
}

function append(text: string, more: string): string {
  return text.length >= MAX_OUTPUT_LENGTH ? text : text + more;
}
