import type { RejectCode } from '../model/session.ts';
import { author, maintainer, type NextStep, operator, RETRY_STEP, type ReaderWords } from './reader-words.ts';

const RETRY = 'Then comment `/ratchet retry`.';
const POLICY = '`.github/ratchet.yml`';
const BY_AUTHOR = author(RETRY_STEP);
const BY_HAND = author('Make this change yourself if it is right.');
const CHECK_AGENT = operator(`Check the agent, its configuration and its log. ${RETRY}`);
const CHECK_MODEL = operator(`Check the key, the credit and the URL of the model. ${RETRY}`);
const WAIT_FOR_MODEL = operator(`Wait until the model answers again, or configure another one. ${RETRY}`);
const RAISE_LIMIT = operator(`Raise the limit if the commands need more. ${RETRY}`);
const CHECK_SERVICE = operator(`Run \`ratchet doctor\` on the server and read its log. ${RETRY}`);

/**
 * The texts for each reject code. The title completes "Could not fix `test` · …" and "Nothing was pushed: …"; the detail of the
 * attempt follows the first line, or is it.
 */
export const REJECT_WORDS: Readonly<Record<RejectCode, ReaderWords>> = {
  AGENT_CRASHED: words('the agent crashed', CHECK_AGENT),
  AGENT_TIMEOUT: words(
    'the agent did not finish in time',
    maintainer(`Fix it yourself, or raise \`sessionTimeoutMinutes\` in ${POLICY}. ${RETRY}`),
  ),
  AGENT_UNAVAILABLE: words('the agent could not start', CHECK_AGENT),
  AGENT_OUTPUT_FLOOD: words('the agent printed too much', CHECK_AGENT),
  ANSWER_NEEDED: words('the agent asks a question', author('Answer the question below.')),
  RESULT_INVALID: words('the agent gave no valid result', CHECK_AGENT),
  AGENT_FAILED: words('the agent gave up', BY_AUTHOR),
  AGENT_BLOCKED: words('the agent is blocked', BY_AUTHOR),
  NO_CHANGE: words('the agent changed nothing', BY_AUTHOR),
  PATH_NOT_ALLOWED: words('the change leaves the allowed paths', BY_HAND),
  PROTECTED_PATH: words('the change touches protected files', BY_HAND),
  UNSAFE_ENTRY: words('the change adds a link, a submodule or an unsafe name', BY_AUTHOR),
  DIFF_TOO_LARGE: words(
    'the change is too large',
    maintainer(`Fix it yourself, or raise the limits under \`changes\` in ${POLICY}. ${RETRY}`),
  ),
  TESTS_DELETED: words('the change deletes tests', BY_HAND),
  TESTS_WEAKENED: words('the change weakens tests', BY_HAND),
  HIDDEN_TEXT: words('the change adds invisible characters', BY_AUTHOR),
  CONFLICT_MARKERS: words('the change has conflict markers', BY_AUTHOR),
  SECRET_FOUND: words('the change seems to contain a secret', BY_AUTHOR),
  NO_VALIDATION: words(
    'no command can validate a change',
    maintainer(`Set \`validate\` in ${POLICY} on the base branch. ${RETRY}`),
    'Ratchet pushes only what the commands of the repository have validated.',
  ),
  SETUP_FAILED: words(
    'dependencies could not be installed',
    maintainer(`Correct the lockfile, or set \`setup\` in ${POLICY}. ${RETRY}`),
  ),
  VALIDATION_FAILED: words(
    'the change failed validation',
    BY_AUTHOR,
    'Ratchet made a change, but validation still failed with it. Nothing was pushed.',
  ),
  NO_TESTS_RAN: words(
    'validation ran no tests',
    maintainer(`Name a command under \`validate\` in ${POLICY} that runs the tests. ${RETRY}`),
  ),
  STILL_RED: words(
    'what CI reports still fails with the change',
    BY_AUTHOR,
    'The test or command that fails in CI was run with the change, and it failed again. Nothing was pushed.',
  ),
  VALIDATION_TIMEOUT: words(
    'validation did not finish in time',
    maintainer(`Make validation faster, or raise \`validateTimeoutMinutes\` in ${POLICY}. ${RETRY}`),
  ),
  PROCESSES_LEFT: words(
    'processes were left running',
    BY_AUTHOR,
    'Processes outlived their command, so its result proves nothing.',
  ),
  MEMORY_LIMIT: words('a command used too much memory', RAISE_LIMIT),
  PROCESS_LIMIT: words('a command started too many processes', RAISE_LIMIT),
  DISK_QUOTA: words('a command wrote too much to disk', RAISE_LIMIT),
  SANDBOX_UNAVAILABLE: words('the sandbox does not work', CHECK_SERVICE),
  WORKSPACE_FAILED: words('the working copy could not be prepared', CHECK_SERVICE),
  PUSH_REFUSED: words(
    'GitHub refused the push',
    maintainer(`Allow the App to push to this branch, or push the change yourself. ${RETRY}`),
  ),
  MERGE_NOT_RESOLVED: words('the conflict is not resolved', author('Merge the base branch yourself.')),
  WORKFLOWS_FORBIDDEN: words(
    'the merge brings workflow files',
    author('Merge the base branch yourself.'),
    'GitHub lets an App push workflow files only with the permission for workflows.',
  ),
  REVERTED_BEFORE: words(
    'the same change was reverted before',
    author('Fix it another way. Ratchet does not push a reverted change again.'),
  ),
  NOT_ANSWERED: words('the agent left a review comment unanswered', BY_AUTHOR),
  UNASKED_CHANGE: words('the agent changed what no review comment asked for', BY_AUTHOR),
  BUDGET_EXHAUSTED: words(
    'the budget was used up',
    author(`Fix it yourself, or ask the operator to raise the budget. ${RETRY}`),
  ),
  BUDGET_PERIOD_EXHAUSTED: words(
    'the budget of the day or month was used up',
    operator(`Raise the budget, or wait for the next one. ${RETRY}`),
  ),
  AGENT_HELD: words('no agent may start now', CHECK_AGENT),
  AGENTS_SWITCHED_OFF: words('agents were switched off', operator(`Switch agents on again. ${RETRY}`)),
  MODEL_AUTH: words('the key of the model was refused', CHECK_MODEL),
  MODEL_NO_CREDIT: words('the account of the model has no credit', CHECK_MODEL),
  MODEL_RATE_LIMITED: words('the model accepts no more calls for now', WAIT_FOR_MODEL),
  MODEL_UNAVAILABLE: words('the model did not answer', WAIT_FOR_MODEL),
  CONTEXT_TOO_LONG: words(
    'the task does not fit into the context of the model',
    author('Fix it yourself, or split the pull request.'),
  ),
  MODEL_REFUSED: words('the model refused a call of the agent', CHECK_AGENT),
  NO_MODEL_CALL: words('the agent never called its model', CHECK_AGENT),
  UNDO_CONFLICT: words('later commits changed the same lines', author('Revert the commit yourself.')),
  UNDO_GONE: words('nothing is left to undo', null),
};

function words(title: string, next: NextStep | null, first: string | null = null): ReaderWords {
  return { title, first, next };
}
