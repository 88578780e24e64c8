import { EventEmitter, once } from 'node:events';
import type { EngineRun, EngineSpec, RawExit } from '../../../src/core/model/engine.ts';
import type { EnginesReport } from '../../../src/core/model/engine-report.ts';
import type { ParsedFinding } from '../../../src/core/model/finding.ts';
import type { EngineSettings, EnginesPolicy } from '../../../src/core/model/policy.ts';
import {
  type EnginesRequest,
  prepareEngines,
  type RunEnginesDeps,
  runPrepared,
} from '../../../src/pipeline/engines/run-engines.ts';
import type { EngineCache, StoredInvocation } from '../../../src/ports/engine-cache.ts';
import type { EngineHost, Invocation, InvocationResult } from '../../../src/ports/engine-host.ts';
import type { Log, LogFields } from '../../../src/ports/log.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { someSettings } from '../../support/plan-builders.ts';

/** How an invocation ends; what is left out is a quick exit with 0 and no output. */
export type Ending = Partial<Omit<InvocationResult, 'exit'>> & { readonly exit?: Partial<RawExit> };

/** A host that runs nothing and answers as told. */
export interface FakeHost extends EngineHost {
  /** In the order in which they began. */
  readonly invocations: readonly Invocation[];
  /** `begin <name>` and `end <name>`. */
  readonly journal: readonly string[];
  /** Most invocations that were under way at one time. */
  readonly mostAtOnce: () => number;
  readonly reads: readonly string[];
}

export interface FakeHostOptions {
  readonly files?: readonly string[];
  /** Of `files` and of what is installed beside them. */
  readonly texts?: Readonly<Record<string, string>>;
  readonly content?: string;
  readonly root?: string;
  readonly dependencies?: EngineHost['dependencies'];
  readonly run?: (invocation: Invocation, signal: AbortSignal) => Ending | Promise<Ending>;
}

const EXITED: RawExit = { kind: 'exited', exitCode: 0, signal: null, durationMs: 5 };

export function createFakeHost(options: FakeHostOptions = {}): FakeHost {
  const { files = ['src/a.py'], texts = {}, root = '/repository', run = (): Ending => ({}) } = options;
  const invocations: Invocation[] = [];
  const journal: string[] = [];
  const reads: string[] = [];
  let atOnce = 0;
  let most = 0;
  return {
    root,
    files,
    dependencies: options.dependencies ?? 'ready',
    nodePath: '/usr/bin/node',
    invocations,
    journal,
    reads,
    mostAtOnce: () => most,
    artifacts: (name) => `/artifacts/${name}`,
    has: async (path) => path in texts,
    readText: async (path, maxBytes) => {
      reads.push(path);
      const text = texts[path] ?? null;
      return text !== null && text.length <= maxBytes ? text : null;
    },
    contentHash: async () => options.content ?? 'content',
    release: async () => undefined,
    run: async (invocation, signal) => {
      invocations.push(invocation);
      journal.push(`begin ${invocation.name}`);
      atOnce += 1;
      most = Math.max(most, atOnce);
      const { exit, ...ending } = await run(invocation, signal);
      atOnce -= 1;
      journal.push(`end ${invocation.name}`);
      return { stdout: '', stderr: '', reports: {}, ...ending, exit: { ...EXITED, ...exit } };
    },
  };
}

/** Holds those who come until all are there. */
export function createMeeting(size: number): () => Promise<void> {
  const meeting = new EventEmitter().setMaxListeners(0);
  let there = 0;
  return async () => {
    there += 1;
    const all = once(meeting, 'all');
    if (there === size) meeting.emit('all');
    await all;
  };
}

/** A cache in memory, and a second look at it from elsewhere. */
export function createFakeCache(): EngineCache & { readonly entries: Map<string, StoredInvocation> } {
  const entries = new Map<string, StoredInvocation>();
  return {
    entries,
    get: async (key) => entries.get(key) ?? null,
    put: async (key, stored) => void entries.set(key, stored),
  };
}

export interface LogLine {
  readonly level: 'info' | 'warn' | 'error';
  readonly fields: LogFields;
  readonly message: string;
}

/** A log that remembers. */
export function createMemoryLog(): Log & { readonly lines: readonly LogLine[] } {
  const lines: LogLine[] = [];
  const toLevel =
    (level: LogLine['level']): Log['warn'] =>
    (fields, message) =>
      void lines.push({ level, fields, message });
  const log = {
    lines,
    debug: () => undefined,
    info: toLevel('info'),
    warn: toLevel('warn'),
    error: toLevel('error'),
    child: () => log,
  };
  return log;
}

/** A program that prints a finding a line: `path:line`. */
export function aProgram(id: string, change: Partial<EngineSpec> = {}): EngineSpec {
  return {
    id,
    kind: 'lint',
    globs: ['**/*.py'],
    targetMode: 'files',
    launchers: [{ kind: 'program', name: id, versionArgs: ['--version'] }],
    toCommands: ({ plan }) => [[...plan.args, ...plan.targets]],
    output: { from: 'stdout', emptyMeansClean: true },
    parse: ({ text }) => {
      if (text === null) return { kind: 'missing' };
      if (text.trim() === '') return { kind: 'empty' };
      const findings = text.trim().split('\n').map(toFinding);
      return { kind: 'parsed', findings, partial: null, toolFailure: null, tests: null, coverage: null };
    },
    exitCodes: [{ versions: null, codes: { success: [0], diagnostic: [1], toolFailure: [2] } }],
    configFiles: [`${id}.toml`],
    detection: { files: ['**/*.py'] },
    env: {},
    timeoutMs: 1000,
    isFix: false,
    ignoreExit: [],
    dependencyRules: [],
    isCacheable: true,
    ...change,
  };
}

function toFinding(line: string): ParsedFinding {
  const [path = '', number = '1'] = line.split(':');
  return {
    kind: 'lint',
    rule: 'E1',
    severity: 'high',
    native: null,
    message: 'wrong',
    path,
    line: Number(number),
    column: null,
    endLine: null,
    testId: null,
    identity: null,
  };
}

export function aPolicy(engines: Readonly<Record<string, Partial<EngineSettings>>>): EnginesPolicy {
  const settings = Object.entries(engines).map(([id, change]) => [id, someSettings(change)] as const);
  return { auto: false, engines: Object.fromEntries(settings), failLevel: 'high' };
}

export function aRequest(change: Partial<EnginesRequest> = {}): EnginesRequest {
  return {
    policy: null,
    only: null,
    mode: 'target',
    scope: { cli: null, env: null },
    configs: { cli: {}, env: {} },
    timeoutSeconds: null,
    refresh: false,
    concurrency: 4,
    ...change,
  };
}

/** Runs what the host detects, or what the request says. */
export async function runOn(
  host: EngineHost,
  {
    catalogue = [aProgram('lint-a')],
    cache = null,
    log = createMemoryLog(),
    signal = AbortSignal.timeout(10_000),
    ...request
  }: Partial<EnginesRequest & RunEnginesDeps> & { readonly signal?: AbortSignal } = {},
): Promise<EnginesReport> {
  const deps = { host, cache, log, clock: createFakeClock(), catalogue };
  return runPrepared(deps, await prepareEngines(deps, aRequest(request)), signal);
}

export function onlyRun(report: EnginesReport): EngineRun {
  const [run, ...others] = report.runs;
  if (run === undefined || others.length > 0) throw new Error(`there are ${String(report.runs.length)} runs`);
  return run;
}
