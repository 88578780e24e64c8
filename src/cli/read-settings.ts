import { X509Certificate } from 'node:crypto';
import type { AppInput } from '../compose/compose-app.ts';
import { openAppFile } from '../compose/open-app-file.ts';
import {
  type Environment,
  hasAppVariables,
  parseEnvironment,
  parsePrivateKey,
  parseSurroundings,
  type Surroundings,
} from '../config/environment.ts';
import { parseOperatorFile } from '../config/operator-file.ts';
import { readAgents } from '../config/read-agents.ts';
import { readNamedFile } from '../config/read-named-file.ts';
import { ConfigError } from '../core/model/errors.ts';
import type { RegisteredApp } from '../core/model/registered-app.ts';
import { NO_OPERATOR_POLICY, type OperatorPolicy } from '../core/policy/operator-policy.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** Where the App comes from. The variables win over the stored one. */
export type AppSource =
  | { readonly kind: 'variables' /** Of a stored App that is not used. */; readonly unusedPath: string | null }
  | { readonly kind: 'stored'; readonly path: string; readonly app: RegisteredApp };

/** The settings of the App, and where it comes from. */
export interface Settings {
  readonly environment: Environment;
  readonly privateKey: string;
  readonly operatorPolicy: OperatorPolicy;
  readonly agents: AppInput['agents'];
  readonly source: AppSource;
}

const NO_APP =
  'there is no GitHub App yet: run `ratchet init` to register one, or set APP_ID, PRIVATE_KEY or PRIVATE_KEY_PATH, and WEBHOOK_SECRET';

/**
 * Finds the App. Null: no variable names one, and none is stored.
 * @throws ConfigError if the stored one cannot be used.
 */
export async function findAppSource(variables: Variables): Promise<AppSource | null> {
  const file = openAppFile(toDataDir(variables));
  if (hasAppVariables(variables)) {
    const isStored = await file.read().then(
      (app) => app !== null,
      () => true,
    );
    return { kind: 'variables', unusedPath: isStored ? file.path : null };
  }
  const app = await file.read();
  return app === null ? null : { kind: 'stored', path: file.path, app };
}

function toDataDir(variables: Variables): string {
  const given = variables['RATCHET_DATA_DIR'] ?? '';
  return given === '' ? 'data' : given;
}

/** Reads the settings. @throws ConfigError with the problems of the variables and of the files that they name. */
export async function readSettings(variables: Variables): Promise<Settings> {
  const { collect, problems } = createCollector();
  const source = await collect(() => requireSource(variables));
  const given = source?.kind === 'stored' ? { ...variables, ...toAppVariables(source.app) } : variables;
  const { environment, surroundings } = await parseVariables(given, source, collect);
  const fileKey = await collect(() => readKeyFile(given['PRIVATE_KEY_PATH'] ?? ''));
  const operatorPolicy = await collect(() => readOperatorPolicy(given['RATCHET_POLICY_FILE'] ?? ''));
  const agents = surroundings === null ? null : await collect(() => readAgents(surroundings));
  await collect(() => checkCertificates(given['NODE_EXTRA_CA_CERTS'] ?? ''));
  if (
    problems.length > 0 ||
    environment === null ||
    source === null ||
    fileKey === null ||
    operatorPolicy === null ||
    agents === null
  ) {
    throw new ConfigError(problems);
  }
  const { privateKey } = environment;
  const pem = privateKey.kind === 'pem' ? privateKey.pem : fileKey;
  return { environment, privateKey: pem, operatorPolicy, agents, source };
}

/** Without an App, too, all other problems belong to the report. */
async function parseVariables(
  given: Variables,
  source: AppSource | null,
  collect: Collect,
): Promise<{ readonly environment: Environment | null; readonly surroundings: Surroundings | null }> {
  if (source === null) return { environment: null, surroundings: await collect(() => parseWithAgent(given)) };
  const environment = await collect(() => requireSameGitHub(parseEnvironment(given), source));
  return { environment, surroundings: environment };
}

function parseWithAgent(variables: Variables): Surroundings {
  return parseSurroundings(variables, { needsAgent: true });
}

/**
 * Reads what holds before there is an App, and checks everything else that a start would refuse.
 * @throws ConfigError
 */
export async function readSurroundings(
  variables: Variables,
): Promise<{ readonly surroundings: Surroundings; readonly hasAgent: boolean }> {
  const { collect, problems } = createCollector();
  const surroundings = await collect(() => parseSurroundings(variables, { needsAgent: false }));
  const hasAgent = [variables['RATCHET_AGENT'], variables['RATCHET_AGENTS_FILE']].some((name) => (name ?? '') !== '');
  const operatorPolicy = await collect(() => readOperatorPolicy(variables['RATCHET_POLICY_FILE'] ?? ''));
  const agents = surroundings === null || !hasAgent ? [] : await collect(() => readAgents(surroundings));
  await collect(() => checkCertificates(variables['NODE_EXTRA_CA_CERTS'] ?? ''));
  if (problems.length > 0 || surroundings === null || operatorPolicy === null || agents === null) {
    throw new ConfigError(problems);
  }
  return { surroundings, hasAgent };
}

async function requireSource(variables: Variables): Promise<AppSource> {
  const source = await findAppSource(variables);
  if (source === null) throw new ConfigError([NO_APP]);
  return source;
}

/** A stored App reads like variables, so that it is checked like them. */
function toAppVariables({ appId, privateKey, webhookSecret }: RegisteredApp): Variables {
  return { APP_ID: String(appId), PRIVATE_KEY: privateKey, WEBHOOK_SECRET: webhookSecret };
}

function requireSameGitHub(environment: Environment, source: AppSource): Environment {
  if (source.kind === 'variables' || source.app.githubApiUrl === environment.githubApiUrl) return environment;
  throw new ConfigError([
    `GHE_HOST: the stored GitHub App ${source.path} belongs to ${source.app.githubApiUrl}, and the variables name ${environment.githubApiUrl}`,
  ]);
}

/** Reads, and keeps the problems of a `ConfigError`; null then. */
type Collect = <Value>(read: () => Value | Promise<Value>) => Promise<Value | null>;

function createCollector(): { readonly problems: readonly string[]; readonly collect: Collect } {
  const problems: string[] = [];
  return {
    problems,
    async collect(read) {
      try {
        return await read();
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        problems.push(...error.problems);
        return null;
      }
    },
  };
}

async function readOperatorPolicy(path: string): Promise<OperatorPolicy> {
  if (path === '') return NO_OPERATOR_POLICY;
  return parseOperatorFile(await readNamedFile('RATCHET_POLICY_FILE', path), path);
}

/** Node itself only warns of a file that it cannot use, and goes on without the authority. */
async function checkCertificates(path: string): Promise<void> {
  if (path === '') return;
  const pem = await readNamedFile('NODE_EXTRA_CA_CERTS', path);
  try {
    new X509Certificate(pem);
  } catch {
    throw new ConfigError([`NODE_EXTRA_CA_CERTS: ${path} does not hold the PEM of a certificate`]);
  }
}

/** The PEM in the file; empty if no file is named. */
async function readKeyFile(path: string): Promise<string> {
  if (path === '') return '';
  const pem = parsePrivateKey(await readNamedFile('PRIVATE_KEY_PATH', path));
  if (pem === null) throw new ConfigError([`PRIVATE_KEY_PATH: ${path} does not hold the PEM of an RSA private key`]);
  return pem;
}
