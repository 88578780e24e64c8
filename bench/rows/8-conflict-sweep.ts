import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createGit } from '../../src/adapters/git/create-git.ts';
import { DEFAULT_GIT_LIMITS } from '../../src/adapters/git/git-limits.ts';
import { createLog } from '../../src/adapters/log/create-log.ts';
import { parseSha, type Sha } from '../../src/core/model/ids.ts';
import type { Git, Mirror, RemoteAccess } from '../../src/ports/git.ts';
import { type Child, startChild } from '../child.ts';
import { readOwnCpuUs } from '../cpu.ts';
import type { RepositoryShape } from '../generated-history.ts';
import { generateRepository } from '../generated-repository.ts';
import { runCommand } from '../git-command.ts';
import { NotMeasuredError } from '../measure.ts';
import type { OpenRow, Row, RowContext, Sample, Turn } from '../row.ts';

/** Row 8: finds which of 1,000 pull requests conflict after a push to their base. Without any API call. */
export const conflictSweep: Row = {
  number: 8,
  name: 'conflict sweep after a push to the base branch',
  metrics: [
    {
      ...{ kind: 'time', name: 'fetch + merges of all pull requests', ours: 'probe', target: 1.5 },
      peer: { side: 'mergeTree', name: 'git merge-tree --stdin over the same pairs' },
    },
    {
      ...{ kind: 'count', name: 'pull requests answered for', unit: 'answers', ours: 'probe', target: 1 },
      peer: { side: 'mergeTree', name: 'git merge-tree --stdin over the same pairs' },
    },
  ],
  open: openRow,
};

const FULL = {
  shape: { files: 2_000, lockfileLines: 9_000, commits: 2_000, pullRequests: 0, pushes: 0 },
  pulls: 1_000,
};
const QUICK = { shape: { files: 100, lockfileLines: 500, commits: 100, pullRequests: 0, pushes: 0 }, pulls: 40 };
const REPOSITORY = { installationId: 1, repositoryId: 7, owner: 'bench', name: 'upstream' };
/** How far behind the base the oldest pull request starts. */
const OLDEST = 50;
/** One in this many pull requests changes a file that the base changes, too. */
const CONFLICTING = 10;
/** One of the generated files. */
const PUSHED_FILE = 'packages/part-1/area-1/module-1.ts';

interface Pull {
  readonly number: number;
  readonly headSha: Sha;
}

interface Bench {
  readonly upstream: string;
  readonly git: Git;
  readonly mirror: Mirror;
  readonly remote: RemoteAccess;
  readonly pulls: readonly Pull[];
  /** A plain mirror for the peer. */
  readonly plainMirror: string;
}

async function openRow(context: RowContext): Promise<OpenRow> {
  const { shape, pulls } = context.quick ? QUICK : FULL;
  const { gitDir } = await generateRepository(context.memoryDir, shape);
  await runCommand(['git', 'fast-import', '--quiet'], gitDir, renderPulls(shape, pulls));
  await runCommand(['git', 'repack', '-a', '-d', '-q'], gitDir);
  const server = startChild(new URL('../programs/git-remote.ts', import.meta.url), { root: context.memoryDir });
  try {
    const bench = await openBench(context, gitDir, { server, pulls });
    return {
      notes: [
        `${pulls} pull requests up to ${OLDEST} commits behind, one in ${CONFLICTING} in conflict; ${shape.files} files; all in ${context.memoryDir}`,
        'ours includes the fetch of the pushed commit from git http-backend on loopback; the peer has it already',
        'calls to the API: none (the row has no GitHub to call)',
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

/** Each pull request adds its own file. The conflicting ones change the file that every push to the base changes. */
function* renderPulls(shape: RepositoryShape, count: number): Generator<string> {
  for (let number = 1; number <= count; number += 1) {
    const path = number % CONFLICTING === 0 ? PUSHED_FILE : `packages/part-${number % 20}/added-${number}.ts`;
    const from = `from refs/heads/main~${number % Math.min(OLDEST, shape.commits)}^0`;
    yield renderCommit(`refs/pull/${number}/head`, from, { path, text: `pull request ${number}\n` });
  }
}

function renderCommit(ref: string, from: string, file: { readonly path: string; readonly text: string }): string {
  const committer = 'committer Bench <bench@example.com> 1800000000 +0000';
  const change = `M 100644 inline ${file.path}\ndata ${file.text.length}\n${file.text}\n`;
  return `commit ${ref}\n${committer}\ndata 6\nChange\n${from}\n${change}\n`;
}

async function openBench(
  context: RowContext,
  upstream: string,
  { server, pulls: count }: { readonly server: Child; readonly pulls: number },
): Promise<Bench> {
  const { memoryDir } = context;
  const { port = 0 } = await server.ask('port');
  const url = `http://127.0.0.1:${port}/upstream.git`;
  const git = createGit({
    dataDir: join(memoryDir, 'data'),
    limits: DEFAULT_GIT_LIMITS,
    clock: { now: () => Date.now() },
    log: createLog({ level: 'silent', destination: { write: () => undefined }, redact: (text) => text }),
    newId: () => randomBytes(15).toString('hex'),
  });
  const pulls = await readPulls(upstream, count);
  const [first] = pulls;
  if (first === undefined) throw new NotMeasuredError('the generated repository has no pull request');
  const remote = { url, token: { token: 'unused', expiresAt: Number.MAX_SAFE_INTEGER } };
  const signal = AbortSignal.timeout(600_000);
  const mirror = await git.ensureMirror(REPOSITORY, { ...first, baseRef: 'main' }, remote, signal);
  // Heads are fetched once, while new. A push to the base does not change them.
  await git.probeMerges(mirror, { baseRef: 'main', pulls }, remote, signal);
  const plainMirror = join(memoryDir, 'plain-mirror.git');
  await runCommand(['git', 'clone', '--quiet', '--mirror', url, plainMirror], memoryDir);
  return { upstream, git, mirror, remote, pulls, plainMirror };
}

async function readPulls(upstream: string, count: number): Promise<readonly Pull[]> {
  const format = '--format=%(objectname) %(refname:lstrip=2)';
  const lines = (await runCommand(['git', 'for-each-ref', format, 'refs/pull'], upstream)).split('\n');
  const pulls = lines.map((line) => ({
    number: Number.parseInt(line.slice(41), 10),
    headSha: parseSha(line.slice(0, 40)),
  }));
  if (pulls.length !== count) throw new NotMeasuredError(`${pulls.length} of ${count} pull requests were generated`);
  return pulls;
}

async function takeTurn(bench: Bench, index: number): Promise<Turn> {
  const file = { path: PUSHED_FILE, text: `push ${index} ${randomBytes(4).toString('hex')}\n` };
  const push = renderCommit('refs/heads/main', 'from refs/heads/main^0', file);
  await runCommand(['git', 'fast-import', '--quiet'], bench.upstream, [push].values());
  if (index % 2 === 0) return { probe: await takeOurs(bench), mergeTree: await takePeer(bench) };
  const mergeTree = await takePeer(bench);
  return { mergeTree, probe: await takeOurs(bench) };
}

async function takeOurs({ git, mirror, remote, pulls }: Bench): Promise<Sample> {
  const signal = AbortSignal.timeout(600_000);
  return time(async () => {
    const { probes } = await git.probeMerges(mirror, { baseRef: 'main', pulls }, remote, signal);
    const answers = [...probes.values()];
    checkConflicts(answers.filter((answer) => answer === 'conflict').length, pulls.length);
    return answers.filter((answer) => answer !== 'unknown').length;
  });
}

async function takePeer({ pulls, plainMirror }: Bench): Promise<Sample> {
  await runCommand(['git', 'fetch', '--quiet'], plainMirror);
  const base = await runCommand(['git', 'rev-parse', 'refs/heads/main'], plainMirror);
  const pairs = pulls.map(({ headSha }) => `${headSha} ${base}\n`);
  return time(async () => {
    const argv = ['git', 'merge-tree', '--write-tree', '--stdin', '--name-only', '--no-messages'] as const;
    const records = (await runCommand([...argv], plainMirror, pairs.values()))
      .split('\0\0')
      .filter((record) => record !== '');
    checkConflicts(records.filter((record) => record.replace(/^\0/, '').startsWith('0')).length, pulls.length);
    return records.length;
  });
}

/** Checks that both sides did the work: a side that merges nothing would look fast. */
function checkConflicts(found: number, pulls: number): void {
  const expected = Math.floor(pulls / CONFLICTING);
  if (found !== expected) throw new NotMeasuredError(`${found} conflicts were found instead of ${expected}`);
}

/** Measures `work`, which returns the number of pull requests that it answered for. */
async function time(work: () => Promise<number>): Promise<Sample> {
  const cpuBefore = readOwnCpuUs();
  const startedAt = performance.now();
  const operations = await work();
  const wallMs = performance.now() - startedAt;
  return { wallMs, operations, cpuUs: readOwnCpuUs() - cpuBefore };
}
