import { MAX_POLICY_BYTES } from '../config/policy-file.ts';
import { ConfigError } from '../core/model/errors.ts';
import type { Sha } from '../core/model/ids.ts';
import type { Policy } from '../core/model/policy.ts';
import { NO_OPERATOR_POLICY } from '../core/policy/operator-policy.ts';
import { choosePolicy, MISPLACED_PATHS, POLICY_PATHS } from '../core/policy/policy-place.ts';
import { takePolicy } from '../pipeline/look/take-policy.ts';
import type { Git, SessionRepository } from '../ports/git.ts';

/** The policy in a tree or commit. `where`: what people call it. @throws ConfigError with each problem of its file. */
export async function readTreePolicy(
  git: Pick<Git, 'listFiles' | 'readFiles'>,
  repository: SessionRepository,
  { treeish, where }: { readonly treeish: Sha; readonly where: string },
  signal: AbortSignal,
): Promise<Policy> {
  const paths = await git.listFiles(repository, signal, treeish);
  const want = { treeish, paths: POLICY_PATHS.filter((path) => paths.includes(path)), maxBytes: MAX_POLICY_BYTES };
  const texts = await git.readFiles(repository, want, signal);
  const { path, text } = choosePolicy({
    yml: texts[POLICY_PATHS[0]] ?? null,
    yaml: texts[POLICY_PATHS[1]] ?? null,
    folder: paths.flatMap((name) => /^\.github\/([^/]+)$/u.exec(name)?.[1] ?? []),
    misplaced: MISPLACED_PATHS.filter((name) => paths.includes(name)),
  });
  const { policy, problems } = takePolicy({ policyText: text, organizationPolicyText: null }, NO_OPERATOR_POLICY);
  if (problems.length > 0) throw new ConfigError(problems.map((problem) => `${path} of ${where}, ${problem}`));
  return policy;
}
