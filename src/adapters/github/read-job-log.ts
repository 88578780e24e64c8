import { setImmediate as nextTurn } from 'node:timers/promises';
import { GitHubError } from '../../core/model/errors.ts';
import type { CheckResult, RepositoryRef } from '../../core/model/pull-request.ts';
import type { RepositoryCalls } from './repository-calls.ts';

/** Slug of GitHub Actions, the only App whose logs this API has. The id of its check run is the id of the job. */
const actionsSlug = 'github-actions';

/** Dependencies of `readJobLog`. */
export interface JobLogDeps {
  readonly calls: Pick<RepositoryCalls, 'call'>;
  readonly fetch: typeof fetch;
  readonly userAgent: string;
  /** For the whole download. */
  readonly timeoutMs: number;
  /** The download fails beyond this size. */
  readonly maxDownloadBytes: number;
}

/** The check whose log to read, and how many bytes of its end to return. */
export interface JobLogRequest {
  readonly repository: RepositoryRef;
  readonly check: CheckResult;
  readonly maxBytes: number;
  /** Takes all of the log in small pieces, in order. */
  readonly take?: (piece: Uint8Array) => void;
}

/**
 * Returns the last `maxBytes` bytes of the log of a check run's job, read as a stream. Null for a check of another App
 * and for a log that does not exist (any more). GitHub redirects to a signed URL of its storage, which does not receive
 * the token.
 * @throws GitHubError INVALID if the log is larger than `maxDownloadBytes`; UNAVAILABLE if the download fails.
 * https://docs.github.com/en/rest/actions/workflow-jobs#download-job-logs-for-a-workflow-run
 */
export async function readJobLog(
  deps: JobLogDeps,
  request: JobLogRequest,
  signal: AbortSignal,
): Promise<string | null> {
  const { check, repository } = request;
  if (check.source !== 'check_run' || check.appSlug !== actionsSlug) return null;
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(deps.timeoutMs)]);
  try {
    const stream = await openLog(deps, { repository, jobId: check.id }, deadline);
    return stream === null ? null : await readTail(stream, request, deps.maxDownloadBytes);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof GitHubError && error.code === 'NOT_FOUND') return null;
    if (error instanceof GitHubError) throw error;
    throw new GitHubError('UNAVAILABLE', 'job log: the download broke off', { retry: 'now', cause: error });
  }
}

async function openLog(
  deps: JobLogDeps,
  job: { readonly repository: RepositoryRef; readonly jobId: number },
  signal: AbortSignal,
): Promise<ReadableStream | null> {
  const response = await deps.calls.call({
    repository: job.repository,
    route: 'GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs',
    parameters: { job_id: job.jobId },
    access: 'read',
    signal,
    isRaw: true,
  });
  const body = response.data instanceof ReadableStream ? response.data : null;
  if (response.status < 300) return body;
  await body?.cancel();
  const location = String(response.headers['location'] ?? '');
  if (!/^https?:\/\//.test(location))
    throw new GitHubError('UNEXPECTED', 'job log: no address to read it from', { retry: 'later' });
  return openAddress(deps, location, signal);
}

async function openAddress(deps: JobLogDeps, location: string, signal: AbortSignal): Promise<ReadableStream | null> {
  const response = await deps.fetch(location, {
    headers: { 'user-agent': deps.userAgent },
    redirect: 'error',
    credentials: 'omit',
    signal,
  });
  if (response.ok) return response.body;
  await response.body?.cancel();
  if (response.status === 404 || response.status === 410) return null;
  const retry = response.status >= 500 ? 'now' : 'later';
  throw new GitHubError('UNAVAILABLE', `job log: the storage answered ${response.status}`, { retry });
}

/** What `take` gets at once. It must not hold the event loop for long. */
const PIECE_BYTES = 32 * 1024;

/** Keeps at most `maxBytes` and one chunk in memory. */
async function readTail(
  stream: ReadableStream,
  { maxBytes, take }: Pick<JobLogRequest, 'maxBytes' | 'take'>,
  maxDownloadBytes: number,
): Promise<string> {
  const chunks: Uint8Array[] = [];
  let keptBytes = 0;
  let readBytes = 0;
  for await (const chunk of stream.values()) {
    if (!(chunk instanceof Uint8Array)) throw new TypeError('a log is made of bytes');
    readBytes += chunk.length;
    if (readBytes > maxDownloadBytes)
      throw new GitHubError('INVALID', 'job log: it is too long to read', { retry: 'never' });
    for (let from = 0; from < chunk.length; from += PIECE_BYTES) {
      take?.(chunk.subarray(from, from + PIECE_BYTES));
      await nextTurn();
    }
    chunks.push(chunk);
    keptBytes += chunk.length;
    while (keptBytes - (chunks[0]?.length ?? 0) >= maxBytes) keptBytes -= chunks.shift()?.length ?? 0;
  }
  const kept = Buffer.concat(chunks);
  return toText(kept.subarray(Math.max(0, kept.length - maxBytes)));
}

/** The cut may have split a character. Its remaining bytes are dropped. */
function toText(bytes: Buffer): string {
  let start = 0;
  while (start < Math.min(3, bytes.length) && isContinuation(bytes[start])) start += 1;
  return bytes.subarray(start).toString('utf8');
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0b1100_0000) === 0b1000_0000;
}
