import { toCiVerdict } from '../core/ci/ci-verdict.ts';
import { describeUnknown } from '../core/commands/command-names.ts';
import { type ReadLine, readComment } from '../core/commands/parse-commands.ts';
import { determineFixupAction } from '../core/decide/determine-fixup-action.ts';
import { parseExplainCiInput } from '../payloads/parse-raw-ci.ts';
import { InvalidInputError } from '../schemas/invalid-input.ts';
import { parseSnapshot } from '../schemas/snapshot.ts';
import { type CliResult, fail, succeed, toJsonLine } from './cli-result.ts';
import { explainChange } from './explain-change.ts';
import { explainExit } from './explain-exit.ts';
import { DEFAULT_EXCERPT_BYTES, explainFailure } from './explain-failure.ts';
import { explainReviews } from './explain-reviews.ts';
import { toHint } from './parse-flags.ts';

/** Maximum input in bytes. Large enough for all pages of a big repository's results. */
export const MAX_EXPLAIN_BYTES = 64 * 1024 * 1024;

/** Name of the App in `@<slug> NAME`, since stdin does not name one. */
const DEFAULT_SLUG = 'ratchet';

/** What the arguments set. */
interface ExplainOptions {
  /** Of the excerpt of `explain failure`. */
  readonly maxBytes: number;
}

type Answer = (input: string, options: ExplainOptions) => unknown;

const ANSWERS: Readonly<Record<string, Answer>> = {
  decision: explainDecision,
  ci: explainCi,
  reviews: (input) => explainReviews(parseJson(input)),
  exit: (input) => explainExit(parseJson(input)),
  command: explainCommand,
  change: (input) => explainChange(parseJson(input)),
  failure: (input, { maxBytes }) => explainFailure(parseJson(input), maxBytes),
};

const MIN_EXCERPT_BYTES = 256;
const DEFAULTS: ExplainOptions = { maxBytes: DEFAULT_EXCERPT_BYTES };

/** Reads all of stdin as text; null if it is longer than `maxBytes`. */
export type ReadInput = (maxBytes: number) => Promise<string | null>;

/**
 * Runs `ratchet explain <args>`. Reads stdin only if the arguments are valid. `--json` is accepted and has no effect,
 * because the answer is always JSON.
 */
export async function runExplain(args: readonly string[], readInput: ReadInput): Promise<CliResult> {
  const [what, ...rest] = args.filter((arg) => arg !== '--json');
  const question = toQuestion(what);
  if (typeof question === 'string') return refuse(question);
  const options = toOptions(what, rest);
  if (typeof options === 'string') return refuse(`explain ${what}: ${options}`);
  const input = await readInput(MAX_EXPLAIN_BYTES);
  if (input === null) return refuse(`explain ${what}: the input is longer than ${MAX_EXPLAIN_BYTES} bytes`);
  return explain(what, input, options);
}

/** Reads what stands behind the question; an error if it cannot be read. */
function toOptions(what: string | undefined, args: readonly string[]): ExplainOptions | string {
  const [flag, value, ...rest] = args.flatMap((arg) => (arg.startsWith('--max-bytes=') ? arg.split('=', 2) : [arg]));
  if (flag === undefined) return DEFAULTS;
  if (what !== 'failure' || flag !== '--max-bytes') {
    const known = what === 'failure' ? ['--max-bytes', '--json'] : ['--json'];
    return `unexpected argument ${JSON.stringify(flag)}${toHint(flag.split('=', 1).join(''), known)}`;
  }
  if (rest[0] !== undefined) return `unexpected argument ${JSON.stringify(rest[0])}`;
  const maxBytes = Number(value);
  if (!/^\d{1,9}$/u.test(value ?? '') || maxBytes < MIN_EXCERPT_BYTES) {
    return `--max-bytes: expected a whole number, at least ${MIN_EXCERPT_BYTES}`;
  }
  return { maxBytes };
}

/**
 * Answers `ratchet explain <what>` from the text on stdin alone, with the functions that the server decides with.
 * Returns exit code 0 with one JSON document on stdout, or 2 with one line on stderr that names the problem and its
 * place.
 */
export function explain(what: string | undefined, input: string, options: ExplainOptions = DEFAULTS): CliResult {
  const question = toQuestion(what);
  if (typeof question === 'string') return refuse(question);
  try {
    return succeed(toJsonLine(question(input, options)));
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error;
    return refuse(`explain ${what}: ${error.message}`);
  }
}

/** The function that answers the question, or an error line if the question is unknown. */
function toQuestion(what: string | undefined): Answer | string {
  const questions = [...Object.keys(ANSWERS), 'merge'];
  const known = questions.join(', ');
  if (what === undefined) return `explain: say what to explain: ${known}`;
  const answer = Object.hasOwn(ANSWERS, what) ? ANSWERS[what] : undefined;
  return answer ?? `explain: ${JSON.stringify(what)} cannot be explained; there is ${known}${toHint(what, questions)}`;
}

function refuse(message: string): CliResult {
  return fail(2, `ratchet: ${message}\n`);
}

function parseJson(input: string): unknown {
  try {
    // Some editors and shells write a byte order mark first.
    return JSON.parse(input.replace(/^\uFEFF/u, ''));
  } catch (error) {
    const why = error instanceof Error ? error.message.replaceAll(/\s+/gu, ' ').slice(0, 200) : 'not JSON';
    throw new InvalidInputError([`the input is not JSON: ${why}`]);
  }
}

/** Takes a snapshot, or a whole line of the transition log with its snapshot. */
function toSnapshotOf(json: unknown): unknown {
  return typeof json === 'object' && json !== null && 'snapshot' in json ? json.snapshot : json;
}

/** The answer names the means only if it is not an agent. */
function explainDecision(input: string): unknown {
  const { action, code, reason, means } = determineFixupAction(parseSnapshot(toSnapshotOf(parseJson(input))));
  return { action, code, reason, ...(means === undefined || means === 'agent' ? {} : { means }) };
}

function explainCi(input: string): unknown {
  const { status, runId, failing, reason } = toCiVerdict(parseExplainCiInput(parseJson(input)));
  return { status, runId, failing: failing.map(({ name, conclusion }) => ({ name, conclusion })), reason };
}

function explainCommand(input: string): unknown {
  const lines = readComment(input, { slug: DEFAULT_SLUG });
  return {
    commands: lines.flatMap(({ command }) => ('args' in command ? [{ name: command.name, args: command.args }] : [])),
    unread: lines.flatMap((line) => toUnread(line) ?? []),
  };
}

function toUnread({ line, command }: ReadLine): { readonly line: string; readonly why: string } | null {
  if ('args' in command) return null;
  return { line, why: command.name === 'unread' ? command.why : describeUnknown(command) };
}
