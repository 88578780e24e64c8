import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Ajv } from 'ajv';
import { execa } from 'execa';
import { z } from 'zod';
import { runCheck } from '../../src/cli/check.ts';
import type { CliResult } from '../../src/cli/cli-result.ts';
import { createTempFolder } from '../support/git-repository.ts';
import { NEVER } from '../support/never.ts';

const VARIABLES = { PATH: process.env['PATH'], GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' };

/** The parts of `ratchet check --json` that tests look at. */
const Plans = z.object({
  plans: z.array(z.object({ engine: z.string(), mode: z.string(), targets: z.array(z.string()) })),
  dedup: z.array(z.object({ engine: z.string(), ran: z.string() })),
  configErrors: z.array(z.object({ engine: z.string(), code: z.string() })),
  skipped: z.array(z.object({ engine: z.string(), why: z.string() })),
});
const Report = Plans.extend({
  mode: z.string(),
  root: z.string(),
  runs: z.array(
    z.object({
      ...{
        engine: z.string(),
        project: z.string(),
        mode: z.string(),
        category: z.string(),
        complete: z.boolean(),
        findings: z.number(),
      },
      ...{ argv: z.array(z.string()), cwd: z.string(), exitCode: z.number().nullable() },
    }),
  ),
  engineErrors: z.array(z.object({ engine: z.string(), kind: z.string(), stderr: z.string() })),
  findings: z.array(z.object({ tool: z.string(), kind: z.string(), path: z.string().nullable(), message: z.string() })),
  summary: z.object({ diagnostics: z.number(), hasDiagnostics: z.boolean(), hasFailures: z.boolean() }),
  comparison: z
    .object({
      isChangeWhole: z.boolean(),
      changedConfigs: z.array(z.object({ engine: z.string(), paths: z.array(z.string()) })),
      engines: z.array(
        z.object({
          engine: z.string(),
          project: z.string(),
          comparable: z.boolean(),
          new: z.array(z.string()).optional(),
          fixed: z.array(z.string()).optional(),
        }),
      ),
    })
    .optional(),
});
export type CheckReport = z.infer<typeof Report>;

/** What a check is run with beside its arguments. */
export interface CheckOptions {
  /** Relative to the checkout. */
  readonly folder?: string;
  readonly variables?: Readonly<Record<string, string | undefined>>;
  readonly isColored?: boolean;
  readonly isTerminal?: boolean;
  readonly stop?: AbortSignal;
}

/** A checkout, and a folder for the caches beside it. */
export interface Checkout {
  /** Absolute, links resolved. */
  readonly root: string;
  readonly caches: string;
  readonly write: (files: Readonly<Record<string, string>>) => Promise<void>;
  readonly git: (...args: readonly string[]) => Promise<string>;
  readonly commitAll: () => Promise<void>;
  readonly check: (argv: readonly string[], options?: CheckOptions) => Promise<CliResult & { readonly told: string }>;
  readonly remove: () => Promise<void>;
}

/** An empty checkout; without git where `isPlain`. */
export async function createCheckout({ isPlain }: { readonly isPlain: boolean }): Promise<Checkout> {
  const folder = await createTempFolder({ inMemory: true });
  const [root, caches] = [join(folder.path, 'checkout'), join(folder.path, 'caches')];
  for (const path of [root, caches]) await mkdir(path);
  const git = async (...args: readonly string[]): Promise<string> => {
    const identity = ['-c', 'user.name=A', '-c', 'user.email=a@example.com', '-c', 'commit.gpgsign=false'];
    return (await execa('git', [...identity, ...args], { cwd: root, env: VARIABLES, extendEnv: false })).stdout;
  };
  if (!isPlain) await git('init', '-q', '-b', 'main');
  return {
    root,
    caches,
    git,
    remove: folder.remove,
    write: async (files) => {
      for (const [path, text] of Object.entries(files)) {
        await mkdir(dirname(join(root, path)), { recursive: true });
        await writeFile(join(root, path), text);
      }
    },
    commitAll: async () => {
      await git('add', '-A');
      await git('commit', '-qm', 'a commit');
    },
    check: async (argv, options = {}) => {
      let told = '';
      const result = await runCheck(argv, {
        folder: join(root, options.folder ?? '.'),
        variables: { ...VARIABLES, RATCHET_CACHE_DIR: caches, ...options.variables },
        nodePath: process.execPath,
        pid: process.pid,
        concurrency: 2,
        isColored: options.isColored ?? false,
        isTerminal: options.isTerminal ?? false,
        tell: (text) => {
          told += text;
        },
        stop: options.stop ?? NEVER,
        version: '1.2.3',
      });
      return { ...result, told };
    },
  };
}

/** stdout of `--plan --json`. */
export function parsePlans(stdout: string): z.infer<typeof Plans> {
  return Plans.parse(parseDocument(stdout));
}

/** stdout of `--json`, which has to be one document in the form that is promised. */
export function parseReport(stdout: string): CheckReport {
  return Report.parse(parseDocument(stdout));
}

const isPublished = new Ajv({ strict: false, allErrors: true }).compile(
  z
    .record(z.string(), z.unknown())
    .parse(JSON.parse(readFileSync(new URL('../../docs/check.schema.json', import.meta.url), 'utf8'))),
);

/** One JSON document that fits the published schema. */
export function parseDocument(stdout: string): unknown {
  const document: unknown = JSON.parse(stdout);
  if (!isPublished(document))
    throw new Error(`not as docs/check.schema.json says: ${JSON.stringify(isPublished.errors)}`);
  return document;
}
