/**
 * The GraphQL documents behind `readPullRequest`. The first one answers everything for a usual pull request (1 point); the
 * others fetch what is longer than a page. A test validates each against GitHub's published schema.
 * https://docs.github.com/en/graphql/reference/objects#pullrequest
 */

const actorFields = `
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
      databaseId
      name
      status
      conclusion
      startedAt
      completedAt
      detailsUrl
      checkSuite { app { databaseId slug } workflowRun { event workflow { databaseId } } }
    }
    ... on StatusContext { id context state targetUrl createdAt }
  }
}`;

const suiteFields = `
fragment SuiteFields on CheckSuiteConnection {
  pageInfo { hasNextPage endCursor }
  nodes {
    databaseId
    status
    conclusion
    createdAt
    updatedAt
    app { databaseId slug }
    workflowRun { event workflow { databaseId name } }
    checkRuns(first: 1) { totalCount }
  }
}`;

const headCommitFields = `
fragment HeadCommitFields on Commit {
  oid
  file(path: ".github/workflows") { object { ... on Tree { entries { name } } } }
  statusCheckRollup { contexts(first: 100) { ...ContextFields } }
  checkSuites(first: 100) { ...SuiteFields }
}`;

const threadFields = `
fragment ThreadFields on PullRequestReviewThreadConnection {
  totalCount
  pageInfo { hasNextPage endCursor }
  nodes {
    id
    path
    line
    isResolved
    isOutdated
    comments(first: 50) { nodes { fullDatabaseId body createdAt author { ...ActorFields } } }
  }
}`;

/**
 * Everything in one question; lists up to their first page. Of the reviews only those with a verdict: every reply in a thread
 * is a review too, and a hundred of them would push a request for changes out of the list.
 */
export const pullRequestQuery = `
query PullRequest($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
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
      author { ...ActorFields }
      labels(first: 100) { nodes { name } }
      commits(last: 1) { nodes { commit { ...HeadCommitFields } } }
      baseRef {
        target {
          oid
          ... on Commit {
            statusCheckRollup { contexts(first: 1) { totalCount } }
            file(path: ".github/ratchet.yml") { object { __typename ... on Blob { text isBinary isTruncated } } }
          }
        }
      }
      reviewThreads(first: 50) { ...ThreadFields }
      reviews(last: 100, states: [APPROVED, CHANGES_REQUESTED, DISMISSED]) {
        nodes { fullDatabaseId state body submittedAt commit { oid } author { ...ActorFields } }
      }
    }
  }
}
${actorFields}${contextFields}${suiteFields}${headCommitFields}${threadFields}`;

/** The head commit by its name: for a pull request whose list of commits does not end with its head. */
export const headCommitQuery = `
query HeadCommit($owner: String!, $name: String!, $oid: GitObjectID!) {
  repository(owner: $owner, name: $name) { object(oid: $oid) { ...HeadCommitFields } }
}
${contextFields}${suiteFields}${headCommitFields}`;

/** One more page of check suites at a commit. */
export const suitesQuery = `
query Suites($owner: String!, $name: String!, $oid: GitObjectID!, $after: String!) {
  repository(owner: $owner, name: $name) {
    object(oid: $oid) { ... on Commit { checkSuites(first: 100, after: $after) { ...SuiteFields } } }
  }
}
${suiteFields}`;

/** One more page of results at a commit. */
export const contextsQuery = `
query Contexts($owner: String!, $name: String!, $oid: GitObjectID!, $after: String!) {
  repository(owner: $owner, name: $name) {
    object(oid: $oid) {
      ... on Commit { statusCheckRollup { contexts(first: 100, after: $after) { ...ContextFields } } }
    }
  }
}
${contextFields}`;

/** One more page of review threads. */
export const threadsQuery = `
query Threads($owner: String!, $name: String!, $number: Int!, $after: String!) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) { reviewThreads(first: 50, after: $after) { ...ThreadFields } }
  }
}
${actorFields}${threadFields}`;
