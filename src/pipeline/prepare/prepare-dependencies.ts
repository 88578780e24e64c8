import { createHash } from 'node:crypto';
import type { Sha } from '../../core/model/ids.ts';
import type { Policy } from '../../core/model/policy.ts';
import type { SessionRepository } from '../../ports/git.ts';
import type { Mount, SandboxOutcome, SandboxSlot } from '../../ports/sandbox.ts';
import type { DependencyKey } from '../../ports/session-files.ts';
import type { Deps } from '../deps.ts';
import { type OrEnded, ok, rejected } from './or-ended.ts';
import { runCommandLine } from './run-command-line.ts';
import { WORKSPACE } from './sandbox-layout.ts';

/** Files whose content decides over dependencies. */
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
const MAX_SETUP_OUTPUT_BYTES = 16 * 1024 * 1024;
const SETUP_TIMEOUT_MS = 15 * 60_000;

/** What dependencies are prepared for. */
interface Prepared {
  readonly repository: SessionRepository;
  /** Paths that the tree tracks. */
  readonly tracked: readonly string[];
  readonly slot: SandboxSlot;
  readonly facts: { readonly number: number };
  readonly policy: Pick<Policy, 'setup'>;
}

/**
 * Runs the policy's `setup` commands in a phase of their own, on a clean checkout of `treeish`, and keeps what they made (new
 * top-level entries) as read-only mounts for agent and validation alike. The same commands over the same lockfiles are not
 * run again. Without `setup` there is nothing to mount.
 */
export async function prepareDependencies(
  deps: Pick<Deps, 'files' | 'git' | 'sandbox' | 'store'>,
  prepared: Prepared,
  treeish: Sha,
  signal: AbortSignal,
): Promise<OrEnded<readonly Mount[]>> {
  if (prepared.policy.setup.length === 0) return ok([]);
  const key = await toDependencyKey(deps, prepared, treeish, signal);
  const cached = await deps.files.findDependencies(key, WORKSPACE);
  if (cached !== null) return ok(cached);
  const { repository, slot } = prepared;
  const checkout = await deps.git.checkoutTree(repository, treeish, 'setup', signal);
  await deps.sandbox.giveToSlot(checkout, slot);
  for (const [index, command] of prepared.policy.setup.entries()) {
    const limits = { timeoutMs: SETUP_TIMEOUT_MS, maxOutputBytes: MAX_SETUP_OUTPUT_BYTES };
    const line = { command, checkout, name: `setup-${String(index)}`, dependencies: [], ...limits };
    const outcome = await runCommandLine(deps, prepared, line, signal);
    if (!isWell(outcome)) return rejected('SETUP_FAILED', describeFailure(command, outcome));
  }
  return ok(await deps.files.keepDependencies(key, { checkout, tracked: prepared.tracked, target: WORKSPACE, slot }));
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

/** Whether the file at `path` has a say in what `setup` makes. */
export function isManifest(path: string): boolean {
  return MANIFESTS.has(path.slice(path.lastIndexOf('/') + 1));
}

function isWell({ kind, exitCode, processesLeft }: SandboxOutcome): boolean {
  return kind === 'exited' && exitCode === 0 && processesLeft === 0;
}

function describeFailure(command: string, { kind, exitCode }: SandboxOutcome): string {
  return `The setup command \`${command}\` did not end well (${kind}, exit code ${String(exitCode)}). It runs without network.`;
}
