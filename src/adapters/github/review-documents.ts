import { actorFields, threadFields } from './pull-request-query.ts';

/**
 * The GraphQL documents behind `postReview` and `resolveThread`. A test validates each against GitHub's published schema.
 * https://docs.github.com/en/graphql/reference/mutations#addpullrequestreview
 */

/** Reviews of a pull request that could be ours: of pending ones GitHub shows only those of who asks. */
export const ownReviewsQuery = `
query OwnReviews($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      id
      reviews(last: 100, states: [PENDING, COMMENTED]) { nodes { id state body viewerDidAuthor } }
    }
  }
}`;

/** The newest comments of a thread, with those of our own pending review. */
export const threadQuery = `
query Thread($threadId: ID!) {
  node(id: $threadId) {
    ... on PullRequestReviewThread { comments(last: 50) { nodes { pullRequestReview { id } } } }
  }
}`;

/** Without an event it stays pending. */
export const startReviewMutation = `
mutation StartReview($input: AddPullRequestReviewInput!) {
  addPullRequestReview(input: $input) { pullRequestReview { id } }
}`;

export const addReplyMutation = `
mutation AddReply($input: AddPullRequestReviewThreadReplyInput!) {
  addPullRequestReviewThreadReply(input: $input) { comment { id } }
}`;

/** Only ever with the event COMMENT: approvals are not for us to give. Answers with the threads as they are then. */
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
