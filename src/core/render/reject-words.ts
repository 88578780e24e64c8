import type { RejectCode } from '../model/session.ts';

/** The meaning of each reject code. Completes the sentence "Nothing was pushed: …". */
export const REJECT_WORDS: Readonly<Record<RejectCode, string>> = {
  AGENT_CRASHED: 'the agent crashed.',
  AGENT_TIMEOUT: 'the agent did not end in time.',
  AGENT_UNAVAILABLE: 'the agent could not be started; the operator has to look at it.',
  AGENT_OUTPUT_FLOOD: 'the agent printed more than is allowed and was ended.',
  RESULT_INVALID: 'the agent did not give a valid result.',
  AGENT_FAILED: 'the agent said that it could not fix it.',
  AGENT_BLOCKED: 'the agent said that something keeps it from fixing it.',
  NO_CHANGE: 'the agent changed nothing.',
  PATH_NOT_ALLOWED: 'the change leaves the paths that the policy allows.',
  PROTECTED_PATH: 'the change touches protected paths.',
  UNSAFE_ENTRY: 'the change holds a link, a submodule or an unsafe name.',
  DIFF_TOO_LARGE: 'the change is larger than the policy allows.',
  TESTS_DELETED: 'the change deletes tests.',
  CONFLICT_MARKERS: 'the change holds conflict markers.',
  SECRET_FOUND: 'the change holds what looks like a secret.',
  NO_VALIDATION: 'there is no command that could prove the change; set `validate` in `.github/ratchet.yml`.',
  SETUP_FAILED: 'the dependencies could not be prepared.',
  VALIDATION_FAILED: 'the change did not pass its validation.',
  VALIDATION_TIMEOUT: 'the validation did not end in time.',
  PROCESSES_LEFT: 'processes were left running, so the result is not to be trusted.',
  SANDBOX_UNAVAILABLE: 'the sandbox cannot run here; the operator has to look at it.',
  WORKSPACE_FAILED: 'the workspace could not be prepared.',
  PUSH_REFUSED: 'GitHub refused the push.',
  MERGE_NOT_RESOLVED: 'the merge is not resolved, or changes what did not conflict.',
  WORKFLOWS_FORBIDDEN:
    'the merge brings workflow files, which the App may not push without the permission for workflows; merge by hand.',
  REVERTED_BEFORE: 'this very change was pushed before, and a person took it back.',
  NOT_ANSWERED: 'the agent left a review comment without an answer.',
  UNASKED_CHANGE: 'the agent changed something that no review comment asked for.',
};
