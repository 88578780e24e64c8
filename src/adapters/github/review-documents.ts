import { actorFields, threadFields } from './pull-request-query.ts';

/**
 * The GraphQL documents behind `postReview` and `resolveThread`. A test validates each against GitHub's published schema.
 * https://docs.github.com/en/graphql/reference/mutations#addpullrequestreview
 */

/** Reviews that could be the App's own. GitHub shows pending reviews only to their author. */
export const ownReviewsQuery = `
query OwnReviews($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      id
      reviews(last: 100, states: [PENDING, COMMENTED]) { nodes { id state body viewerDidAuthor } }
    }
  }
}`;

/** The newest comments of a thread, including those of the App's own pending review. */
export const threadQuery = `
query Thread($threadId: ID!) {
  node(id: $threadId) {
    ... on PullRequestReviewThread { comments(last: 50) { nodes { pullRequestReview { id } } } }
  }
}`;

/** Without an event, the review stays pending. */
export const startReviewMutation = `
mutation StartReview($input: AddPullRequestReviewInput!) {
  addPullRequestReview(input: $input) { pullRequestReview { id } }
}`;

export const addReplyMutation = `
mutation AddReply($input: AddPullRequestReviewThreadReplyInput!) {
  addPullRequestReviewThreadReply(input: $input) { comment { id } }
}`;

/** Used only with the event COMMENT: Ratchet never approves. Returns the threads after the submission. */
export const submitReviewMutation = `
mutation SubmitReview($input: SubmitPullRequestReviewInput!) {
  submitPullRequestReview(input: $input) {
    pullRequestReview { id pullRequest { reviewThreads(first: 40) { ...ThreadFields } } }
  }
}
${actorFields}${threadFields}`;

export const deleteReviewMutation = `
mutation DeleteReview($input: DeletePullRequestReviewInput!) {
  deletePullRequestReview(input: $input) { pullRequestReview { id } }
}`;

export const resolveThreadMutation = `
mutation ResolveThread($input: ResolveReviewThreadInput!) {
  resolveReviewThread(input: $input) { thread { id } }
}`;
