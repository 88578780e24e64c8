import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { parseOperatorFile } from '../config/operator-file.ts';
import { findPlace, MAX_YAML_BYTES } from '../config/parse-yaml.ts';
import { type PolicyFileParse, type PolicyProblem, parsePolicyFile } from '../config/policy-file.ts';
import { toPolicyFileText } from '../config/policy-file-text.ts';
import { toPolicyJsonSchemaText } from '../config/policy-json-schema.ts';
import { ConfigError } from '../core/model/errors.ts';
import { mergePolicy } from '../core/policy/merge-policy.ts';
import { NO_OPERATOR_POLICY, type OperatorPolicy } from '../core/policy/operator-policy.ts';
import { type ChosenPolicy, choosePolicy, MISPLACED_PATHS, POLICY_PATHS } from '../core/policy/policy-place.ts';
import { toFileFault } from '../core/text/file-fault.ts';
import { findEngineErrors } from '../engines/find-engine-errors.ts';
import { type CliResult, fail, succeed, toJsonLine } from './cli-result.ts';
import { writePolicyFile } from './config-init.ts';
import { toHint } from './parse-flags.ts';
import { readText } from './read-text.ts';

/** Process input of `config`. */
export interface ConfigInput {
  /** Absolute path of the current folder, which is the root of the repository. */
  readonly folder: string;
  /** `RATCHET_POLICY_FILE`, whose defaults and ceilings `print` applies; empty: none. */
  readonly operatorPath: string;
}

const ACTIONS = ['validate', 'print', 'schema', 'init'] as const;
type ActionName = (typeof ACTIONS)[number];
/** They take no file. */
const BARE: readonly ActionName[] = ['schema', 'init'];

/**
 * Runs `ratchet config validate|print|schema|init [FILE] [--json]`. Exit code 1 if the policy file has problems, 2 for wrong
 * usage or a missing file, 3 if a file cannot be read.
 */
export async function runConfig(args: readonly string[], input: ConfigInput): Promise<CliResult> {
  const isJson = args.includes('--json');
  const [written, path, extra] = args.filter((arg) => arg !== '--json');
  const action = ACTIONS.find((name) => name === written);
  if (action === undefined)
    return fail(
      2,
      `ratchet: config: say what to do: ${ACTIONS.join(', ')}${toHint(written ?? '', ACTIONS)}; see ratchet config --help\n`,
    );
  const surplus = BARE.includes(action) ? path : extra;
  const unknown = [path, surplus].find((arg) => arg?.startsWith('--') === true) ?? surplus;
  if (unknown !== undefined)
    return fail(
      2,
      `ratchet: config ${action}: unexpected argument ${JSON.stringify(unknown)}${toHint(unknown, ['--json'])}\n`,
    );
  try {
    return await run(action, { path: path ?? null, isJson, ...input });
  } catch (error) {
    return toFailure(action, error);
  }
}

interface ConfigRequest extends ConfigInput {
  readonly path: string | null;
  readonly isJson: boolean;
}

async function run(action: ActionName, request: ConfigRequest): Promise<CliResult> {
  if (action === 'schema') return succeed(toPolicyJsonSchemaText());
  if (action === 'init') return await writePolicyFile();
  const { path: name, text } = request.path === null ? await findPolicy() : await readNamed(request.path);
  const file = { name, text, parsed: parsePolicyFile(text) };
  return action === 'validate' ? validate(request, file) : print(request, file);
}

interface NamedPolicy {
  readonly name: string;
  readonly text: string | null;
  readonly parsed: PolicyFileParse;
}

function validate({ isJson, folder }: ConfigRequest, { name, text, parsed }: NamedPolicy): CliResult {
  const { problems, warnings } = findProblems(text ?? '', parsed, folder);
  const exitCode = problems.length === 0 ? 0 : 1;
  if (isJson) {
    const stdout = toJsonLine({ file: name, valid: exitCode === 0, problems, warnings });
    return { exitCode, stdout, stderr: '' };
  }
  if (exitCode !== 0) return { exitCode, stdout: toList(name, problems), stderr: '' };
  const found = text === null ? 'there is none, the defaults hold' : 'valid';
  return succeed(`${name}: ${found}\n`, toList(name, warnings));
}

/**
 * The problems of the file, and those that it has with the defaults. An engine that is not declared here may be declared in the
 * organisation's file, so an unknown one is a warning.
 */
function findProblems(
  text: string,
  parsed: PolicyFileParse,
  root: string,
): Record<'problems' | 'warnings', readonly PolicyProblem[]> {
  if (parsed.kind === 'invalid') return { problems: parsed.problems, warnings: [] };
  const { policy, problems } = mergePolicy([parsed.layer], NO_OPERATOR_POLICY);
  const errors = findEngineErrors(policy.engines, root).map(({ engine, code, message }) => ({
    ...findPlace(text, ['engines', engine]),
    message: `\`engines.${engine}\`: ${message}`,
    code,
  }));
  const isUnknown = ({ code }: (typeof errors)[number]): boolean => code === 'UNKNOWN_ENGINE';
  const bare = ({ line, column, message }: PolicyProblem): PolicyProblem => ({ line, column, message });
  return {
    problems: [
      ...problems.map((message) => ({ ...findPlace(text, toPath(message)), message })),
      ...errors.filter((error) => !isUnknown(error)).map(bare),
    ],
    warnings: errors.filter(isUnknown).map(bare),
  };
}

/** The key that a problem names first. */
function toPath(problem: string): readonly string[] {
  return /^`(?<key>[\w.]+)`/u.exec(problem)?.groups?.['key']?.split('.') ?? [];
}

/** Prints the effective policy. With problems stdout stays empty: a partial policy is no policy. */
async function print({ isJson, operatorPath }: ConfigRequest, { name, parsed }: NamedPolicy): Promise<CliResult> {
  if (parsed.kind === 'invalid') return fail(1, toList(name, parsed.problems));
  const operator = await readOperator(operatorPath);
  const { policy, clamped, problems } = mergePolicy([parsed.layer], operator);
  if (problems.length > 0) return fail(1, problems.map((line) => `${line}\n`).join(''));
  if (isJson) return succeed(toJsonLine({ policy, clamped }));
  return succeed(toPolicyFileText(policy), clamped.map((line) => `${line}\n`).join(''));
}

function toList(name: string, problems: readonly PolicyProblem[]): string {
  return problems
    .map(({ line, column, message }) => `${name}:${String(line)}:${String(column)}: ${message}\n`)
    .join('');
}

async function readNamed(path: string): Promise<ChosenPolicy> {
  return { path, text: await readFile(path) };
}

/** The policy file of the current folder, chosen as on GitHub. */
async function findPolicy(): Promise<ChosenPolicy> {
  const [root, folder] = await Promise.all([listNames('.'), listNames('.github')]);
  return choosePolicy({
    yml: await readIfThere(POLICY_PATHS[0]),
    yaml: await readIfThere(POLICY_PATHS[1]),
    folder,
    misplaced: MISPLACED_PATHS.filter((path) => root.includes(path)),
  });
}

async function listNames(folder: string): Promise<readonly string[]> {
  return (await unlessMissing(async () => await readdir(folder))) ?? [];
}

async function readIfThere(path: string): Promise<string | null> {
  return await unlessMissing(async () => await readFile(path));
}

async function unlessMissing<Value>(read: () => Promise<Value>): Promise<Value | null> {
  try {
    return await read();
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(toCode(error) ?? '')) return null;
    throw error;
  }
}

async function readOperator(path: string): Promise<OperatorPolicy> {
  return path === '' ? NO_OPERATOR_POLICY : parseOperatorFile(await readFile(path), path);
}

/** Reads at most one byte more than the parser accepts, so that the parser can refuse a longer file. */
async function readFile(path: string): Promise<string> {
  const stream = createReadStream(path, { end: MAX_YAML_BYTES });
  return (await readText(stream, MAX_YAML_BYTES + 1)) ?? '';
}

function toFailure(action: ActionName, error: unknown): CliResult {
  if (error instanceof ConfigError) return fail(2, `${error.problems.join('\n')}\n`);
  const code = toCode(error);
  if (code === null || !(error instanceof Error)) throw error;
  const path = 'path' in error && typeof error.path === 'string' ? error.path : 'the policy file';
  return fail(code === 'ENOENT' ? 2 : 3, `ratchet: config ${action}: ${toFileFault(error, path)}\n`);
}

function toCode(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}
