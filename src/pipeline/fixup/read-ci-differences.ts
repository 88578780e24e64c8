import { parseWorkflowFile } from '../../config/workflow-file.ts';
import type { EpochMs } from '../../core/model/ids.ts';
import { toDifferences } from '../../core/proof/ci-differences.ts';
import { findCiPlace, TOOL_COMMANDS, type ToolName } from '../../core/proof/ci-place.ts';
import type { Deps } from '../deps.ts';
import type { PreparedFixup } from './fixup-session.ts';
import { type ObserveDeps, observeTree } from './observe-tree.ts';

const WORKFLOW = /^\.github\/workflows\/[^/]+\.ya?ml$/u;
const MAX_WORKFLOWS = 20;
const MAX_WORKFLOW_BYTES = 64 * 1024;

/** In what CI differs from this place, as far as the workflow files of the head say: sentences for people. Untrusted texts. */
export async function readCiDifferences(
  deps: ObserveDeps & Pick<Deps, 'git'>,
  { prepared, until }: { readonly prepared: PreparedFixup; readonly until: EpochMs },
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { goal, repository, session, tracked } = prepared;
  const paths = tracked.filter((path) => WORKFLOW.test(path)).slice(0, MAX_WORKFLOWS);
  if (goal.kind !== 'ci' || paths.length === 0) return [];
  const treeSha = session.fixup.headSha;
  const texts = await deps.git.readFiles(repository, { treeish: treeSha, paths, maxBytes: MAX_WORKFLOW_BYTES }, signal);
  const workflows = Object.values(texts)
    .map(parseWorkflowFile)
    .filter((workflow) => workflow !== null);
  const place = findCiPlace(
    workflows,
    goal.failing.map(({ name }) => name),
  );
  const names = [...new Set(place.tools.map(({ name }) => name))];
  const want = { treeSha, name: 'prove-tools', commands: names.map((name) => TOOL_COMMANDS[name]), until };
  const seen = await observeTree(deps, prepared, want, signal);
  const own = names.flatMap((name, index): readonly (readonly [ToolName, string | null])[] => {
    const run = seen[index]?.run;
    return run === undefined || run.timedOut ? [] : [[name, run.exitCode === 0 ? run.tail : null]];
  });
  return toDifferences(place, new Map(own));
}
