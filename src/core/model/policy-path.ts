/** The policy file of a repository. In the owner's `.github` repository it is the default for all repositories. */
export const POLICY_PATH = '.github/ratchet.yml';
