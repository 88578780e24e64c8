import type { RunId } from '../../core/model/ids.ts';
import { MAX_TAIL_BYTES, type ValidationRun } from '../../core/model/session.ts';
import { createTestCounter } from '../../core/proof/count-tests.ts';
import { cutTail } from '../../core/text/cut-bytes.ts';
import type { Site, SiteOutcome } from '../../ports/site.ts';
import type { Deps } from '../deps.ts';
import { runKept, toShellCommand } from '../prepare/with-site.ts';

const MAX_VALIDATION_OUTPUT_BYTES = 64 * 1024 * 1024;

/** Runs one command in the site, stores its output as artifacts, and counts the tests that ran. */
export async function runValidation(
  deps: Pick<Deps, 'files' | 'redact'>,
  command: {
    readonly site: Site;
    readonly runId: RunId;
    /** Names its output files. */
    readonly name: string;
    readonly line: string;
    readonly timeoutMs: number;
  },
  signal: AbortSignal,
): Promise<{ readonly run: ValidationRun; readonly outcome: SiteOutcome }> {
  const { line, timeoutMs, ...at } = command;
  const limits = { timeoutMs, maxOutputBytes: MAX_VALIDATION_OUTPUT_BYTES };
  const outcome = await runKept(deps, at, toShellCommand(line, limits), signal);
  signal.throwIfAborted();
  const { exitCode, kind, durationMs, stdoutTail, stderrTail } = outcome;
  const tests = await countTests(outcome);
  const run = {
    ...{ command: line, exitCode, timedOut: kind === 'timed_out', durationMs },
    tail: cutTail(deps.redact(`${stdoutTail}\n${stderrTail}`).trim(), MAX_TAIL_BYTES),
    ...(tests === null ? {} : { tests }),
  };
  return { run, outcome };
}

async function countTests(outcome: SiteOutcome): Promise<number | null> {
  const counts: number[] = [];
  for (const stream of ['stdout', 'stderr'] as const) {
    const counter = createTestCounter();
    for await (const piece of outcome.read(stream)) counter.push(piece);
    const count = counter.end();
    if (count !== null) counts.push(count);
  }
  return counts.length === 0 ? null : counts.reduce((sum, count) => sum + count, 0);
}
