import { compareNames } from './compare-names.ts';
import type { Entry, Repository } from './open-repository.ts';

export const BUGSWARM = 'tdurieux/BugSwarm-dissection';

/** A job that failed and passed again after a change of the code. */
export interface Pair {
  readonly name: string;
  readonly patch: Entry | undefined;
  readonly failing: Entry | undefined;
  readonly passing: Entry | undefined;
}

/** All pairs, in the order of names. */
export async function listPairs(repository: Repository): Promise<readonly Pair[]> {
  const byName = Map.groupBy(await repository.list('BugSwarm'), ({ path }) => path.split('/')[1] ?? '');
  const names = [...byName.keys()].toSorted(compareNames);
  return names.map((name) => {
    const find = (file: string): Entry | undefined =>
      byName.get(name)?.find(({ path }) => path === `BugSwarm/${name}/${file}`);
    return { name, patch: find('patch.diff'), failing: find('failing.log'), passing: find('passing.log') };
  });
}
