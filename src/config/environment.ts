import { createPrivateKey } from 'node:crypto';
import { z } from 'zod';
import { findNearest } from '../core/commands/find-nearest.ts';
import { toCanonicalScope } from '../core/engines/canonical-scope.ts';
import { type EngineSource, readEngineSource } from '../core/engines/engine-source.ts';
import { ConfigError } from '../core/model/errors.ts';
import { isLoopback } from './agent-fields.ts';
import {
  AGENT_FIELDS,
  AGENT_REQUIRED,
  type AgentEnvironment,
  findAgentContradictions,
  toAgentEnvironment,
} from './agent-variables.ts';
import { toGitHubApiUrl } from './github-api-url.ts';
import { integer } from './integer.ts';
import { PROXY_FIELDS, type Proxy, toProxy } from './proxy-variables.ts';
import { SETUP_FIELDS, type SetupSettings, toSetupSettings } from './registry-variables.ts';
import { SANDBOX_FIELDS, type SandboxSettings, toSandboxSettings } from './sandbox-variables.ts';

/** Settings of the process. All are read and validated at start. */
export interface Environment extends Surroundings {
  readonly appId: number;
  /** The App's key, or the file that contains it. The caller reads the file and validates the key with `parsePrivateKey`. */
  readonly privateKey:
    | { readonly kind: 'pem'; readonly pem: string }
    | { readonly kind: 'file'; readonly path: string };
  /** Newest first. The second one is being rotated out. */
  readonly webhookSecrets: readonly [string] | readonly [string, string];
}

/** The settings that hold before there is a GitHub App. */
export interface Surroundings extends AgentEnvironment, SetupSettings, SandboxSettings {
  /** Scope and configuration files of the engines of all repositories. */
  readonly engineSource: EngineSource;
  readonly webhookPath: string;
  /** The address under which GitHub reaches this server, as it was written; null: it is not known. */
  readonly webhookUrl: string | null;
  readonly host: string;
  readonly port: number;
  readonly dataDir: string;
  /** Null for the embedded queue. */
  readonly redisUrl: string | null;
  /** Root of the REST API, without a trailing slash. */
  readonly githubApiUrl: string;
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error';
  /** `unsafe-demo` gives no isolation and is accepted only with the fake agent. */
  readonly sandbox: 'bwrap' | 'unsafe-demo';
  readonly fixupConcurrency: number;
  readonly evaluateConcurrency: number;
  readonly recheckSeconds: number;
  /** A person's session without a heartbeat for this long is idle. */
  readonly userSessionIdleSeconds: number;
  /** Port of 127.0.0.1 that shows operators the metrics without the token; null: none. */
  readonly metricsPort: number | null;
  /** Secret of the admin API. Null disables the admin API. */
  readonly adminToken: string | null;
  readonly maxMirrorBytes: number;
  /** File with the operator's defaults and ceilings, parsed with `parseOperatorFile`; null for none. */
  readonly policyFile: string | null;
  /** Proxy for all that goes out; null: none. The address may hold credentials. `except`: hosts that are reached without it. */
  readonly proxy: Proxy | null;
  /** Whether NODE_EXTRA_CA_CERTS adds certificates to those of the machine. */
  readonly hasOwnCa: boolean;
  /** E-mail address of Ratchet's commits; null for that of the App's bot account. */
  readonly commitEmail: string | null;
  /** Whether commits are signed off (Developer Certificate of Origin). */
  readonly signsOff: boolean;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** Maximum number of reported problems. */
const maxProblems = 50;
const minSecretLength = 16;
const gibibyte = 1024 ** 3;
const DEFAULT_DATA_DIR = 'data';

const secret = z
  .string()
  .min(minSecretLength, `must have at least ${minSecretLength} characters`)
  .regex(/^\S(?:.*\S)?$/s, 'must not begin or end with white space');

const privateKey = z.string().transform((value, context) => {
  const pem = parsePrivateKey(value);
  if (pem !== null) return pem;
  context.addIssue({
    code: 'custom',
    message: 'must be the PEM of an RSA private key (as it is, with \\n for line ends, or base64)',
  });
  return z.NEVER;
});

const redisUrl = z.string().refine((value) => {
  const url = URL.parse(value);
  return url !== null && ['redis:', 'rediss:'].includes(url.protocol) && url.hostname !== '';
}, 'must be a redis:// or rediss:// address');

const APP_FIELDS = {
  APP_ID: integer(1, Number.MAX_SAFE_INTEGER),
  PRIVATE_KEY: privateKey.optional(),
  PRIVATE_KEY_PATH: z.string().optional(),
  WEBHOOK_SECRET: secret,
  WEBHOOK_SECRET_PREVIOUS: secret.optional(),
};

const OtherFields = z.object({
  WEBHOOK_PATH: z
    .string()
    .regex(/^\/[\w/.-]+$/, 'must be a path that begins with a slash')
    .default('/api/github/webhooks'),
  RATCHET_WEBHOOK_URL: z.string().optional(),
  PORT: integer(0, 65_535).default(3000),
  HOST: z.string().default('localhost'),
  REDIS_URL: redisUrl.optional(),
  GHE_HOST: z
    .string()
    .regex(/^[A-Za-z0-9.-]+(?::\d{1,5})?$/, 'must be a host name, with a port if need be, and no path')
    .optional(),
  GHE_PROTOCOL: z.enum(['https', 'http'], 'must be https or http').default('https'),
  LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error'], 'must be debug, info, warn or error').default('info'),
  RATCHET_DATA_DIR: z.string().default(DEFAULT_DATA_DIR),
  ...AGENT_FIELDS,
  ...SETUP_FIELDS,
  ...SANDBOX_FIELDS,
  RATCHET_SANDBOX: z.enum(['bwrap', 'unsafe-demo'], 'must be bwrap or unsafe-demo').default('bwrap'),
  RATCHET_FIXUP_CONCURRENCY: integer(1, 64).default(2),
  RATCHET_EVALUATE_CONCURRENCY: integer(1, 64).default(8),
  RATCHET_RECHECK_SECONDS: integer(1, 86_400).default(300),
  RATCHET_USER_SESSION_IDLE_SECONDS: integer(5, 86_400).default(600),
  RATCHET_METRICS_PORT: integer(0, 65_535).optional(),
  RATCHET_ADMIN_TOKEN: secret.regex(/^\S*$/, 'must not hold white space').optional(),
  RATCHET_MAX_MIRROR_BYTES: integer(1024 ** 2, 1024 ** 5).default(20 * gibibyte),
  RATCHET_POLICY_FILE: z.string().optional(),
  ...PROXY_FIELDS,
  NODE_EXTRA_CA_CERTS: z.string().optional(),
  RATCHET_COMMIT_EMAIL: z.email('must be an e-mail address').optional(),
  RATCHET_COMMIT_SIGNOFF: z.enum(['true', 'false'], 'must be true or false').default('false'),
});

const Fields = z.object({ ...APP_FIELDS, ...OtherFields.shape });

type Fields = z.infer<typeof Fields>;

/** Names of all variables of the service. */
export const VARIABLES: readonly string[] = Object.keys(Fields.shape);

/**
 * Validates the process's environment variables. An empty value counts as not set.
 * @throws ConfigError that lists all problems at once, without the values of secrets.
 */
export function parseEnvironment(variables: Variables): Environment {
  const fields = parseFields(Fields, variables, findAppContradictions);
  return { ...toSurroundings(fields, variables), ...toAppSettings(fields) };
}

/** The same without the variables of the App, and even without an agent unless it is needed. @throws ConfigError */
export function parseSurroundings(
  variables: Variables,
  { needsAgent }: { readonly needsAgent: boolean },
): Surroundings {
  return toSurroundings(
    parseFields(OtherFields, variables, () => [], needsAgent ? [] : [AGENT_REQUIRED]),
    variables,
  );
}

/** Whether the variables name an App, or a part of one. */
export function hasAppVariables(variables: Variables): boolean {
  return Object.keys(APP_FIELDS).some((name) => (variables[name] ?? '') !== '');
}

function parseFields<Schema extends z.ZodType>(
  schema: Schema,
  variables: Variables,
  findMore: (given: Variables) => readonly string[],
  tolerated: readonly string[] = [],
): z.output<Schema> {
  const given = Object.fromEntries(
    Object.entries(variables).filter(([, value]) => value !== undefined && value !== ''),
  );
  const fields = schema.safeParse(given);
  const problems = [
    ...(fields.success ? [] : fields.error.issues.map((issue) => toProblem(issue, given))),
    ...findAgentContradictions(given),
    ...findUnknownNames(given),
    ...findMore(given),
    ...findContradictions(given),
    ...findScopeFaults(variables),
  ].filter((problem) => !tolerated.includes(problem));
  if (!fields.success || problems.length > 0) throw new ConfigError(problems.slice(0, maxProblems));
  return fields.data;
}

/** The data folder, for commands that need no other setting. */
export function readDataDir(variables: Variables): string {
  const { RATCHET_DATA_DIR: given = '' } = variables;
  return given === '' ? DEFAULT_DATA_DIR : given;
}

/** Parses the PEM of an RSA private key: plain, with ` ` for line ends, or base64. Null if it is invalid. */
export function parsePrivateKey(value: string): string | null {
  const text = value.includes('-----BEGIN') ? value : Buffer.from(value, 'base64').toString('utf8');
  const pem = text.replaceAll('\\n', '\n').replaceAll('\r\n', '\n').trim();
  const isPem = /^-----BEGIN ([A-Z ]*PRIVATE KEY)-----\n[A-Za-z0-9+/=\n]{32,}\n-----END \1-----$/.test(pem);
  return isPem && isRsaKey(pem) ? `${pem}\n` : null;
}

/** GitHub accepts only RS256. Otherwise, a truncated key would fail only at the first call. */
function isRsaKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}

function toProblem(issue: z.core.$ZodIssue, given: Variables): string {
  const name = String(issue.path[0]);
  if (given[name] === undefined) return `${name} is required`;
  return `${name} ${issue.message}`;
}

/** Settings of the commands `session` and `check`, which may be set in the same shell, and of engines. */
const OF_OTHERS = /^RATCHET_(?:URL|PATHS|CACHE_DIR|[A-Z0-9_]+_CONFIG)$/u;

/** An unknown RATCHET_ variable is an error: someone may think that the setting is in effect. */
function findUnknownNames(given: Variables): readonly string[] {
  return Object.keys(given)
    .filter((name) => name.startsWith('RATCHET_') && !VARIABLES.includes(name) && !OF_OTHERS.test(name))
    .map((name) => {
      const nearest = findNearest(name, VARIABLES, Math.floor(name.length / 4));
      return `${name} is not known${nearest === null ? '' : `; did you mean ${nearest}?`}`;
    });
}

/** Finds contradictions between the variables of the App. Reads the raw text, to report them together with other problems. */
function findAppContradictions(given: Variables): readonly string[] {
  return toBroken([
    [
      (given['PRIVATE_KEY'] === undefined) === (given['PRIVATE_KEY_PATH'] === undefined),
      'exactly one of PRIVATE_KEY and PRIVATE_KEY_PATH is required',
    ],
    [
      given['WEBHOOK_SECRET_PREVIOUS'] !== undefined && given['WEBHOOK_SECRET_PREVIOUS'] === given['WEBHOOK_SECRET'],
      'WEBHOOK_SECRET_PREVIOUS must differ from WEBHOOK_SECRET',
    ],
  ]);
}

/** The same for all other variables. */
function findContradictions(given: Variables): readonly string[] {
  const agent = given['RATCHET_AGENT'];
  return toBroken([
    [
      given['GHE_PROTOCOL'] === 'http' && !isLoopback((given['GHE_HOST'] ?? '').replace(/:\d+$/, '')),
      'GHE_PROTOCOL may be http only with a GHE_HOST on this machine: tokens would travel in clear text',
    ],
    [
      given['RATCHET_SANDBOX'] === 'unsafe-demo' && agent !== 'fake',
      'RATCHET_SANDBOX=unsafe-demo is no sandbox: it is accepted with RATCHET_AGENT=fake only',
    ],
  ]);
}

/** A path of this machine is none of a repository. */
function findScopeFaults(variables: Variables): readonly string[] {
  const scope = toCanonicalScope(readEngineSource(variables).paths ?? []);
  return scope.kind === 'scope' ? [] : scope.problems.map((problem) => `RATCHET_PATHS: ${problem}`);
}

function toBroken(rules: readonly (readonly [isBroken: boolean, problem: string])[]): readonly string[] {
  return rules.filter(([isBroken]) => isBroken).map(([, problem]) => problem);
}

function toOutbound(fields: z.infer<typeof OtherFields>): Pick<Surroundings, 'proxy' | 'hasOwnCa'> {
  return { proxy: toProxy(fields), hasOwnCa: fields.NODE_EXTRA_CA_CERTS !== undefined };
}

function toOperatorAccess(fields: z.infer<typeof OtherFields>): Pick<Surroundings, 'metricsPort' | 'adminToken'> {
  return { metricsPort: fields.RATCHET_METRICS_PORT ?? null, adminToken: fields.RATCHET_ADMIN_TOKEN ?? null };
}

function toAppSettings(fields: Fields): Omit<Environment, keyof Surroundings> {
  return {
    appId: fields.APP_ID,
    privateKey:
      fields.PRIVATE_KEY === undefined
        ? { kind: 'file', path: fields.PRIVATE_KEY_PATH ?? '' }
        : { kind: 'pem', pem: fields.PRIVATE_KEY },
    webhookSecrets:
      fields.WEBHOOK_SECRET_PREVIOUS === undefined
        ? [fields.WEBHOOK_SECRET]
        : [fields.WEBHOOK_SECRET, fields.WEBHOOK_SECRET_PREVIOUS],
  };
}

function toSurroundings(fields: z.infer<typeof OtherFields>, variables: Variables): Surroundings {
  return {
    // An empty scope says something, unlike all other empty variables.
    engineSource: readEngineSource(variables),
    webhookPath: fields.WEBHOOK_PATH,
    webhookUrl: fields.RATCHET_WEBHOOK_URL ?? null,
    host: fields.HOST,
    port: fields.PORT,
    dataDir: fields.RATCHET_DATA_DIR,
    redisUrl: fields.REDIS_URL ?? null,
    githubApiUrl: toGitHubApiUrl(fields.GHE_HOST ?? 'github.com', fields.GHE_PROTOCOL),
    logLevel: fields.LOG_LEVEL,
    ...toAgentEnvironment(fields),
    ...toSetupSettings(fields),
    sandbox: fields.RATCHET_SANDBOX,
    ...toSandboxSettings(fields),
    fixupConcurrency: fields.RATCHET_FIXUP_CONCURRENCY,
    evaluateConcurrency: fields.RATCHET_EVALUATE_CONCURRENCY,
    recheckSeconds: fields.RATCHET_RECHECK_SECONDS,
    userSessionIdleSeconds: fields.RATCHET_USER_SESSION_IDLE_SECONDS,
    ...toOperatorAccess(fields),
    ...toOutbound(fields),
    maxMirrorBytes: fields.RATCHET_MAX_MIRROR_BYTES,
    policyFile: fields.RATCHET_POLICY_FILE ?? null,
    commitEmail: fields.RATCHET_COMMIT_EMAIL ?? null,
    signsOff: fields.RATCHET_COMMIT_SIGNOFF === 'true',
  };
}
