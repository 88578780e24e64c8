/**
 * Name of the row, among what is remembered of a head's check runs, that says whether a pull request that nobody enabled has to be
 * looked at again: without a hash, its base's policy was changed since. It is no check run of GitHub's.
 */
export const BASE_POLICY_MARK = 'Ratchet / base policy';
