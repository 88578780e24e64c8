import { toDiffStat } from '../../core/judge/to-diff-stat.ts';
import type { HeldChange, OpenFact, ValidationRun } from '../../core/model/session.ts';
import type { Deps } from '../deps.ts';
import type { Change, PreparedFixup } from './fixup-session.ts';

/** More facts say nothing more to a person. */
const MAX_FACTS = 100;
const MAX_MESSAGE_LENGTH = 500;

/** A change that passed everything but what is open. */
interface DoubtfulChange extends Change {
  /** At least one. */
  readonly open: readonly OpenFact[];
  readonly validation: readonly ValidationRun[];
  /** Of its commit. */
  readonly message: string;
  /** Its diff, as a check run shows it. */
  readonly shownPatch: string;
}

/**
 * Keeps a change that a person has to look at, as a commit that nobody pushes: it survives the run, and is what is pushed if a person
 * accepts it (resolution S28).
 */
export async function holdChange(
  deps: Pick<Deps, 'clock' | 'git' | 'log' | 'redact'>,
  { session, repository, identity }: Pick<PreparedFixup, 'session' | 'repository' | 'identity'>,
  change: DoubtfulChange,
  signal: AbortSignal,
): Promise<HeldChange> {
  const { tree, parents, message } = change;
  const commit = { treeSha: tree.treeSha, message, parents, identity, at: deps.clock.now() };
  const commitSha = await deps.git.createCommit(repository, commit, signal);
  await deps.git.keepCommit(repository, { commitSha, as: 'held' }, signal);
  const codes = [...new Set(change.open.map(({ code }) => code))];
  deps.log.info(
    { sessionId: session.id, key: session.key, commitSha, codes: codes.join(', ') },
    'gate: held for a person',
  );
  const { summary, madeBy, resolved, answers, validation, shownPatch: patch } = change;
  return {
    kind: 'held',
    facts: change.open.slice(0, MAX_FACTS).map((fact) => ({ ...fact, message: cut(deps.redact(fact.message)) })),
    ...{ commitSha, commitMessage: message, patch, summary, madeBy, resolved, answers, validation },
    diff: toDiffStat(tree.changes),
    files: tree.changes.map(({ path }) => path),
  };
}

function cut(text: string): string {
  return text.slice(0, MAX_MESSAGE_LENGTH).toWellFormed();
}
