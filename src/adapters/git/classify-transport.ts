/**
 * What the output of a git command says about its transport. Pure. git prints an HTTP status as `The requested URL
 * returned error: 502`, but a 401 as a failed authentication and a 404 as a missing repository.
 */

const DENIED =
  /returned error: 40[134]\b|Authentication failed|could not read (?:Username|Password)|Repository not found|repository '[^'\n]*' not found/i;

/** The remote answered, and no later try will get another answer. */
const LASTING =
  /couldn't find remote ref|bad object|fsck|was archived so it is read-only|(?:repository|account)[^\n]* (?:is|was|has been) (?:disabled|locked|suspended|blocked)|IP allow list|SAML SSO/i;

/**
 * Whether GitHub denied access: 401, 403 or 404. This proves nothing about the App's rights. A new token is not known
 * everywhere at once, and an outage looks the same. If the App has lost a right, GitHub grants no token any more.
 */
export function isDenied(stderr: string): boolean {
  return DENIED.test(stderr);
}

/** Whether a failed command of a remote would fail again in the same way. Everything else passes: an outage, a timeout. */
export function isLasting(stderr: string): boolean {
  return LASTING.test(stderr);
}

/** Reasons in the status of a pushed ref that are GitHub's own trouble. */
const INTERNAL_REASON =
  /internal (?:server )?error|fatal error in commit_refs|unpack|unavailable|time[d ]*-?out|try again|bad gateway|temporar|missing necessary objects/i;
const HOOK_DECLINED = /pre-receive hook declined/i;
const INTERNAL_MESSAGE = /internal server error|try again (?:later|in a)|service unavailable|time[d ]*-?out/i;
/** GitHub names each rule that refuses a push by a code. */
const RULE_CODE = /\bGH\d{3}\b|repository rule violations|protected branch/i;

/**
 * Whether the server rejected a pushed ref because of trouble of its own, such as `[remote rejected] (Internal Server
 * Error)`. `summary` is the text of the ref's status line. Nothing was written then, and the same push may work later.
 */
export function isServerTrouble(summary: string, stderr: string): boolean {
  if (RULE_CODE.test(summary) || RULE_CODE.test(stderr)) return false;
  return INTERNAL_REASON.test(summary) || (HOOK_DECLINED.test(summary) && INTERNAL_MESSAGE.test(stderr));
}
