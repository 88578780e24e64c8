import { createHash } from 'node:crypto';
import { findExceededLimit } from '../../core/limits/exceeded-limit.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { Policy } from '../../core/model/policy.ts';
import type { SessionRepository } from '../../ports/git.ts';
import type { DependencyKey, PreparedDependencies, Site, SiteOutcome } from '../../ports/site.ts';
import type { Deps } from '../deps.ts';
import { type OrEnded, ok, rejected } from './or-ended.ts';
import { isSuccess, runKept, toShellCommand, withSite } from './with-site.ts';

/** Names of files that determine the dependencies. */
const MANIFESTS: ReadonlySet<string> = new Set([
  'Cargo.lock',
  'Gemfile.lock',
  'Pipfile.lock',
  'composer.lock',
  'go.mod',
  'go.sum',
  'npm-shrinkwrap.json',
  'package-lock.json',
  'package.json',
  'pnpm-lock.yaml',
  'poetry.lock',
  'pyproject.toml',
  'requirements.txt',
  'uv.lock',
  'yarn.lock',
]);
const MAX_MANIFESTS = 200;
const MAX_MANIFEST_BYTES = 4 * 1024 * 1024;
const SETUP_LIMITS = { timeoutMs: 15 * 60_000, maxOutputBytes: 16 * 1024 * 1024 } as const;

interface Prepared {
  readonly repository: SessionRepository;
  /** Tracked paths of the tree. */
  readonly tracked: readonly string[];
  readonly facts: { readonly number: number };
  readonly policy: Pick<Policy, 'setup'>;
}

/**
 * Runs the `setup` commands of the policy in a separate site on a clean checkout of `treeish`, and stores the new top-level
 * entries for agent and validation. Reuses them for the same commands and lockfiles. null: there is no `setup`.
 */
export async function prepareDependencies(
  deps: Pick<Deps, 'files' | 'git' | 'sites' | 'store'>,
  prepared: Prepared,
  treeish: Sha,
  signal: AbortSignal,
): Promise<OrEnded<PreparedDependencies | null>> {
  const { repository, policy } = prepared;
  if (policy.setup.length === 0) return ok(null);
  const key = await toDependencyKey(deps, prepared, treeish, signal);
  const cached = await deps.sites.findDependencies(key);
  if (cached !== null) return ok(cached);
  const tree = { repository, treeSha: treeish, masked: [], hasHistory: false };
  const request = { name: 'setup', tree, dependencies: null, inputs: {}, programs: [] };
  return withSite(deps, request, signal, (site) => setUp(deps, { ...prepared, site, key }, signal));
}

async function setUp(
  deps: Pick<Deps, 'files'>,
  { site, key, policy, repository, tracked }: Prepared & { readonly site: Site; readonly key: DependencyKey },
  signal: AbortSignal,
): Promise<OrEnded<PreparedDependencies>> {
  for (const [index, line] of policy.setup.entries()) {
    const run = { site, runId: repository.runId, name: `setup-${String(index)}` };
    const outcome = await runKept(deps, run, toShellCommand(line, SETUP_LIMITS), signal);
    const limit = findExceededLimit(outcome.kind);
    if (limit !== null) return rejected(limit.code, `The setup command \`${line}\` ${limit.did}.`);
    if (!isSuccess(outcome)) return rejected('SETUP_FAILED', describeFailure(line, outcome));
  }
  return ok(await site.keepDependencies(key, tracked));
}

async function toDependencyKey(
  deps: Pick<Deps, 'git' | 'store'>,
  prepared: Prepared,
  treeish: Sha,
  signal: AbortSignal,
): Promise<DependencyKey> {
  const { repository, policy, tracked } = prepared;
  const paths = tracked.filter(isManifest).slice(0, MAX_MANIFESTS);
  const texts = await deps.git.readFiles(repository, { treeish, paths, maxBytes: MAX_MANIFEST_BYTES }, signal);
  const hash = createHash('sha256').update(
    JSON.stringify([policy.setup, paths, paths.map((path) => texts[path] ?? null)]),
  );
  return {
    repositoryId: repository.mirror.repositoryId,
    number: prepared.facts.number,
    hash: hash.digest('hex'),
  };
}

/** Whether the file is a lockfile or manifest. */
export function isManifest(path: string): boolean {
  return MANIFESTS.has(path.slice(path.lastIndexOf('/') + 1));
}

function describeFailure(command: string, { kind, exitCode }: SiteOutcome): string {
  return `The setup command \`${command}\` did not end well (${kind}, exit code ${String(exitCode)}). It runs without network.`;
}
