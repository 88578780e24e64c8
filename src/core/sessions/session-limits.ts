/** Ended sessions of a pull request that a new one is compared with: is it the same failure, the same change, an answer given before? */
export const REMEMBERED_SESSIONS = 50;
