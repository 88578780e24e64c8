import { GitHubError } from '../core/model/errors.ts';
import { POLICY_PATH } from '../core/model/policy-path.ts';
import type { PullRequestFacts } from '../core/model/pull-request.ts';
import { type ChosenPolicy, choosePolicy } from '../core/policy/policy-place.ts';
import type { NamedNode, OrganizationNode, PolicyCommitNode } from './pull-request-schema.ts';

/**
 * Stands for a policy file that exists but cannot be read as text (binary, too long, or a folder). It is not a valid
 * policy, so it is reported and nothing is launched. null would mean "no file: use the defaults".
 */
export const unreadablePolicyText = '\u0000';

/** Name of the repository with its owner's defaults. */
const organizationRepository = '.github';

/** The policy file at a commit. */
function toPolicy(commit: PolicyCommitNode): ChosenPolicy {
  const { policyFolder, misplaced0, misplaced1, misplaced2, misplaced3 } = commit;
  return choosePolicy({
    yml: toText(commit.policyFile ?? null),
    yaml: toText(commit.policyFileYaml ?? null),
    folder: (policyFolder?.object?.entries ?? []).map(({ name }) => name),
    misplaced: [misplaced0, misplaced1, misplaced2, misplaced3].flatMap((file) => file?.path ?? []),
  });
}

/** The policy file at a head, as a part of the facts. */
export function toHeadPolicy(commit: PolicyCommitNode): Pick<PullRequestFacts, 'headPolicyText' | 'headPolicyPath'> {
  const { text, path } = toPolicy(commit);
  return { headPolicyText: text, ...(path === POLICY_PATH ? {} : { headPolicyPath: path }) };
}

/** Text of the policy file at a commit; null if there is none. */
export function toPolicyText(commit: PolicyCommitNode): string | null {
  return toPolicy(commit).text;
}

function toText(file: PolicyCommitNode['policyFile'] | null): string | null {
  if (file === null || file === undefined) return null;
  const { object } = file;
  const isReadable = object?.__typename === 'Blob' && object.isBinary !== true && object.isTruncated !== true;
  return isReadable ? (object.text ?? unreadablePolicyText) : unreadablePolicyText;
}

/** A repository, and its owner's repository with defaults; null if there is none or it cannot be read. */
export interface OwnedRepository {
  readonly repository: NamedNode;
  readonly organization: OrganizationNode | null;
}

/**
 * Text of the owner's default policy file; null if there is none, or none that we can read. Also null for the
 * repository that holds it: there it is the repository's own file.
 * @throws GitHubError UNEXPECTED, to be retried later, if the repository has moved to another owner since its name was
 * stored: another owner's defaults must not apply.
 */
export function toOrganizationPolicyText({ repository, organization }: OwnedRepository): string | null {
  if (organization === null || isOrganizationRepository(repository)) return null;
  if (organization.owner.login !== repository.owner.login || !isOrganizationRepository(organization)) {
    throw new GitHubError('UNEXPECTED', 'policy: the repository has moved to another owner', { retry: 'later' });
  }
  const tip = organization.defaultBranchRef?.target ?? null;
  return tip === null ? null : toPolicyText(tip);
}

/** Whether this is the repository with its owner's defaults. */
export function isOrganizationRepository({ name }: Pick<NamedNode, 'name'>): boolean {
  return name.toLowerCase() === organizationRepository;
}
