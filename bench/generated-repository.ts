import { join } from 'node:path';
import { type RepositoryShape, renderHistory } from './generated-history.ts';
import { runCommand } from './git-command.ts';

/** A bare repository on disk. */
export interface GeneratedRepository {
  readonly gitDir: string;
  /** Heads of the pull request, one per push. */
  readonly pushes: readonly string[];
}

/** Number of the pull request that `setPullRequestHead` updates. */
export const PULL_REQUEST = 1;

/** Creates a repository that is the same in every run, packed and with bitmaps as on a server. */
export async function generateRepository(parent: string, shape: RepositoryShape): Promise<GeneratedRepository> {
  const gitDir = join(parent, 'upstream.git');
  await runCommand(['git', 'init', '--quiet', '--bare', '--initial-branch=main', gitDir], parent);
  await runCommand(['git', 'fast-import', '--quiet', '--depth=50'], gitDir, renderHistory(shape));
  await runCommand(['git', 'pack-refs', '--all'], gitDir);
  await runCommand(['git', 'repack', '-a', '-d', '-q', '--depth=50', '--write-bitmap-index'], gitDir);
  const refs = await runCommand(
    ['git', 'for-each-ref', '--sort=refname', '--format=%(objectname)', 'refs/bench'],
    gitDir,
  );
  return { gitDir, pushes: refs.split('\n') };
}

/** Simulates a push to the pull request on the remote. */
export async function setPullRequestHead(repository: GeneratedRepository, sha: string): Promise<void> {
  await runCommand(['git', 'update-ref', `refs/pull/${PULL_REQUEST}/head`, sha], repository.gitDir);
}
