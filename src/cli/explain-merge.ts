import { examineMerge } from '../compose/compose-merge.ts';
import { ConfigError, toError } from '../core/model/errors.ts';
import type { TestChangeFact } from '../core/model/test-change.ts';
import { type CliResult, fail, succeed, toJsonLine } from './cli-result.ts';
import { parseFlags } from './parse-flags.ts';

/** Process input of `explain merge`. */
export interface ExplainMergeInput {
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly stop: AbortSignal;
}

/**
 * Runs `ratchet explain merge --repo DIR COMMIT`: judges a merge commit as if Ratchet had made it. Exit code 2 for wrong usage, and
 * for a commit that cannot be judged; 3 if git did not work.
 */
export async function explainMerge(
  args: readonly string[],
  { variables, stop }: ExplainMergeInput,
): Promise<CliResult> {
  const asked = parse(args);
  if ('problem' in asked) return refuse(2, asked.problem);
  try {
    const { violations, tests } = await examineMerge({ ...asked, variables }, stop);
    const verdict = violations.length === 0 ? 'accepted' : 'refused';
    const shown = violations.flatMap(({ code, paths, message }) =>
      (paths.length === 0 ? [null] : paths).map((path) => ({ code, path, message })),
    );
    return succeed(toJsonLine({ verdict, violations: shown, ...toTests(tests) }));
  } catch (error) {
    if (error instanceof ConfigError) return refuse(2, error.problems.join('; '));
    return refuse(3, toError(error).message);
  }
}

/** As `explain change` tells it; left out where nothing was found. */
function toTests(found: readonly TestChangeFact[]): object {
  if (found.length === 0) return {};
  const verdict = found.some(({ is }) => is === 'rejected') ? 'rejected' : 'held';
  return { tests: { verdict, facts: found.map(({ code, path, line, message }) => ({ code, path, line, message })) } };
}

function parse(
  args: readonly string[],
): { readonly folder: string; readonly commit: string } | { readonly problem: string } {
  const parsed = parseFlags(args, { repo: { type: 'string' }, json: { type: 'boolean' } });
  if (typeof parsed === 'string') return { problem: parsed };
  const [commit, extra] = parsed.positionals;
  const { repo } = parsed.values;
  if (extra !== undefined) return { problem: `unexpected argument ${JSON.stringify(extra)}` };
  if (repo === undefined || commit === undefined) return { problem: 'say which: --repo DIR COMMIT' };
  return { folder: repo, commit };
}

function refuse(exitCode: 2 | 3, problem: string): CliResult {
  return fail(exitCode, `ratchet: explain merge: ${problem.replaceAll(/\s+/gu, ' ')}\n`);
}
