import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createGit } from '../../src/adapters/git/create-git.ts';
import { DEFAULT_GIT_LIMITS } from '../../src/adapters/git/git-limits.ts';
import { createLog } from '../../src/adapters/log/create-log.ts';
import { parseRunId, parseSha, toPullRequestKey } from '../../src/core/model/ids.ts';
import type { Git, TreeFolders } from '../../src/ports/git.ts';
import { type Child, startChild } from '../child.ts';
import { readOwnCpuUs } from '../cpu.ts';
import type { RepositoryShape } from '../generated-history.ts';
import {
  type GeneratedRepository,
  generateRepository,
  PULL_REQUEST,
  setPullRequestHead,
} from '../generated-repository.ts';
import { runCommand } from '../git-command.ts';
import { NotMeasuredError } from '../measure.ts';
import type { OpenRow, Row, RowContext, Sample, Turn } from '../row.ts';

/** Row 7: time until an agent has a checked-out tree of a newly pushed head. */
export const workspacePreparation: Row = {
  number: 7,
  name: 'workspace preparation for a new push',
  metrics: [
    {
      ...{ kind: 'time', name: 'fetch + workspace', ours: 'total', target: 0.05 },
      peer: { side: 'cold', name: 'git clone + fetch and checkout of the head' },
    },
    {
      ...{ kind: 'time', name: 'workspace alone (vs worktree)', ours: 'warm', target: 1.2 },
      peer: { side: 'worktree', name: 'git worktree add --detach' },
    },
    {
      ...{ kind: 'time', name: 'workspace alone (vs cp)', ours: 'warm', target: 2.5 },
      peer: { side: 'cp', name: 'cp -r of the checked-out tree' },
    },
    { kind: 'duration', name: 'fetch of one new commit', ours: 'fetch' },
  ],
  open: openRow,
};

/** Half of the proportions of renovatebot/renovate (27,000 commits, 4,000 files of 8.5 KB, and its lockfile). */
const FULL: RepositoryShape = { files: 2_000, lockfileLines: 9_000, commits: 13_500, pullRequests: 1_000, pushes: 60 };
const QUICK: RepositoryShape = { files: 100, lockfileLines: 500, commits: 300, pullRequests: 20, pushes: 8 };
const REPOSITORY = { installationId: 1, repositoryId: 7, owner: 'bench', name: 'upstream' };

interface Bench {
  readonly context: RowContext;
  readonly upstream: GeneratedRepository;
  readonly url: string;
  readonly git: Git & TreeFolders;
  /** A plain mirror for `git worktree add`. */
  readonly plainMirror: string;
}

async function openRow(context: RowContext): Promise<OpenRow> {
  const shape = context.quick ? QUICK : FULL;
  const upstream = await generateRepository(context.memoryDir, shape);
  const server = startChild(new URL('../programs/git-remote.ts', import.meta.url), { root: context.memoryDir });
  try {
    const bench = await openBench(context, upstream, server);
    const size = await runCommand(['du', '-sm', join(upstream.gitDir, 'objects')], context.memoryDir);
    return {
      notes: [
        `${shape.commits} commits, ${shape.files} files, ${size.split('\t')[0] ?? '?'} MiB of objects, ` +
          `${shape.pullRequests} refs/pull; all in ${context.memoryDir}`,
        'remote: git http-backend behind node:http on loopback (no TLS, no WAN: a real cold clone is slower still)',
      ],
      takeTurn: (index) => takeTurn(bench, index),
      explain: async () => [],
      close: () => server.stop(),
    };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

async function openBench(context: RowContext, upstream: GeneratedRepository, server: Child): Promise<Bench> {
  const { port = 0 } = await server.ask('port');
  const url = `http://127.0.0.1:${port}/upstream.git`;
  const plainMirror = join(context.memoryDir, 'plain-mirror.git');
  await runCommand(['git', 'clone', '--quiet', '--mirror', url, plainMirror], context.memoryDir);
  const git = createGit({
    dataDir: join(context.memoryDir, 'data'),
    limits: DEFAULT_GIT_LIMITS,
    clock: { now: () => Date.now() },
    log: createLog({ level: 'silent', destination: { write: () => undefined }, redact: (text) => text }),
    newId: () => randomBytes(15).toString('hex'),
  });
  return { context, upstream, url, git, plainMirror };
}

async function takeTurn(bench: Bench, index: number): Promise<Turn> {
  const sha = bench.upstream.pushes[index];
  if (sha === undefined) throw new NotMeasuredError('the generated pull request has no further push');
  await setPullRequestHead(bench.upstream, sha);
  if (index % 2 === 0) return { ...(await takeOurs(bench, sha, index)), ...(await takePeers(bench, sha, index)) };
  return { ...(await takePeers(bench, sha, index)), ...(await takeOurs(bench, sha, index)) };
}

async function takeOurs({ git, url }: Bench, sha: string, index: number): Promise<Turn> {
  const signal = AbortSignal.timeout(600_000);
  const headSha = parseSha(sha);
  const remote = { url, token: { token: 'unused', expiresAt: Number.MAX_SAFE_INTEGER } };
  const { value: mirror, sample: fetch } = await time(() =>
    git.ensureMirror(REPOSITORY, { number: PULL_REQUEST, headSha, baseRef: 'main' }, remote, signal),
  );
  const key = toPullRequestKey(REPOSITORY.repositoryId, PULL_REQUEST);
  const { sample: warm } = await time(async () => {
    const session = { id: parseRunId(`turn-${index}`), key, headSha };
    const repository = await git.prepareSession(mirror, session, signal);
    const folder = join(repository.controlDir, '..', 'sites', 'agent');
    await git.placeTree(repository, { treeSha: headSha, folder, masked: [], hasHistory: true }, signal);
  });
  return { fetch, warm, total: add(fetch, warm) };
}

async function takePeers({ context, url, plainMirror }: Bench, sha: string, index: number): Promise<Turn> {
  const { memoryDir } = context;
  const clone = join(memoryDir, `clone-${index}`);
  const worktree = join(memoryDir, `worktree-${index}`);
  const { sample: cold } = await time(async () => {
    await runCommand(['git', 'clone', '--quiet', '--no-checkout', url, clone], memoryDir);
    await runCommand(['git', 'fetch', '--quiet', 'origin', `refs/pull/${PULL_REQUEST}/head`], clone);
    await runCommand(['git', 'checkout', '--quiet', '--detach', 'FETCH_HEAD'], clone);
  });
  await runCommand(['git', 'fetch', '--quiet'], plainMirror);
  const { sample: added } = await time(() =>
    runCommand(['git', 'worktree', 'add', '--quiet', '--detach', worktree, sha], plainMirror),
  );
  const { sample: cp } = await time(() => runCommand(['cp', '-r', worktree, `${worktree}-copy`], memoryDir));
  return { cold, worktree: added, cp };
}

async function time<Value>(work: () => Promise<Value>): Promise<{ readonly value: Value; readonly sample: Sample }> {
  const cpuBefore = readOwnCpuUs();
  const startedAt = performance.now();
  const value = await work();
  const wallMs = performance.now() - startedAt;
  return { value, sample: { wallMs, operations: 1, cpuUs: readOwnCpuUs() - cpuBefore } };
}

function add(left: Sample, right: Sample): Sample {
  return {
    wallMs: left.wallMs + right.wallMs,
    operations: 1,
    cpuUs: left.cpuUs === null || right.cpuUs === null ? null : left.cpuUs + right.cpuUs,
  };
}
