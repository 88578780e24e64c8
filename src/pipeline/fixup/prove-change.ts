import type { EpochMs } from '../../core/model/ids.ts';
import type { Proof, TestCounts } from '../../core/model/proof.ts';
import type { ValidationRun } from '../../core/model/session.ts';
import {
  findLostTests,
  findOldTestsFail,
  findOnlyTests,
  findReproduction,
  judgeRuns,
  type ProofFact,
  type ProofRuns,
  type Reproduction,
  toTestCounts,
  toTestsAlone,
} from '../../core/proof/judge-runs.ts';
import { joinStates, type Observation, toProofRun } from '../../core/proof/observation.ts';
import { NO_EVIDENCE, type ProofEvidence } from '../../core/proof/proof-evidence.ts';
import { toTriedNote } from '../../core/proof/proof-notes.ts';
import { toProofEnd } from '../../core/proof/proof-time.ts';
import { type ProofParts, toProofParts } from '../../core/proof/proof-trees.ts';
import type { Deps } from '../deps.ts';
import { type OrEnded, ok, rejected } from '../prepare/or-ended.ts';
import type { Change, PreparedFixup } from './fixup-session.ts';
import { type ObserveDeps, observeTree } from './observe-tree.ts';
import { readCiDifferences } from './read-ci-differences.ts';
import { readProofEvidence, toAlone, toOtherCommands } from './read-proof-evidence.ts';

/** A longer command is not repeated as a whole. */
const MAX_REPEATED_MS = 2 * 60_000;

type ProveDeps = ObserveDeps & Pick<Deps, 'git' | 'oldHeadRuns' | 'store'>;

/** What was found out, and what a person has to look at before the push. */
export interface Proved {
  /** null: a merge, which is judged by its validation alone. */
  readonly proof: Proof | null;
  readonly facts: readonly ProofFact[];
}

/** What all steps of a proof take. */
interface Work {
  readonly prepared: PreparedFixup;
  readonly change: Change;
  readonly parts: ProofParts;
  readonly evidence: ProofEvidence;
  /** The runs of the validation, all green. */
  readonly validation: readonly ValidationRun[];
  readonly until: EpochMs;
  readonly signal: AbortSignal;
}

/**
 * Runs tests on the trees around a change that passed its validation: red at the old head, green at the result, red again with
 * everything but its test files reverted; and the tests as they were over the result. Each run has a fresh site without network.
 * Rejects the change if what CI reports is red at the result, too. What a run cannot tell is never good news, and no bad news.
 */
export async function proveChange(
  deps: ProveDeps,
  prepared: PreparedFixup,
  { change, validation }: { readonly change: Change; readonly validation: readonly ValidationRun[] },
  signal: AbortSignal,
): Promise<OrEnded<Proved>> {
  const { goal, session, policy } = prepared;
  // A merge is judged by its validation alone.
  if (goal.kind !== 'ci' && goal.kind !== 'review') return ok({ proof: null, facts: [] });
  const parts = toProofParts(change.tree.changes);
  const evidence = readProofEvidence(deps, { session, goal, tracked: prepared.tracked });
  const until = toProofEnd(deps.clock.now(), session.deadlineAt, policy.validateTimeoutMinutes);
  const work = {
    prepared,
    change,
    parts,
    evidence: evidence ?? NO_EVIDENCE,
    validation,
    until,
    signal,
  };
  const before = await observeOldHead(deps, work, 'prove-old-head', prepared.validation.commands);
  const counts = toTestCounts(before, validation);
  const changed = await runOldTests(deps, work);
  const notes = goal.kind === 'review' ? changed.map(({ message }) => message) : [];
  const held = [...findLostTests(counts), ...(goal.kind === 'review' ? [] : changed)];
  if (evidence === null)
    return ok({ proof: toProof(counts, { notes, hasTests: parts.tests.length > 0 }), facts: held });
  const proved = await proveRuns(deps, work, before);
  if (proved.kind === 'ended') return proved;
  const { proof, facts } = proved.value;
  return ok({ proof: { ...proof, counts, notes: [...proof.notes, ...notes] }, facts: [...facts, ...held] });
}

/** Runs commands on the old head, but for those that an earlier attempt ran there. */
async function observeOldHead(
  deps: ProveDeps,
  { prepared, until, signal }: Work,
  name: string,
  commands: readonly string[],
): Promise<readonly Observation[]> {
  const { session, dependencies } = prepared;
  const treeSha = session.fixup.headSha;
  const toKey = (command: string): string =>
    JSON.stringify([session.key, treeSha, dependencies?.key.hash ?? null, command]);
  const missing = commands.filter((command) => deps.oldHeadRuns.find(toKey(command)) === null);
  const seen = await observeTree(deps, prepared, { treeSha, name, commands: missing, until }, signal);
  const fresh = new Map(seen.map((observation) => [observation.run.command, observation]));
  for (const [command, observation] of fresh) {
    if (observation.state !== 'unknown') deps.oldHeadRuns.keep(toKey(command), observation);
  }
  return commands.flatMap((command) => fresh.get(command) ?? deps.oldHeadRuns.find(toKey(command)) ?? []);
}

/** The tests as they were, over the result. Red ones are run again before they count. */
async function runOldTests(deps: ProveDeps, work: Work): Promise<readonly ProofFact[]> {
  const { prepared, change, parts, until, signal } = work;
  if (!parts.hasSource || parts.oldTests.length === 0) return [];
  const mix = { treeSha: change.tree.treeSha, from: prepared.session.fixup.headSha, paths: parts.oldTests };
  const treeSha = await deps.git.mixTrees(prepared.repository, mix, signal);
  const first = { treeSha, name: 'prove-old-tests', commands: prepared.validation.commands, until };
  const seen = await observeTree(deps, prepared, first, signal);
  const commands = seen.filter(({ state }) => state === 'red').map(({ run }) => run.command);
  const again = await observeTree(deps, prepared, { ...first, name: 'prove-old-tests-again', commands }, signal);
  return findOldTestsFail(again, parts.oldTests);
}

/** Finds a command that is red at the old head as the evidence says, and runs it on the other trees. */
async function proveRuns(
  deps: ProveDeps,
  work: Work,
  before: readonly Observation[],
): Promise<OrEnded<Proved & { readonly proof: Proof }>> {
  const { evidence, parts, validation } = work;
  const hasTests = parts.tests.length > 0;
  const ofValidation = findReproduction(evidence, before);
  const green = validation.find(({ command }) => command === ofValidation?.observation.run.command);
  if (ofValidation !== null && green !== undefined) {
    return ok(await proveRest(deps, work, ofValidation, { run: green, state: 'green', failures: [] }));
  }
  const others = await toOtherCommands(deps, work);
  const seen = await observeOldHead(deps, work, 'prove-others', others);
  const found = findReproduction(evidence, seen);
  if (found === null) {
    const tried = [...before, ...seen].map(toTriedNote);
    const notes = [...tried, ...(await readCiDifferences(deps, work, work.signal))];
    return ok({
      proof: { ...toProof([], { notes, hasTests }), verdict: 'not_reproduced' },
      facts: findOnlyTests(parts),
    });
  }
  const result = await observeResult(deps, work, found);
  const left = result.state === 'red' ? findReproduction(evidence, [result]) : null;
  if (left !== null) {
    const detail = `\`${result.run.command}\` fails on the result as CI reports it: exit code ${String(result.run.exitCode)}.`;
    return rejected('STILL_RED', detail, { validation: [...validation, result.run] });
  }
  return ok(await proveRest(deps, work, found, result));
}

/** A red run is repeated before it counts. */
async function observeResult(
  deps: ProveDeps,
  work: Work,
  { observation: { run } }: Reproduction,
): Promise<Observation> {
  const { prepared, change, until, signal } = work;
  const want = { treeSha: change.tree.treeSha, name: 'prove-result', commands: [run.command], until };
  const first = joinStates(await observeTree(deps, prepared, want, signal));
  if (first.state !== 'red') return first;
  const again = joinStates(await observeTree(deps, prepared, { ...want, name: 'prove-result-again' }, signal));
  return again.state === 'green' ? { ...first, state: 'unknown' } : again;
}

/** The red run once more, then the third run. */
async function proveRest(
  deps: ProveDeps,
  work: Work,
  found: Reproduction,
  result: Observation,
): Promise<Proved & { readonly proof: Proof }> {
  const { parts } = work;
  const again = await repeat(deps, work, found);
  const needsThird = parts.tests.length > 0 && parts.hasSource && again?.state !== 'green';
  const third = needsThird ? await observeWithoutSource(deps, work, found) : null;
  const runs = { oldHead: found.observation, again, result, withoutSource: third };
  const facts = third?.state === 'green' ? [toTestsAlone(third)] : findOnlyTests(parts);
  return { proof: toProvenProof(runs, parts), facts };
}

function toProvenProof(runs: ProofRuns, { tests, hasSource }: ProofParts): Proof {
  const hasTests = tests.length > 0;
  const { oldHead, result, withoutSource } = runs;
  const isForPerson = withoutSource?.state === 'green' || !hasSource;
  return {
    ...toProof([], { notes: [], hasTests }),
    verdict: isForPerson ? null : judgeRuns(runs, hasTests),
    command: oldHead.run.command,
    oldHead: toProofRun(oldHead),
    result: toProofRun(result),
    withoutSource: withoutSource === null ? null : toProofRun(withoutSource),
  };
}

/** The failing tests alone at the old head, or the command itself if they cannot be run alone and it does not take long. */
async function repeat(deps: ProveDeps, work: Work, { observation, shown }: Reproduction): Promise<Observation | null> {
  const { prepared, until, signal } = work;
  const want = { treeSha: prepared.session.fixup.headSha, until };
  const alone = await toAlone(deps, work, shown.length > 0 ? shown : observation.failures);
  if (alone.length > 0) {
    const seen = joinStates(
      await observeTree(deps, prepared, { ...want, name: 'prove-alone', commands: alone }, signal),
    );
    if (seen.state !== 'unknown') return seen;
  }
  if (observation.run.durationMs > MAX_REPEATED_MS) return null;
  const commands = [observation.run.command];
  return joinStates(await observeTree(deps, prepared, { ...want, name: 'prove-again', commands }, signal));
}

/** Everything but the test files reverted. A green run is repeated before it counts; if it is red then, nothing is known. */
async function observeWithoutSource(deps: ProveDeps, work: Work, found: Reproduction): Promise<Observation> {
  const { prepared, change, parts, until, signal } = work;
  const mix = { treeSha: prepared.session.fixup.headSha, from: change.tree.treeSha, paths: parts.tests };
  const treeSha = await deps.git.mixTrees(prepared.repository, mix, signal);
  const want = { treeSha, name: 'prove-tests-only', commands: [found.observation.run.command], until };
  const first = joinStates(await observeTree(deps, prepared, want, signal));
  if (first.state !== 'green') return first;
  const again = joinStates(await observeTree(deps, prepared, { ...want, name: 'prove-tests-only-again' }, signal));
  return again.state === 'red' ? { ...again, state: 'unknown' } : first;
}

function toProof(counts: readonly TestCounts[], given: Pick<Proof, 'notes' | 'hasTests'>): Proof {
  return { ...{ verdict: null, command: null, oldHead: null, result: null, withoutSource: null }, counts, ...given };
}
