/**
 * The GraphQL documents behind `readPullRequest`. The first one is enough for a usual pull request. Its page sizes keep
 * its cost at 1 point (one for each hundred connections, rounded). The others read further pages. A test validates each
 * document against GitHub's published schema.
 * https://docs.github.com/en/graphql/reference/objects#pullrequest
 */

import { MISPLACED_PATHS } from '../../core/policy/policy-place.ts';

export const actorFields = `
fragment ActorFields on Actor {
  __typename
  login
  ... on User { databaseId }
  ... on Bot { databaseId }
  ... on Mannequin { databaseId }
  ... on Organization { databaseId }
}`;

const contextFields = `
fragment ContextFields on StatusCheckRollupContextConnection {
  totalCount
  pageInfo { hasNextPage endCursor }
  nodes {
    __typename
    ... on CheckRun {
      id
      databaseId
      name
      status
      conclusion
      startedAt
      completedAt
      detailsUrl
      checkSuite { id app { databaseId slug } workflowRun { url event runNumber workflow { id databaseId } } }
    }
    ... on StatusContext { id context state targetUrl createdAt }
  }
}`;

const suiteFields = `
fragment SuiteFields on CheckSuiteConnection {
  totalCount
  pageInfo { hasNextPage endCursor }
  nodes {
    id
    databaseId
    status
    conclusion
    createdAt
    updatedAt
    app { databaseId slug }
    workflowRun { url event runNumber workflow { id databaseId name } }
    checkRuns(first: 1) { totalCount }
  }
}`;

const policyFileFields = `
fragment PolicyFileFields on Commit {
  policyFile: file(path: ".github/ratchet.yml") { object { __typename ... on Blob { text isBinary isTruncated } } }
  policyFileYaml: file(path: ".github/ratchet.yaml") { object { __typename ... on Blob { text isBinary isTruncated } } }
  policyFolder: file(path: ".github") { object { ... on Tree { entries { name } } } }
${MISPLACED_PATHS.map((path, index) => `  misplaced${String(index)}: file(path: "${path}") { path }`).join('\n')}
}`;

const headCommitFields = `
fragment HeadCommitFields on Commit {
  oid
  parents(first: 3) { nodes { oid } }
  ...PolicyFileFields
  file(path: ".github/workflows") { object { ... on Tree { entries { name } } } }
  statusCheckRollup { contexts(first: 100) { ...ContextFields } }
  checkSuites(first: 40) { ...SuiteFields }
}`;

/**
 * `refUpdateRule` is the effect of classic branch protection on the token's owner; `rules` come from rulesets. Only
 * administrators can read all of `branchProtectionRule`.
 */
const ruleFields = `
fragment RuleFields on Ref {
  refUpdateRule {
    viewerCanPush
    requiresSignatures
    requiresLinearHistory
    requiresConversationResolution
    requiredApprovingReviewCount
    requiredStatusCheckContexts
  }
  rules(first: 100) {
    totalCount
    nodes {
      type
      parameters {
        __typename
        ... on PullRequestParameters {
          requiredApprovingReviewCount
          dismissStaleReviewsOnPush
          requireLastPushApproval
          requiredReviewThreadResolution
        }
        ... on CommitAuthorEmailPatternParameters { operator pattern negate }
        ... on CommitterEmailPatternParameters { operator pattern negate }
        ... on CommitMessagePatternParameters { operator pattern negate }
        ... on RequiredStatusChecksParameters { strictRequiredStatusChecksPolicy requiredStatusChecks { context } }
      }
    }
  }
}`;

/** The repository with the owner's defaults. If it is missing or not readable, only this field has an error. */
const organizationField = `
  organization: repository(owner: $owner, name: ".github") {
    name
    owner { login }
    defaultBranchRef { target { ...PolicyFileFields } }
  }`;

export const threadFields = `
fragment ThreadFields on PullRequestReviewThreadConnection {
  totalCount
  pageInfo { hasNextPage endCursor }
  nodes {
    id
    path
    line
    isResolved
    isOutdated
    opening: comments(first: 1) { nodes { ...CommentFields pullRequestReview { fullDatabaseId } } }
    comments(last: 50) { totalCount nodes { ...CommentFields } }
  }
}
fragment CommentFields on PullRequestReviewComment {
  fullDatabaseId
  body
  createdAt
  lastEditedAt
  isMinimized
  author { ...ActorFields }
}`;

const reviewFields = `
fragment ReviewFields on PullRequestReviewConnection {
  pageInfo { hasPreviousPage startCursor }
  nodes { fullDatabaseId state body submittedAt commit { oid } author { ...ActorFields } }
}`;

/**
 * Everything about a pull request, with the first page of each list. Reads only reviews with a verdict: each reply in a
 * thread is a review too, and a hundred replies would push a change request out of the list.
 */
const pullRequestFields = `
fragment PullRequestFields on PullRequest {
  number
  title
  state
  isDraft
  isCrossRepository
  isInMergeQueue
  mergeable
  mergeStateStatus
  headRefOid
  headRefName
  baseRefOid
  baseRefName
  autoMergeRequest { enabledAt }
  timelineItems(
    last: 1
    itemTypes: [ADDED_TO_MERGE_QUEUE_EVENT, REMOVED_FROM_MERGE_QUEUE_EVENT, PULL_REQUEST_COMMIT, HEAD_REF_FORCE_PUSHED_EVENT]
  ) { nodes { __typename ... on RemovedFromMergeQueueEvent { reason } } }
  author { ...ActorFields }
  labels(first: 100) { nodes { name } }
  commits(last: 1) { nodes { commit { ...HeadCommitFields } } }
  headRef {
    ...RuleFields
    associatedPullRequests(first: 10, states: [OPEN]) { nodes { number isCrossRepository } }
  }
  baseRef {
    ...RuleFields
    target {
      oid
      ... on Commit { statusCheckRollup { contexts(first: 1) { totalCount } } ...PolicyFileFields }
    }
  }
  reviewThreads(first: 40) { ...ThreadFields }
  reviewDecision
  reviews(last: 100, states: [APPROVED, CHANGES_REQUESTED, DISMISSED]) { ...ReviewFields }
}
${reviewFields}${actorFields}${contextFields}${suiteFields}${policyFileFields}${headCommitFields}${ruleFields}${threadFields}`;

/** One pull request. */
export const pullRequestQuery = `
query PullRequest($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    name
    owner { login }
    pullRequest(number: $number) { ...PullRequestFields }
  }
${organizationField}
}
${pullRequestFields}`;

/** Several pull requests: the first is `p0` with its number in `$n0`, and so on. */
export function toPullRequestsQuery(count: number): string {
  const indexes = Array.from({ length: count }, (_, index) => index);
  return `
query PullRequests($owner: String!, $name: String!, ${indexes.map((index) => `$n${index}: Int!`).join(', ')}) {
  repository(owner: $owner, name: $name) {
    name
    owner { login }
    ${indexes.map((index) => `p${index}: pullRequest(number: $n${index}) { ...PullRequestFields }`).join('\n    ')}
  }
${organizationField}
}
${pullRequestFields}`;
}

/** A head commit by its SHA, for a pull request whose list of commits does not end with its head. */
export const headCommitQuery = `
query HeadCommit($owner: String!, $name: String!, $oid: GitObjectID!) {
  repository(owner: $owner, name: $name) { object(oid: $oid) { ...HeadCommitFields } }
}
${contextFields}${suiteFields}${policyFileFields}${headCommitFields}`;

/** Contents of files: the first is `b0`, with `<commit>:<path>` in `$e0`, and so on. */
export function toBlobsQuery(count: number): string {
  const indexes = Array.from({ length: count }, (_, index) => index);
  return `
query Blobs($owner: String!, $name: String!, ${indexes.map((index) => `$e${index}: String!`).join(', ')}) {
  repository(owner: $owner, name: $name) {
    ${indexes.map((index) => `b${index}: object(expression: $e${index}) { ... on Blob { oid text isTruncated } }`).join('\n    ')}
  }
}`;
}

/** A further page of check suites at a commit. */
export const suitesQuery = `
query Suites($owner: String!, $name: String!, $oid: GitObjectID!, $after: String!) {
  repository(owner: $owner, name: $name) {
    object(oid: $oid) { ... on Commit { checkSuites(first: 40, after: $after) { ...SuiteFields } } }
  }
}
${suiteFields}`;

/** A further page of CI results at a commit. */
export const contextsQuery = `
query Contexts($owner: String!, $name: String!, $oid: GitObjectID!, $after: String!) {
  repository(owner: $owner, name: $name) {
    object(oid: $oid) {
      ... on Commit { statusCheckRollup { contexts(first: 100, after: $after) { ...ContextFields } } }
    }
  }
}
${contextFields}`;

/** A further page of review threads. */
export const threadsQuery = `
query Threads($owner: String!, $name: String!, $number: Int!, $after: String!) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) { reviewThreads(first: 40, after: $after) { ...ThreadFields } }
  }
}
${actorFields}${threadFields}`;

/** The page of reviews before another one. */
export const reviewsQuery = `
query Reviews($owner: String!, $name: String!, $number: Int!, $before: String!) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      reviews(last: 100, before: $before, states: [APPROVED, CHANGES_REQUESTED, DISMISSED]) { ...ReviewFields }
    }
  }
}
${actorFields}${reviewFields}`;

/** Whether the token may push to a branch with classic protection. */
export const pushRightQuery = `
query PushRight($owner: String!, $name: String!, $ref: String!) {
  repository(owner: $owner, name: $name) { ref(qualifiedName: $ref) { refUpdateRule { viewerCanPush } } }
}`;

/** Only the policy files that apply to a pull request. */
export const configFilesQuery = `
query ConfigFiles($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    name
    owner { login }
    pullRequest(number: $number) {
      headRefOid
      commits(last: 1) { nodes { commit { oid ...PolicyFileFields } } }
      baseRef { target { ...PolicyFileFields } }
    }
  }
${organizationField}
}
${policyFileFields}`;

/** The policy file at one commit. */
export const commitConfigQuery = `
query CommitConfig($owner: String!, $name: String!, $oid: GitObjectID!) {
  repository(owner: $owner, name: $name) { object(oid: $oid) { ... on Commit { oid ...PolicyFileFields } } }
}
${policyFileFields}`;

/** Only the repository with the owner's defaults. */
export const organizationQuery = `
query Organization($owner: String!) {
${organizationField}
}
${policyFileFields}`;

/** Annotations of check runs, by their node ids. */
export const annotationsQuery = `
query Annotations($ids: [ID!]!, $first: Int!) {
  nodes(ids: $ids) {
    ... on CheckRun {
      id
      annotations(first: $first) {
        nodes { path location { start { line } end { line } } annotationLevel message }
      }
    }
  }
}`;
