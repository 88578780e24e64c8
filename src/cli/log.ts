import { type DerivedAgain, deriveAgain, isOtherLine } from '../core/decide/derive-again.ts';
import { toCountText } from '../core/text/words.ts';
import { type TransitionJson, TransitionsResponse } from '../schemas/admin-api.ts';
import { InvalidInputError } from '../schemas/invalid-input.ts';
import { parseSnapshot } from '../schemas/snapshot.ts';
import { AdminFailure, type AdminInput, type Call, createCall, readPullRequest } from './call-admin.ts';
import { type CliResult, fail, toJsonLine } from './cli-result.ts';
import { parseFlags } from './parse-flags.ts';

const DEFAULT_LIMIT = 50;
/** Lines of one call, each with its snapshot. The API takes 500 at most. */
const PAGE = 200;
/** More than a pull request gathers before old lines are deleted. */
const MAX_LINES = 20_000;

/**
 * `ratchet log OWNER/REPO#N`: the transition log of a pull request, newest first, from a running server. `--verify` decides each
 * decision again from its snapshot, and compares (002.R22). Exit code 1: one differs or could not be decided again, or there was
 * nothing to verify.
 */
export async function runLog(args: readonly string[], input: AdminInput): Promise<CliResult> {
  try {
    const request = parseLogArgs(args);
    const { lines, isWhole } = await readLines(request, createCall(input));
    return request.verify ? presentVerified(lines.map(verify), { ...request, isWhole }) : present(lines, request);
  } catch (error) {
    if (!(error instanceof AdminFailure)) throw error;
    return fail(error.exitCode, `ratchet: ${error.message}\n`);
  }
}

interface LogRequest {
  readonly repository: string;
  readonly number: number;
  /** How many lines; null: all. */
  readonly limit: number | null;
  readonly verify: boolean;
  readonly json: boolean;
}

const OPTIONS = {
  limit: { type: 'string' },
  verify: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
} as const;

function parseLogArgs(args: readonly string[]): LogRequest {
  const parsed = parseFlags(args, OPTIONS);
  if (typeof parsed === 'string') throw new AdminFailure(2, `log: ${parsed}`);
  const { limit, verify: isVerified, json } = parsed.values;
  const [name, extra] = parsed.positionals;
  const pullRequest = readPullRequest('log', name);
  if (extra !== undefined) throw new AdminFailure(2, `log: unexpected argument ${JSON.stringify(extra)}`);
  return { ...pullRequest, limit: parseLimit(limit, isVerified ? null : DEFAULT_LIMIT), verify: isVerified, json };
}

function parseLimit(text: string | undefined, byDefault: number | null): number | null {
  if (text === undefined) return byDefault;
  const limit = Number(text);
  if (/^\d+$/u.test(text) && limit >= 1 && limit <= MAX_LINES) return limit;
  throw new AdminFailure(2, `log: --limit is a whole number from 1 to ${MAX_LINES}, not ${JSON.stringify(text)}`);
}

interface Lines {
  readonly lines: readonly TransitionJson[];
  /** Whether older lines were left out although all were asked for. */
  readonly isWhole: boolean;
}

/** Reads page by page, so that no response is too long. */
async function readLines({ repository, number, limit }: LogRequest, call: Call): Promise<Lines> {
  const lines: TransitionJson[] = [];
  const most = limit ?? MAX_LINES;
  for (;;) {
    const size = Math.min(PAGE, most - lines.length);
    const before = lines.at(-1)?.id;
    const query = new URLSearchParams({
      ...{ repository, number: String(number), limit: String(size) },
      ...(before === undefined ? {} : { before: String(before) }),
    });
    const { transitions } = await call(TransitionsResponse, { method: 'GET', path: `transitions?${query.toString()}` });
    lines.push(...transitions);
    if (transitions.length < size) return { lines, isWhole: true };
    if (lines.length >= most) return { lines, isWhole: limit !== null };
  }
}

/** `none`: the line is no decision. */
type Verified = { readonly state: 'none' } | DerivedAgain | { readonly state: 'unverified'; readonly why: string };

interface VerifiedLine {
  readonly line: TransitionJson;
  readonly verified: Verified;
}

function verify(line: TransitionJson): VerifiedLine {
  return { line, verified: toVerified(line) };
}

function toVerified(line: TransitionJson): Verified {
  if (isOtherLine(line)) return { state: 'none' };
  if (line.snapshot === null) return { state: 'unverified', why: 'its snapshot was not stored' };
  try {
    return deriveAgain(line, parseSnapshot(line.snapshot));
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error;
    return { state: 'unverified', why: `its snapshot cannot be read: ${error.message}` };
  }
}

function present(lines: readonly TransitionJson[], { json }: LogRequest): CliResult {
  if (json) return { exitCode: 0, stdout: toJsonLine({ transitions: lines }), stderr: '' };
  const stderr = lines.length === 0 ? 'ratchet: the log has no line about this pull request\n' : '';
  return { exitCode: 0, stdout: lines.map((line) => toLine(toText(line))).join(''), stderr };
}

function presentVerified(
  lines: readonly VerifiedLine[],
  { json, isWhole }: { readonly json: boolean; readonly isWhole: boolean },
): CliResult {
  const count = (state: Verified['state']): number => lines.filter(({ verified }) => verified.state === state).length;
  const counts = { same: count('same'), differs: count('differs'), unverified: count('unverified') };
  const decisions = counts.same + counts.differs + counts.unverified;
  const exitCode = decisions > 0 && counts.same === decisions && isWhole ? 0 : 1;
  const stderr = toSummary({ ...counts, decisions, isWhole });
  const stdout = json
    ? toJsonLine({
        transitions: lines.map(({ line, verified }) => ({ ...line, verified })),
        verified: { decisions, ...counts, isWhole },
      })
    : lines.flatMap(toVerifiedLines).map(toLine).join('');
  return { exitCode, stdout, stderr };
}

function toVerifiedLines({ line, verified }: VerifiedLine): readonly string[] {
  switch (verified.state) {
    case 'none':
      return [`  ${toText(line)}`];
    case 'same':
      return [`= ${toText(line)}`];
    case 'differs': {
      const { action, code, reason } = verified.derived;
      return [`! ${toText(line)}`, `    decided again: ${action}  ${code}  ${reason}`];
    }
    case 'unverified':
      return [`? ${toText(line)}`, `    not decided again: ${verified.why}`];
  }
}

function toSummary({
  decisions,
  same,
  differs,
  unverified,
  isWhole,
}: {
  readonly decisions: number;
  readonly same: number;
  readonly differs: number;
  readonly unverified: number;
  readonly isWhole: boolean;
}): string {
  const rest = isWhole ? '' : `ratchet: only the newest ${MAX_LINES} lines were read\n`;
  if (decisions === 0) return `ratchet: there is no decision to verify\n${rest}`;
  const counts = [`${same} same`, `${differs} different`, `${unverified} not verified`].join(', ');
  return `ratchet: ${toCountText(decisions, 'decision')} decided again: ${counts}\n${rest}`;
}

function toText({ createdAt, action, code, reason }: TransitionJson): string {
  return `${createdAt}  ${action}  ${code}  ${reason}`;
}

/** People name what reasons mention, so control characters are kept from the terminal. */
function toLine(text: string): string {
  return `${text.replaceAll(/\p{Cc}/gu, ' ')}\n`;
}
