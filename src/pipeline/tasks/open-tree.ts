import { parseRunId, type RunId, type Sha, toPullNumber } from '../../core/model/ids.ts';
import { prepareDependencies } from '../prepare/prepare-dependencies.ts';
import type { OpenedTree, TaskDeps, TaskRunGround } from './task-run.ts';

/** The name of a clone of a run. `name`: letters and digits. */
export function toTreeId({ runId }: Pick<TaskRunGround, 'runId'>, name: string): RunId {
  return parseRunId(`${runId}-${name}`);
}

/**
 * Clones a commit that the mirror keeps, for `work` alone, and removes the clone afterwards. What `work` made is lost with it, unless it
 * is kept in the mirror.
 */
export async function withTree<Result>(
  deps: Pick<TaskDeps, 'files' | 'git' | 'log' | 'redact' | 'registries' | 'sites'>,
  ground: Pick<TaskRunGround, 'runId' | 'key' | 'mirror' | 'policy' | 'repositoryId'>,
  {
    name,
    commitSha,
    work,
  }: {
    readonly name: string;
    readonly commitSha: Sha;
    readonly work: (tree: OpenedTree) => Promise<Result>;
  },
  signal: AbortSignal,
): Promise<Result> {
  const { key, mirror, policy, repositoryId } = ground;
  const id = toTreeId(ground, name);
  try {
    const repository = await deps.git.prepareSession(mirror, { id, key, headSha: commitSha }, signal);
    const tracked = await deps.git.listFiles(repository, signal);
    const facts = { number: toPullNumber(key) };
    const given = { repository, tracked, facts, policy, tellSetup: () => undefined };
    const prepared = await prepareDependencies(deps, given, commitSha, signal);
    signal.throwIfAborted();
    const isReady = prepared.kind === 'ok';
    const problem = isReady || !('detail' in prepared.outcome) ? null : prepared.outcome.detail;
    return await work({
      ...{ repository, tracked, dependencies: isReady ? prepared.value : null },
      setupProblem: isReady ? null : (problem ?? 'They could not be prepared.'),
    });
  } finally {
    await deps.git.removeSession(id, repositoryId);
  }
}
