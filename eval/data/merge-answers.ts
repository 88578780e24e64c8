import { execa } from 'execa';
import { NotMeasuredError } from '../row.ts';
import { compareNames } from './compare-names.ts';
import { GIT_ENVIRONMENT, type Repository } from './open-repository.ts';

export const MERGE_BENCH = 'benedikt-schesch/Merge-Bench';
const ANSWERS = 'eval_outputs2';
const BLOCK = /```[^\n`]*\n(.*?)\n?```/gsu;

/** The code with which a model answered a conflict. */
export interface MergeAnswer {
  readonly name: string;
  readonly code: string;
}

/** All answers with code, by name. */
export async function listMergeAnswers(repository: Repository): Promise<readonly MergeAnswer[]> {
  const answers: MergeAnswer[] = [];
  for (const entry of await repository.list(ANSWERS, await findCommit(repository))) {
    const code = toCode((await repository.read(entry))?.toString('utf8') ?? '');
    if (code !== null) answers.push({ name: entry.path.slice(ANSWERS.length + 1), code });
  }
  return answers.toSorted((left, right) => compareNames(left.name, right.name));
}

/** The newest commit that added answers: later ones removed them from the tree. */
async function findCommit({ gitDir }: Repository): Promise<string> {
  const args = ['--git-dir', gitDir, 'log', '--all', '-1', '--diff-filter=A', '--format=%H', '--', ANSWERS];
  const { stdout } = await execa('git', args, { env: GIT_ENVIRONMENT, extendEnv: false });
  if (stdout === '') throw new NotMeasuredError(`the history of ${MERGE_BENCH} has no ${ANSWERS}`);
  return stdout;
}

/** The last block of code behind the model's thoughts; null: there is none. */
export function toCode(answer: string): string | null {
  const said = answer.slice(answer.indexOf('</think>') + 1);
  return [...said.matchAll(BLOCK)].at(-1)?.[1] ?? null;
}
