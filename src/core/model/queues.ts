/** Names of the queues (part of the database's content: never rename). The key is that of the pull request. */
export const EVALUATE_QUEUE = 'evaluate';
/** Its key is that of the pull request, too. */
export const QUALITY_QUEUE = 'quality';
/** Its key is the session's id. */
export const FIXUP_QUEUE = 'fixup';
/** Its key is `<repositoryId>:<base branch>`. */
export const SWEEP_QUEUE = 'sweep';
