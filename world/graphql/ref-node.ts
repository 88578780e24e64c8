import { permissionOf } from '../auth/permissions.ts';
import { findProtections } from '../find.ts';
import { branchTip, readCommit } from '../git/repository.ts';
import type { Protection } from '../protection.ts';
import type { Repository } from '../state.ts';
import { type GraphContext, hasAccess } from './access.ts';
import { commitNode } from './commit-node.ts';
import { connection, type FieldArguments, type GraphNode } from './node.ts';

/** A branch; null if there is none. `branchProtectionRule` is always null, because only administrators see it. */
export async function branchNode(
  context: GraphContext,
  repository: Repository,
  branch: string,
): Promise<GraphNode | null> {
  const sha = await branchTip(repository.git, branch);
  if (sha === null) return null;
  const rules = findProtections(repository, branch);
  const nodes = rules.filter((rule) => rule.shape === 'ruleset').flatMap(toRuleNodes);
  return {
    __typename: 'Ref',
    id: `REF_${repository.id}_${branch}`,
    name: branch,
    prefix: 'refs/heads/',
    repository: () => context.repositoryNode(repository),
    branchProtectionRule: null,
    refUpdateRule: updateRuleNode(
      context,
      repository,
      rules.find((rule) => rule.shape === 'protection'),
    ),
    rules: (args: FieldArguments) => connection('RepositoryRuleConnection', nodes, args, (node) => node),
    associatedPullRequests: (args: FieldArguments) => pullsFrom(context, repository, branch, args),
    target: async () => commitNode(context, repository, await readCommit(repository.git, sha)),
  };
}

/** Pull requests with this branch as their head, of every repository that the branch is proposed to. */
function pullsFrom(context: GraphContext, repository: Repository, branch: string, args: FieldArguments): GraphNode {
  const states: readonly unknown[] = Array.isArray(args['states']) ? args['states'] : [];
  const rows = [...context.world.state.pulls.values()]
    .filter((pull) => pull.headRepositoryId === repository.id && pull.headBranch === branch)
    .filter(
      (pull) => states.length === 0 || states.includes(pull.merge === null ? pull.state.toUpperCase() : 'MERGED'),
    );
  return connection('PullRequestConnection', rows, args, (pull) => context.pullNode(pull));
}

/** A classic branch protection rule, as every reader of the repository sees it. */
function updateRuleNode(context: GraphContext, repository: Repository, rule: Protection | undefined): GraphNode | null {
  if (rule === undefined) return null;
  return {
    __typename: 'RefUpdateRule',
    pattern: rule.pattern,
    allowsDeletions: false,
    allowsForcePushes: false,
    blocksCreations: rule.restrictsPushes,
    requiredApprovingReviewCount: rule.requiredApprovals === 0 ? null : rule.requiredApprovals,
    requiredStatusCheckContexts: rule.requiredChecks,
    requiresCodeOwnerReviews: false,
    requiresConversationResolution: rule.requiresResolvedThreads,
    requiresLinearHistory: false,
    requiresSignatures: rule.requiresSignatures,
    viewerAllowedToDismissReviews: hasAccess(context, repository, 'pull_requests', 'write'),
    viewerCanPush:
      isAdmin(context, repository) || (!rule.restrictsPushes && hasAccess(context, repository, 'contents', 'write')),
  };
}

function isAdmin({ caller }: GraphContext, repository: Repository): boolean {
  return caller.kind === 'user' && permissionOf(repository, caller.login) === 'admin';
}

const PATTERN_TYPES = {
  author_email: ['COMMIT_AUTHOR_EMAIL_PATTERN', 'CommitAuthorEmailPatternParameters'],
  committer_email: ['COMMITTER_EMAIL_PATTERN', 'CommitterEmailPatternParameters'],
  message: ['COMMIT_MESSAGE_PATTERN', 'CommitMessagePatternParameters'],
} as const;

/** The rules of a ruleset, one node each. */
function toRuleNodes(rule: Protection): readonly GraphNode[] {
  const node = (type: string, parameters: GraphNode | null): GraphNode => ({
    __typename: 'RepositoryRule',
    id: `RR_${rule.pattern}_${type}`,
    type,
    parameters,
  });
  const hasReviews = rule.requiredApprovals > 0 || rule.dismissStaleReviews || rule.requiresResolvedThreads;
  const hasChecks = rule.requiredChecks.length > 0 || rule.requiresUpToDate;
  const update = { __typename: 'UpdateParameters', updateAllowsFetchAndMerge: false };
  return [
    ...(rule.requiresSignatures ? [node('REQUIRED_SIGNATURES', null)] : []),
    ...(rule.restrictsPushes ? [node('UPDATE', update)] : []),
    ...(hasReviews ? [node('PULL_REQUEST', pullRequestParameters(rule))] : []),
    ...(hasChecks ? [node('REQUIRED_STATUS_CHECKS', statusCheckParameters(rule))] : []),
    ...rule.commitPatterns.map(({ of, ...parameters }) => {
      const [type, typename] = PATTERN_TYPES[of];
      return node(type, { __typename: typename, name: null, ...parameters });
    }),
  ];
}

function pullRequestParameters(rule: Protection): GraphNode {
  return {
    __typename: 'PullRequestParameters',
    allowedMergeMethods: ['merge', 'squash', 'rebase'],
    dismissStaleReviewsOnPush: rule.dismissStaleReviews,
    requireCodeOwnerReview: false,
    requireLastPushApproval: false,
    requiredApprovingReviewCount: rule.requiredApprovals,
    requiredReviewThreadResolution: rule.requiresResolvedThreads,
  };
}

function statusCheckParameters(rule: Protection): GraphNode {
  return {
    __typename: 'RequiredStatusChecksParameters',
    doNotEnforceOnCreate: false,
    strictRequiredStatusChecksPolicy: rule.requiresUpToDate,
    requiredStatusChecks: rule.requiredChecks.map((context) => ({
      __typename: 'StatusCheckConfiguration',
      context,
      integrationId: null,
    })),
  };
}
