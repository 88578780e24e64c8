import { type UndoJson, UndoResponse } from '../schemas/admin-api.ts';
import { AdminFailure, type AdminInput, type Call, createCall, readPullRequest } from './call-admin.ts';
import { type CliResult, fail, toJsonLine } from './cli-result.ts';
import { parseFlags } from './parse-flags.ts';

/** Process input of `undo`. */
export interface UndoInput extends AdminInput {
  /** Fires when the process is asked to stop. */
  readonly stop: AbortSignal;
  /** Resolves after `ms` milliseconds, or at once when the signal fires. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

const POLL_MS = 1_000;
/** The server ends an undo after a quarter of an hour. Time in its queue comes on top. */
const MAX_POLLS = 1_200;

/**
 * `ratchet undo OWNER/REPO#N`: a running server reverts the last fixup of a pull request. Waits for its end. Exit code 0: it was
 * undone; 1: it was not, and stdout says why and how a person can do it.
 */
export async function runUndo(args: readonly string[], input: UndoInput): Promise<CliResult> {
  try {
    const { json, ...body } = parseUndoArgs(args);
    const call = createCall(input);
    const begun = await call(UndoResponse, { method: 'POST', path: 'undo', body });
    const shown = await untilEnded(begun, input, call);
    const stdout = json ? toJsonLine(shown) : toText(shown);
    return { exitCode: shown.state === 'done' ? 0 : 1, stdout, stderr: '' };
  } catch (error) {
    if (!(error instanceof AdminFailure)) throw error;
    return fail(error.exitCode, `ratchet: ${error.message}\n`);
  }
}

function parseUndoArgs(args: readonly string[]): {
  readonly repository: string;
  readonly number: number;
  readonly json: boolean;
} {
  const parsed = parseFlags(args, { json: { type: 'boolean', default: false } } as const);
  if (typeof parsed === 'string') throw new AdminFailure(2, `undo: ${parsed}`);
  const [name, extra] = parsed.positionals;
  const pullRequest = readPullRequest('undo', name);
  if (extra !== undefined) throw new AdminFailure(2, `undo: unexpected argument ${JSON.stringify(extra)}`);
  return { ...pullRequest, json: parsed.values.json };
}

async function untilEnded(begun: UndoJson, input: UndoInput, call: Call): Promise<UndoJson> {
  let shown = begun;
  for (let polls = 0; shown.state === 'working'; polls += 1) {
    const { session } = shown;
    if (polls === MAX_POLLS || input.stop.aborted || session === null) {
      throw new AdminFailure(3, 'the undo goes on in the server; the pull request shows how it ends');
    }
    await input.sleep(POLL_MS, input.stop);
    shown = await call(UndoResponse, { method: 'GET', path: `undo/${encodeURIComponent(session)}` });
  }
  return shown;
}

function toText({ state, text, byHand }: UndoJson): string {
  const lines = [
    state === 'done' ? text : `not undone: ${text}`,
    ...(byHand.length === 0 ? [] : ['', 'By hand:', ...byHand.map((command) => `  ${command}`)]),
  ];
  return lines.map((line) => `${line.replaceAll(/\p{Cc}/gu, ' ')}\n`).join('');
}
