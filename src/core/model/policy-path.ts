/** Where a repository keeps its policy, and the owner's `.github` repository the default of all of them. */
export const POLICY_PATH = '.github/ratchet.yml';
