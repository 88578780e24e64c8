import { compareNames } from './compare-names.ts';
import type { Repository } from './open-repository.ts';

export const AST_MERGING = 'benedikt-schesch/AST-Merging-Evaluation';
const RESULTS = 'results/combined/merges_tested';

/** What a tool made of a merge, by the tests of the project. */
export type ToolResult = 'right' | 'wrong' | 'conflict';

/** The published results of one merge. */
export interface TestedMerge {
  readonly name: string;
  readonly git: ToolResult;
  readonly mergiraf: ToolResult;
}

/** All merges with a result of both tools, by name. */
export async function listTestedMerges(repository: Repository): Promise<readonly TestedMerge[]> {
  const merges: TestedMerge[] = [];
  for (const entry of await repository.list(RESULTS)) {
    const text = (await repository.read(entry))?.toString('utf8') ?? '';
    merges.push(...parseResults(entry.path.slice(RESULTS.length + 1).replace(/\.csv$/u, ''), text));
  }
  return merges.toSorted((left, right) => compareNames(left.name, right.name));
}

/** The rows of one table. Its fields have no commas and no quotes but those that are skipped here. */
export function parseResults(name: string, csv: string): readonly TestedMerge[] {
  const [head = '', ...lines] = csv.split(/\r?\n/u);
  const columns = head.split(',');
  const [id, git, mergiraf] = ['idx', 'gitmerge_ort', 'mergiraf'].map((column) => columns.indexOf(column));
  if (id === undefined || git === undefined || mergiraf === undefined || git < 0 || mergiraf < 0) return [];
  return lines.flatMap((line) => {
    const fields = line.split(',');
    const [byGit, byMergiraf] = [toResult(fields[git]), toResult(fields[mergiraf])];
    if (fields.length !== columns.length || byGit === null || byMergiraf === null) return [];
    return [{ name: `${name} ${fields[id] ?? ''}`, git: byGit, mergiraf: byMergiraf }];
  });
}

function toResult(text: string | undefined): ToolResult | null {
  switch (text) {
    case 'Tests_passed':
      return 'right';
    case 'Tests_failed':
    case 'Tests_timedout':
      return 'wrong';
    case 'Merge_failed':
      return 'conflict';
    default:
      return null;
  }
}
