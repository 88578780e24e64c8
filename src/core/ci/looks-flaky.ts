import type { CiResult } from './latest-results.ts';

/** One red job and the text of its failure. */
export interface FailedJob {
  readonly check: CiResult;
  /** Excerpt of its annotations and its log, without colours and timestamps; null if there is nothing to read. */
  readonly text: string | null;
  /** The line that shows that no code of the repository can mend it; null if there is none. Without secrets. */
  readonly personLine: string | null;
}

/** Conclusions that mean that no test ran to its end. */
const BY_CONCLUSION: ReadonlySet<CiResult['conclusion']> = new Set(['timed_out', 'startup_failure']);

/** The runner was lost, ran out of resources, or was shut down. */
const RUNNER =
  /lost communication with the server|received a shutdown signal|exceeded the maximum execution time|was not acquired by runner|runner has encountered an (?:internal )?error|no space left on device|\bENOSPC\b|\bOOM[- ]?killed\b|out of memory: killed process|exit code 137\b/i;

/** The network, a name server or a registry did not answer, or not in time. */
const NETWORK =
  /\b(?:ECONNRESET|ETIMEDOUT|ESOCKETTIMEDOUT|EAI_AGAIN|ENOTFOUND)\b|could not resolve host|temporary failure in name resolution|TLS handshake timeout|connection reset by peer|connection timed out|\bi\/o timeout\b|\btoomanyrequests\b/i;

const OVERLOADED =
  /\b(?:429 too many requests|502 bad gateway|503 service (?:temporarily )?unavailable|504 gateway time-?out)\b|\b(?:HTTP(?:\/\d(?:\.\d)?)?|status(?: code)?|returned error|response code|code E)[:=\s]{0,3}(?:429|502|503|504)\b/i;

/** A test or a step timed out. */
const TIMEOUT =
  /\b(?:test|hook|step|operation|request|command)s? timed out\b|\btimeout (?:of )?\d+ ?m?s exceeded|\bexceeded timeout of \d+|context deadline exceeded/i;

/** A warning or a retry was survived, so it does not explain the failure. */
const RECOVERED = /\bwarn(?:ing)?\b|\bretry(?:ing)?\b|\bretries\b|\btrying again\b/i;

/** A comparison failed, code does not compile, or a rule is broken: a re-run changes nothing. */
const REAL =
  /assert(?:ion)?(?:Failed)?Error|\bassert(?:ion)?s? (?:failed|`)|^E {2,}assert\b|^\s*(?:expected|received|actual)\s*:|\bexpected\b.*\b(?:received|got|but|to (?:be|equal|have|match|contain|throw|include))\b|\bwant\b.*\bgot\b|\bgot\b.*\bwant\b|\b(?:Type|Reference|Syntax|Range|Name|Attribute|Import|ModuleNotFound|Key|Value|Index|Indentation)Error\b|NullPointerException|runtime error:|segmentation fault|\berror TS\d+|\berror\[E\d+\]|:\d+:\d+:? (?:fatal )?error\b|^\s+\d+:\d+\s+error\s|undefined reference|cannot find symbol|✖ \d+ problems?/im;

/**
 * Whether a red job failed through infrastructure, or in a way that often disappears by itself. Conservative: a job that was not
 * read is not flaky, and one failure in the code makes the job a real failure.
 */
export function looksFlaky({ check, text }: Pick<FailedJob, 'check' | 'text'>): boolean {
  const failureText = text ?? '';
  if (REAL.test(failureText)) return false;
  return BY_CONCLUSION.has(check.conclusion) || failureText.split('\n').some(isInfrastructureLine);
}

function isInfrastructureLine(line: string): boolean {
  if (RUNNER.test(line)) return true;
  return !RECOVERED.test(line) && (NETWORK.test(line) || OVERLOADED.test(line) || TIMEOUT.test(line));
}
