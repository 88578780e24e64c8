import { type AppInput, startApp } from '../compose/compose-app.ts';
import { type Environment, parseEnvironment, parsePrivateKey } from '../config/environment.ts';
import { parseOperatorFile } from '../config/operator-file.ts';
import { readAgents } from '../config/read-agents.ts';
import { readNamedFile } from '../config/read-named-file.ts';
import { CodedError, ConfigError } from '../core/model/errors.ts';
import { NO_OPERATOR_POLICY, type OperatorPolicy } from '../core/policy/operator-policy.ts';
import { type CliResult, fail, succeed } from './cli-result.ts';
import { findAssets } from './find-assets.ts';

/** Process input of `serve`. */
export interface ServeInput {
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly stdout: AppInput['logDestination'];
  readonly isRoot: boolean;
  /** Absolute path of the running Node. */
  readonly nodePath: string;
  readonly version: string;
  /** Fires when the process is asked to stop. */
  readonly stop: AbortSignal;
}

/** Runs the App until `stop` fires. Bad configuration ends it at once and lists every problem. */
export async function serve(input: ServeInput): Promise<CliResult> {
  try {
    const app = await startApp({
      ...(await readSettings(input.variables)),
      logDestination: input.stdout,
      isRoot: input.isRoot,
      nodePath: input.nodePath,
      version: input.version,
      ...findAssets(),
    });
    await new Promise<void>((resolve) => {
      if (input.stop.aborted) resolve();
      else input.stop.addEventListener('abort', () => resolve(), { once: true });
    });
    await app.stop();
    return succeed('');
  } catch (error) {
    if (error instanceof ConfigError) {
      return fail(2, `ratchet: cannot start:\n${error.problems.map((problem) => `  - ${problem}\n`).join('')}`);
    }
    return fail(3, `ratchet: cannot start: ${toDetail(error)}\n`);
  }
}

/** Errors of the operating system and of ours have clear messages. Any other error is a bug: show its stack. */
function toDetail(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isSystemError = 'syscall' in error && 'code' in error;
  return isSystemError || error instanceof CodedError ? error.message : (error.stack ?? error.message);
}

export interface Settings {
  readonly environment: Environment;
  readonly privateKey: string;
  readonly operatorPolicy: OperatorPolicy;
  readonly agents: AppInput['agents'];
}

/** Reads the settings. @throws ConfigError with the problems of the variables and of the files that they name. */
export async function readSettings(variables: ServeInput['variables']): Promise<Settings> {
  const problems: string[] = [];
  const collect = async <Value>(read: () => Value | Promise<Value>): Promise<Value | null> => {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      problems.push(...error.problems);
      return null;
    }
  };
  const environment = await collect(() => parseEnvironment(variables));
  const fileKey = await collect(() => readKeyFile(variables['PRIVATE_KEY_PATH'] ?? ''));
  const operatorPolicy = await collect(() => readOperatorPolicy(variables['RATCHET_POLICY_FILE'] ?? ''));
  const agents = environment === null ? null : await collect(() => readAgents(environment));
  if (environment === null || fileKey === null || operatorPolicy === null || agents === null) {
    throw new ConfigError(problems);
  }
  const { privateKey } = environment;
  return { environment, privateKey: privateKey.kind === 'pem' ? privateKey.pem : fileKey, operatorPolicy, agents };
}

async function readOperatorPolicy(path: string): Promise<OperatorPolicy> {
  if (path === '') return NO_OPERATOR_POLICY;
  return parseOperatorFile(await readNamedFile('RATCHET_POLICY_FILE', path), path);
}

/** The PEM in the file; empty if no file is named. */
async function readKeyFile(path: string): Promise<string> {
  if (path === '') return '';
  const pem = parsePrivateKey(await readNamedFile('PRIVATE_KEY_PATH', path));
  if (pem === null) throw new ConfigError([`PRIVATE_KEY_PATH: ${path} does not hold the PEM of an RSA private key`]);
  return pem;
}
