import type { Proof, ProofRun, TestCounts } from '../model/proof.ts';
import { toVerdictText } from '../proof/proof-notes.ts';
import { toFence, toInlineCode, toPlainText } from '../text/escape.ts';
import { toDetails, toParagraphs, toSection } from './markdown.ts';

const MAX_NOTES = 10;
const MAX_NOTE_LENGTH = 400;

/** What the runs around a change showed: exit codes and short excerpts. It never says that a change is right. */
export function renderProof(proof: Proof | null = null): string {
  if (proof === null) return '';
  const { verdict, command, hasTests, notes, counts } = proof;
  const words = verdict === null ? null : toVerdictText(verdict, hasTests);
  const runs = toRuns(proof);
  const lines = runs.map(([where, run]) => `- ${where}: ${renderEnd(run)}`);
  const excerpts = runs
    .filter(([, { excerpt }]) => excerpt.trim() !== '')
    .map(([where, { excerpt }]) => toDetails(`Last lines, ${where}`, toFence(excerpt)));
  const said = notes.slice(0, MAX_NOTES).map((note) => `- ${toPlainText(note, MAX_NOTE_LENGTH)}`);
  return toParagraphs([
    words === null ? '' : `Proof: ${words}`,
    command === null ? '' : toSection(`${toInlineCode(command)}, in fresh sandboxes without network:`, lines),
    ...excerpts,
    said.join('\n'),
    ...counts.map(renderCount),
    renderUncounted(counts),
  ]);
}

function toRuns({ oldHead, result, withoutSource }: Proof): readonly (readonly [string, ProofRun])[] {
  return [
    ['at the old head', oldHead] as const,
    ['with the change', result] as const,
    ['with all but its test files reverted', withoutSource] as const,
  ].flatMap(([where, run]) => (run === null ? [] : [[where, run] as const]));
}

function renderEnd({ exitCode, timedOut }: ProofRun): string {
  if (timedOut) return 'did not end in time';
  return exitCode === null ? 'ended by a signal' : `exit code ${exitCode}`;
}

function renderCount({ command, before, after }: TestCounts): string {
  if (before === null || after === null || before === after) return '';
  return `${toInlineCode(command)} ran ${before} tests before the change and ${after} with it.`;
}

/** A validation may have commands that are no tests. So nothing is said of a single one that tells no number. */
function renderUncounted(counts: readonly TestCounts[]): string {
  const isCompared = counts.some(({ before, after }) => before !== null && after !== null);
  if (counts.length === 0 || isCompared) return '';
  return 'Ratchet could not compare the number of tests: no validation command printed it both before and after the change.';
}
