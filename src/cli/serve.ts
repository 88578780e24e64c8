import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { startApp } from '../compose/compose-app.ts';
import { type Environment, parseEnvironment, parsePrivateKey } from '../config/environment.ts';
import { parseOperatorFile } from '../config/operator-file.ts';
import { CodedError, ConfigError } from '../core/model/errors.ts';
import { NO_OPERATOR_POLICY, type OperatorPolicy } from '../core/policy/operator-policy.ts';

/** Process input of `serve`. */
export interface ServeInput {
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly stdout: { readonly write: (text: string) => unknown };
  readonly isRoot: boolean;
  /** Absolute path of the running Node. */
  readonly nodePath: string;
  /** Fires when the process is asked to stop. */
  readonly stop: AbortSignal;
}

/** Result of `serve`. */
export interface ServeResult {
  readonly exitCode: 0 | 2 | 3;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the App until `stop` fires. Bad configuration ends it at once and lists every problem. */
export async function serve(input: ServeInput): Promise<ServeResult> {
  try {
    const app = await startApp({
      ...(await readSettings(input.variables)),
      logDestination: input.stdout,
      isRoot: input.isRoot,
      nodePath: input.nodePath,
      ...findAssets(),
    });
    await new Promise<void>((resolve) => {
      if (input.stop.aborted) resolve();
      else input.stop.addEventListener('abort', () => resolve(), { once: true });
    });
    await app.stop();
    return { exitCode: 0, stdout: '', stderr: '' };
  } catch (error) {
    if (error instanceof ConfigError) {
      return { exitCode: 2, stdout: '', stderr: `ratchet: cannot start:\n${toList(error.problems)}` };
    }
    return { exitCode: 3, stdout: '', stderr: `ratchet: cannot start: ${toDetail(error)}\n` };
  }
}

function toList(problems: readonly string[]): string {
  return problems.map((problem) => `  - ${problem}\n`).join('');
}

/** Errors of the operating system and of ours have clear messages. Any other error is a bug: show its stack. */
function toDetail(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isSystemError = 'syscall' in error && 'code' in error;
  return isSystemError || error instanceof CodedError ? error.message : (error.stack ?? error.message);
}

type Read<Value> =
  | { readonly kind: 'ok'; readonly value: Value }
  | { readonly kind: 'bad'; readonly problems: readonly string[] };

interface Settings {
  readonly environment: Environment;
  readonly privateKey: string;
  readonly operatorPolicy: OperatorPolicy;
}

/** Reads the settings. @throws ConfigError with the problems of the variables and of the files that they name. */
async function readSettings(variables: ServeInput['variables']): Promise<Settings> {
  const environment = readEnvironment(variables);
  const keyPath = variables['PRIVATE_KEY_PATH'] ?? '';
  const fileKey = keyPath === '' ? null : await readKeyFile(keyPath);
  const operatorPolicy = await readOperatorPolicy(variables['RATCHET_POLICY_FILE'] ?? '');
  if (environment.kind === 'bad' || fileKey?.kind === 'bad' || operatorPolicy.kind === 'bad') {
    const reads = [environment, fileKey, operatorPolicy];
    throw new ConfigError(reads.flatMap((read) => (read?.kind === 'bad' ? read.problems : [])));
  }
  const { privateKey } = environment.value;
  return {
    environment: environment.value,
    privateKey: privateKey.kind === 'pem' ? privateKey.pem : (fileKey?.value ?? ''),
    operatorPolicy: operatorPolicy.value,
  };
}

async function readOperatorPolicy(path: string): Promise<Read<OperatorPolicy>> {
  if (path === '') return { kind: 'ok', value: NO_OPERATOR_POLICY };
  try {
    return { kind: 'ok', value: parseOperatorFile(await readFile(path, 'utf8'), path) };
  } catch (error) {
    if (error instanceof ConfigError) return { kind: 'bad', problems: error.problems };
    const why = error instanceof Error ? error.message : String(error);
    return { kind: 'bad', problems: [`RATCHET_POLICY_FILE cannot be read: ${why}`] };
  }
}

function readEnvironment(variables: ServeInput['variables']): Read<Environment> {
  try {
    return { kind: 'ok', value: parseEnvironment(variables) };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { kind: 'bad', problems: error.problems };
  }
}

async function readKeyFile(path: string): Promise<Read<string>> {
  try {
    const pem = parsePrivateKey(await readFile(path, 'utf8'));
    if (pem !== null) return { kind: 'ok', value: pem };
    return { kind: 'bad', problems: [`PRIVATE_KEY_PATH: ${path} does not hold the PEM of an RSA private key`] };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { kind: 'bad', problems: [`PRIVATE_KEY_PATH cannot be read: ${why}`] };
  }
}

/** Paths of the files that the program needs: next to the bundle, or in the source tree. */
export function findAssets(): { readonly migrationsDir: string; readonly fakeAgentProgram: string } {
  const bundled = fileURLToPath(new URL('./migrations', import.meta.url));
  if (existsSync(bundled)) {
    return {
      migrationsDir: bundled,
      fakeAgentProgram: fileURLToPath(new URL('./fake-agent-program.mjs', import.meta.url)),
    };
  }
  return {
    migrationsDir: fileURLToPath(new URL('../../migrations', import.meta.url)),
    fakeAgentProgram: fileURLToPath(new URL('../adapters/agents/fake-agent-program.mjs', import.meta.url)),
  };
}
