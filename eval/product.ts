import { classifyFailure } from '../src/core/ci/classify-failure.ts';
import type { FailedJob } from '../src/core/ci/failed-job.ts';
import { toFailureSignature } from '../src/core/ci/failure-signature.ts';
import type { CiResult } from '../src/core/ci/latest-results.ts';
import { toFailureLines } from '../src/core/ci/to-failure-lines.ts';
import { createLogReader, type LogDigest, readLog } from '../src/core/evidence/read-log.ts';
import { toExcerpt } from '../src/core/evidence/to-log-excerpt.ts';
import { DEFAULT_POLICY } from '../src/core/model/default-policy.ts';
import type { FailureClass } from '../src/core/model/failure-class.ts';
import { parseSessionId, parseSha } from '../src/core/model/ids.ts';
import type { PromptBase } from '../src/core/prompts/compose-prompt.ts';
import { FULL_BUDGET } from '../src/core/prompts/evidence-budget.ts';
import { toCiPrompt } from '../src/core/prompts/to-ci-prompt.ts';
import { toJobEvidence } from '../src/engines/log/to-job-evidence.ts';
import { toLogLines } from '../src/engines/log/to-log-lines.ts';

/** The only file of the evaluation that calls the product's reading of logs. */

/** What the closer look reads, and how much of it is kept. */
const LOOK_LOG_BYTES = 256 * 1024;
const LOOK_KEPT_BYTES = 32 * 1024;

/** The excerpt that an agent would get of a whole log. */
export function excerptOf(log: Buffer, maxBytes: number): string {
  return toExcerpt(digestOf(log, maxBytes), { maxBytes });
}

/** The evidence that an agent may get for all jobs together, and what its prompt has beside it. */
const PROMPT: PromptBase = {
  sessionId: parseSessionId('session-1'),
  facts: { number: 1, title: 'A change', headSha: parseSha('a'.repeat(40)), headRef: 'topic', baseRef: 'main' },
  changes: DEFAULT_POLICY.changes,
  validationCommands: ['npm test'],
  attempt: 1,
  previous: [],
  previousAttempt: null,
  peopleAnswered: '',
  delimiter: 'evaluation-0123456789',
  inputs: '/ratchet/evidence',
  budget: FULL_BUDGET,
};

/** The prompt for an agent that fixes CI with one red job. No file of the repository is known. */
export function promptOf(log: Buffer): string {
  const maxBytes = FULL_BUDGET.fileBytes;
  const lines = toLogLines(log.toString('utf8'));
  const read = { digest: digestOf(log, maxBytes), lines, definitions: [], annotations: [] };
  const { excerpt, failures } = toJobEvidence({ ...read, resolve: () => null, maxBytes });
  const failing = [{ check: CHECK, text: excerpt ?? '', failures }];
  return toCiPrompt({ ...PROMPT, failing, redOnBase: [], flaky: [], findings: [], sameAsBefore: false }).text;
}

/** The class of a red job with this log. */
export function classOf(log: Buffer): FailureClass {
  return toJob(log).classified.class;
}

/** The signature of a red job with this log. */
export function signatureOf(log: Buffer): string {
  return toFailureSignature([toJob(log)], []);
}

const CHECK: CiResult = {
  source: 'check_run',
  id: 1,
  appId: 15368,
  appSlug: 'github-actions',
  name: 'test',
  event: 'pull_request',
  headSha: 'a'.repeat(40),
  status: 'completed',
  conclusion: 'failure',
  startedAt: null,
  completedAt: null,
  detailsUrl: null,
  runAttempt: 1,
};

function toJob(log: Buffer): FailedJob {
  const end = endOf(log, LOOK_LOG_BYTES);
  const lines = toFailureLines({ messages: [], log: end });
  const failures = readLog(end, LOOK_KEPT_BYTES).failures.map(({ failure }) => failure);
  return { check: CHECK, failures, lines, classified: classifyFailure({ check: CHECK, failures, lines }) };
}

function digestOf(log: Buffer, maxBytes: number): LogDigest {
  const reader = createLogReader(maxBytes);
  reader.push(log);
  return reader.end();
}

function endOf(log: Buffer, maxBytes: number): string {
  return log.subarray(Math.max(0, log.length - maxBytes)).toString('utf8');
}
