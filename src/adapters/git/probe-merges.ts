import { createHash } from 'node:crypto';
import { RepositoryError } from '../../core/model/errors.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { MergeProbe, Mirror, RemoteAccess } from '../../ports/git.ts';
import { toBranchRef } from './branch-ref.ts';
import { fetchRefs, openMirror, type RefPair, toHeadRef, toPullRef } from './ensure-mirror.ts';
import { type GitAt, gitAt, readCommit } from './git-at.ts';
import type { GitContext } from './git-context.ts';
import { WITHOUT_ATTRIBUTES } from './git-environment.ts';
import { findCommits } from './prepare-session.ts';
import { withScratch } from './scratch.ts';
import { settleAll } from './settle-all.ts';

/** A pull request and its head. */
interface Pull {
  readonly number: number;
  readonly headSha: Sha;
}

/** The pull requests to probe against the tip of `baseRef`. */
export interface Probe {
  readonly mirror: Mirror;
  readonly baseRef: string;
  readonly pulls: readonly Pull[];
  readonly remote: RemoteAccess;
}

/** git stops at the first pair that it cannot merge at all. It is restarted after that pair at most this many times. */
const MAX_RESTARTS = 20;
/** Merges are CPU-bound, and a machine for agents has at least two cores. */
const WORKERS = 2;

/** See `Git.probeMerges`. */
export async function probeMerges(
  context: GitContext,
  probe: Probe,
  signal: AbortSignal,
): Promise<{ readonly baseSha: Sha; readonly probes: ReadonlyMap<number, MergeProbe> }> {
  const { mirror, pulls } = probe;
  const { baseSha, there } = await context.lockMirror(mirror.repositoryId, () => fetchHeads(context, probe, signal));
  const probes = new Map<number, MergeProbe>(pulls.map(({ number }) => [number, 'unknown']));
  const known = pulls.filter(({ headSha }) => there.has(headSha));
  const size = Math.max(1, Math.ceil(known.length / WORKERS));
  const parts = Array.from({ length: WORKERS }, (_, index) => known.slice(index * size, (index + 1) * size));
  await withScratch(context, mirror, ({ gitDir }) =>
    settleAll(parts.map((part) => mergeAll(gitAt(context, gitDir, signal), { baseSha, pulls: part, probes }))),
  );
  return { baseSha, probes };
}

/** Fetches the base's tip and the heads that the mirror lacks. `there`: the heads that the mirror has now. */
async function fetchHeads(
  context: GitContext,
  probe: Probe,
  signal: AbortSignal,
): Promise<{ readonly baseSha: Sha; readonly there: ReadonlySet<Sha> }> {
  const { mirror, pulls, remote } = probe;
  if ((await openMirror(context, mirror.repositoryId)) === null)
    throw new RepositoryError('GIT_FAILED', 'the mirror is gone', { retry: 'later' });
  const branch = await toBranchRef(context.runGit, probe.baseRef, context.layout.dataDir, signal);
  const base: RefPair = { from: branch, to: toSweptRef(branch) };
  const before = new Set(await findCommits(context, mirror, toShas(pulls), signal));
  const missing = pulls.filter(({ headSha }) => !before.has(headSha));
  const heads = missing.map(({ number }) => ({ from: toPullRef(number), to: toHeadRef(number) }));
  try {
    await fetchRefs(context, { mirror, remote, refs: [base, ...heads] }, signal);
  } catch (error) {
    // One missing head makes the whole fetch fail. The heads already in the mirror can still be probed.
    if (heads.length === 0 || !(error instanceof RepositoryError) || error.retry !== 'never') throw error;
    context.log.warn({ repositoryId: mirror.repositoryId, error }, 'new heads could not be fetched');
    await fetchRefs(context, { mirror, remote, refs: [base] }, signal);
  }
  const baseSha = await readCommit(gitAt(context, mirror.gitDir, signal), base.to);
  const fetched = await findCommits(context, mirror, toShas(missing), signal);
  return { baseSha, there: new Set([...before, ...fetched]) };
}

async function mergeAll(
  git: GitAt,
  what: { readonly baseSha: Sha; readonly pulls: readonly Pull[]; readonly probes: Map<number, MergeProbe> },
): Promise<void> {
  let rest = what.pulls;
  for (let starts = 0; rest.length > 0 && starts <= MAX_RESTARTS; starts += 1) {
    const args = ['merge-tree', '--write-tree', '--stdin', '--name-only', '--no-messages'];
    const stdin = rest.map(({ headSha }) => `${headSha} ${what.baseSha}\n`).join('');
    const output = await git.run(args, { env: WITHOUT_ATTRIBUTES, stdin });
    const results = parseProbes(output.stdout.toString('latin1'));
    for (const [index, result] of results.entries()) {
      const pull = rest[index];
      if (pull !== undefined) what.probes.set(pull.number, result);
    }
    if (output.ended === 'timed_out') return;
    // The pair that git stopped at stays `unknown`.
    rest = rest.slice(results.length + 1);
  }
}

/** Each merge: `1` or `0`, the tree, the names in conflict, an empty part. Ignores an incomplete last merge. */
function parseProbes(text: string): readonly MergeProbe[] {
  const parts = text.split('\0');
  const probes: MergeProbe[] = [];
  let at = 0;
  while (at + 2 < parts.length) {
    const end = parts.indexOf('', at + 2);
    if (end === -1 || end === parts.length - 1) break;
    probes.push(parts[at] === '1' ? 'clean' : 'conflict');
    at = end + 1;
  }
  return probes;
}

/** The mirror's ref for a base branch. Hashed, because refs named after branches can collide (`a` and `a/b`). */
function toSweptRef(branch: string): string {
  return `refs/ratchet/swept/${createHash('sha256').update(branch).digest('hex').slice(0, 32)}`;
}

function toShas(pulls: readonly Pull[]): readonly Sha[] {
  return pulls.map(({ headSha }) => headSha);
}
