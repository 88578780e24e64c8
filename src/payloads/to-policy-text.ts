import { GitHubError } from '../core/model/errors.ts';
import type { NamedNode, OrganizationNode, PolicyCommitNode } from './pull-request-schema.ts';

/**
 * Stands for a policy file that exists but cannot be read as text (binary, too long, or a folder). It is not a valid
 * policy, so it is reported and nothing is launched. null would mean "no file: use the defaults".
 */
export const unreadablePolicyText = '\u0000';

/** Name of the repository with its owner's defaults. */
const organizationRepository = '.github';

/** Text of the policy file at a commit; null if there is none. */
export function toPolicyText(commit: PolicyCommitNode): string | null {
  const file = commit.policyFile ?? null;
  if (file === null) return null;
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
