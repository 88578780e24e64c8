/** Author and committer of Ratchet's commits. */
export interface CommitIdentity {
  readonly name: string;
  readonly email: string;
}
