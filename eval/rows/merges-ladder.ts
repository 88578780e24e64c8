import { AST_MERGING, listTestedMerges, type TestedMerge, type ToolResult } from '../data/ast-merging.ts';
import { type EvalRow, toLine, toPercent } from '../row.ts';

/**
 * What the ladder makes of a merge without an agent: git's result if git finds no conflict, else the merge tool's. The validation
 * runs the tests, so that a wrong result is refused.
 */
export function climb({ git, mergiraf }: Pick<TestedMerge, 'git' | 'mergiraf'>): 'pushed' | 'refused' | 'agent' {
  const result: ToolResult = git === 'conflict' ? mergiraf : git;
  if (result === 'conflict') return 'agent';
  return result === 'right' ? 'pushed' : 'refused';
}

/** Published results of merge tools, replayed through the ladder. No tool is run. */
export const mergesLadder: EvalRow = {
  name: 'merges-ladder',
  about: 'merges that the means before the agent solve, by published results of their tools',
  measure: async ({ open, select }) => {
    const merges = select(await listTestedMerges(await open(AST_MERGING)));
    const n = merges.length;
    const count = (tool: 'git' | 'mergiraf', result: ToolResult): number =>
      toPercent(merges.filter((merge) => merge[tool] === result).length, n);
    const ends = merges.map(climb);
    const share = (end: ReturnType<typeof climb>): number => toPercent(ends.filter((one) => one === end).length, n);
    const row = mergesLadder.name;
    const right = { git: count('git', 'right'), mergiraf: count('mergiraf', 'right') };
    const wrong = { git: count('git', 'wrong'), mergiraf: count('mergiraf', 'wrong') };
    return {
      lines: [
        toLine({
          row,
          data: 'right and pushed',
          ours: share('pushed'),
          n,
          peer: right,
          goal: { asGoodAs: 'mergiraf' },
        }),
        toLine({ row, data: 'wrong; ours are refused by the tests', ours: share('refused'), n, peer: wrong }),
        toLine({ row, data: 'left to the agent', ours: share('agent'), n }),
      ],
      misses: merges.flatMap((merge) =>
        climb(merge) === 'pushed' || merge.mergiraf !== 'right'
          ? []
          : [{ kind: `git: ${merge.git}`, item: merge.name, text: 'mergiraf alone is right' }],
      ),
      notes: [],
    };
  },
};
