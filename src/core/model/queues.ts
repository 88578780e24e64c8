/** Never rename a queue: its name is stored in the database. The key of this one is the pull request key. */
export const EVALUATE_QUEUE = 'evaluate';
/** Its key is the pull request key. */
export const QUALITY_QUEUE = 'quality';
/** Its key is the session id. */
export const FIXUP_QUEUE = 'fixup';
/** Its key is `<repositoryId>:<base branch>`. */
export const SWEEP_QUEUE = 'sweep';
