import { findProtections, toFullName } from '../find.ts';
import type { JsonObject } from '../json.ts';
import type { Protection } from '../protection.ts';
import type { Repository } from '../state.ts';

/** The ruleset rules of a branch, one object per rule. As on GitHub, without classic protection. */
export function renderBranchRules(repository: Repository, branch: string): readonly JsonObject[] {
  return findProtections(repository, branch)
    .filter(({ shape }) => shape === 'ruleset')
    .flatMap((protection) => {
      const source = {
        ruleset_source_type: 'Repository',
        ruleset_source: toFullName(repository),
        ruleset_id: repository.protections.indexOf(protection) + 1,
      };
      return toRules(protection).map((rule) => ({ ...rule, ...source }));
    });
}

function toRules(protection: Protection): readonly JsonObject[] {
  const { requiredChecks, requiresUpToDate } = protection;
  const hasChecks = requiredChecks.length > 0 || requiresUpToDate;
  return [
    ...(protection.requiresSignatures ? [{ type: 'required_signatures' }] : []),
    ...(protection.restrictsPushes ? [{ type: 'update', parameters: { update_allows_fetch_and_merge: false } }] : []),
    ...(hasChecks ? [toStatusCheckRule(protection)] : []),
    ...(needsPullRequest(protection) ? [toPullRequestRule(protection)] : []),
  ];
}

function toStatusCheckRule({ requiredChecks, requiresUpToDate }: Protection): JsonObject {
  const contexts = requiredChecks.map((context) => ({ context }));
  return {
    type: 'required_status_checks',
    parameters: { required_status_checks: contexts, strict_required_status_checks_policy: requiresUpToDate },
  };
}

function needsPullRequest({ requiredApprovals, requiresResolvedThreads }: Protection): boolean {
  return requiredApprovals > 0 || requiresResolvedThreads;
}

function toPullRequestRule(protection: Protection): JsonObject {
  const { requiredApprovals, dismissStaleReviews, requiresResolvedThreads } = protection;
  return {
    type: 'pull_request',
    parameters: {
      required_approving_review_count: requiredApprovals,
      dismiss_stale_reviews_on_push: dismissStaleReviews,
      require_code_owner_review: false,
      require_last_push_approval: false,
      required_review_thread_resolution: requiresResolvedThreads,
    },
  };
}

/** The summary of a branch's classic protection, in the branches API. */
export function renderProtection(repository: Repository, branch: string): JsonObject {
  const classic = findProtections(repository, branch).filter(({ shape }) => shape === 'protection');
  const contexts = classic.flatMap(({ requiredChecks }) => requiredChecks);
  const checks = contexts.map((context) => ({ context, app_id: null }));
  const level = contexts.length === 0 ? 'off' : 'non_admins';
  return {
    enabled: classic.length > 0,
    required_status_checks: { enforcement_level: level, contexts, checks },
  };
}
