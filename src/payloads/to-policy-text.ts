import { GitHubError } from '../core/model/errors.ts';
import type { NamedNode, OrganizationNode, PolicyCommitNode } from './pull-request-schema.ts';

/**
 * Stands for a policy file that is there and cannot be read as text (binary, too long, a folder): no valid policy, so that
 * it is reported and nothing is launched, where null would mean "no file: use the defaults".
 */
export const unreadablePolicyText = '\u0000';

/** Name of the repository that holds its owner's defaults. */
const organizationRepository = '.github';

/** Text of the policy file at a commit; null when it has none. */
export function toPolicyText(commit: PolicyCommitNode): string | null {
  const file = commit.policyFile ?? null;
  if (file === null) return null;
  const { object } = file;
  const isReadable = object?.__typename === 'Blob' && object.isBinary !== true && object.isTruncated !== true;
  return isReadable ? (object.text ?? unreadablePolicyText) : unreadablePolicyText;
}

/** A repository, and the one of the same owner that holds the owner's defaults; null where there is none to read. */
export interface OwnedRepository {
  readonly repository: NamedNode;
  readonly organization: OrganizationNode | null;
}

/**
 * Text of the owner's default policy file; null when there is none, or none that is ours to read, and in the repository that
 * holds it, where it is the repository's own.
 * @throws GitHubError UNEXPECTED, to be tried later, when the repository has moved to another owner since its name was
 * stored: another owner's defaults must not hold for it.
 */
export function toOrganizationPolicyText({ repository, organization }: OwnedRepository): string | null {
  if (organization === null || isOrganizationRepository(repository)) return null;
  if (organization.owner.login !== repository.owner.login || !isOrganizationRepository(organization)) {
    throw new GitHubError('UNEXPECTED', 'policy: the repository has moved to another owner', { retry: 'later' });
  }
  const tip = organization.defaultBranchRef?.target ?? null;
  return tip === null ? null : toPolicyText(tip);
}

/** Whether it is the repository that holds its owner's defaults. */
export function isOrganizationRepository({ name }: Pick<NamedNode, 'name'>): boolean {
  return name.toLowerCase() === organizationRepository;
}
