import { createLogReader } from '../../core/evidence/read-log.ts';
import { createPathResolver } from '../../core/evidence/resolve-path.ts';
import type { EpochMs, Sha } from '../../core/model/ids.ts';
import { type Observation, toNotRun, toRunState } from '../../core/proof/observation.ts';
import { type NamedFailure, toNamed } from '../../core/proof/proof-evidence.ts';
import type { SiteOutcome } from '../../ports/site.ts';
import type { Deps } from '../deps.ts';
import { withSite } from '../prepare/with-site.ts';
import type { PreparedFixup } from './fixup-session.ts';
import { runValidation } from './run-validation.ts';

/** Of a log so much is read for an excerpt; its failures are read from all of it. */
const EXCERPT_BYTES = 8 * 1024;
/** More failures of one run say nothing more. */
const MAX_FAILURES = 200;

/** A tree, and what to run on it until when. */
export interface ToObserve {
  readonly treeSha: Sha;
  /** Names its output files; unique within the session. */
  readonly name: string;
  readonly commands: readonly string[];
  readonly until: EpochMs;
}

export type ObserveDeps = Pick<Deps, 'clock' | 'files' | 'log' | 'redact' | 'sites'>;

/**
 * Runs all commands one after the other on a fresh checkout of the tree, without network, and says how each ended. Red ones reject
 * nothing here. Those for which there is no time are not run.
 */
export async function observeTree(
  deps: ObserveDeps,
  {
    repository,
    dependencies,
    session,
    tracked,
  }: Pick<PreparedFixup, 'repository' | 'dependencies' | 'session' | 'tracked'>,
  { treeSha, name, commands, until }: ToObserve,
  signal: AbortSignal,
): Promise<readonly Observation[]> {
  if (commands.length === 0 || deps.clock.now() >= until) return commands.map(toNotRun);
  const tree = { repository, treeSha, masked: [], hasHistory: false };
  return withSite(deps, { name, tree, dependencies, inputs: {}, programs: [] }, signal, async (site) => {
    const seen: Observation[] = [];
    for (const [index, line] of commands.entries()) {
      const timeoutMs = until - deps.clock.now();
      if (timeoutMs <= 0) {
        seen.push(toNotRun(line));
        continue;
      }
      const at = { site, runId: repository.runId, name: `${name}-${String(index)}` };
      const { run, outcome } = await runValidation(deps, { ...at, line, timeoutMs }, signal);
      const failures = outcome.exitCode === 0 ? [] : await readFailures(outcome, tracked);
      const state = toRunState(outcome, failures);
      seen.push({ run, state, failures });
      const { exitCode, durationMs, tests } = run;
      deps.log.info({ sessionId: session.id, tree: name, exitCode, state, tests, durationMs }, 'proof ran');
    }
    return seen;
  });
}

async function readFailures(outcome: SiteOutcome, tracked: readonly string[]): Promise<readonly NamedFailure[]> {
  const reader = createLogReader(EXCERPT_BYTES);
  for (const stream of ['stdout', 'stderr'] as const) {
    for await (const piece of outcome.read(stream)) reader.push(piece);
    reader.push('\n');
  }
  const resolve = createPathResolver(tracked);
  return toNamed(reader.end().failures.map(({ failure }) => failure))
    .slice(0, MAX_FAILURES)
    .map((failure) => ({ ...failure, path: failure.path === null ? null : resolve(failure.path) }));
}
