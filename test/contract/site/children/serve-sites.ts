/**
 * A process that has sites, for tests: it shares nothing with the control plane but the socket that it was started with. Argument 1
 * is its own folder, in which nobody else sees anything. Trees come and go as bundles of git.
 */
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import type { Server } from 'node:net';
import { join } from 'node:path';
import process from 'node:process';
import { execa } from 'execa';
import { writeRepository } from '../../../../src/adapters/git/write-repository.ts';
import { createBubblewrapSandbox } from '../../../../src/adapters/sandbox/create-bubblewrap-sandbox.ts';
import { CodedError, InvariantError } from '../../../../src/core/model/errors.ts';
import { parseRunId, parseSha, type Sha, toPullRequestKey } from '../../../../src/core/model/ids.ts';
import type { SessionRepository } from '../../../../src/ports/git.ts';
import type { PreparedDependencies, Site, SiteOutcome, SiteRelay, SiteTree } from '../../../../src/ports/site.ts';
import { listenOnSocket } from '../../../../src/system/listen-on-socket.ts';
import { createTestGit } from '../../../support/git-repository.ts';
import { createTestSites } from '../../../support/sandbox-sites.ts';
import { IS_ROOT, toBubblewrapOptions } from '../../sandbox/sandbox-fixture.ts';
import { createForwarder } from '../forward.ts';
import {
  type Ask,
  isAsk,
  isCall,
  type RemoteCalls,
  type RemoteDependencies,
  type RemoteRelay,
  type RemoteRequest,
  type Reply,
} from '../remote-calls.ts';

const [root = ''] = process.argv.slice(2);
const options = { ...(await toBubblewrapOptions(root)), slots: 3 };
const dataDir = join(root, 'data');
const git = createTestGit(dataDir);
const slotGid = IS_ROOT ? options.gid : null;
const sites = createTestSites({ sandbox: createBubblewrapSandbox(options), trees: git, dataDir, slotGid });
const opened = new Map<string, Opened>();

/** An open site and what goes with it. */
interface Opened {
  readonly site: Site;
  readonly repository: SessionRepository | null;
  readonly relays: readonly OpenedRelay[];
}

interface OpenedRelay {
  readonly relay: SiteRelay;
  readonly server: Server;
}

let count = 0;

/** Makes a session of the commit that a bundle holds. */
async function unpack(
  { bundle, commit, masked, hasHistory }: NonNullable<RemoteRequest['tree']>,
  signal: AbortSignal,
): Promise<SiteTree> {
  count += 1;
  const number = count;
  const gitDir = join(dataDir, 'mirrors', `${String(number)}.git`);
  const mirror = { repositoryId: number, gitDir, objectsDir: join(gitDir, 'objects') };
  await writeRepository(gitDir, { bare: true, head: 'ref: refs/heads/main', alternates: null, mode: 0o755 });
  const file = join(root, `in-${String(number)}.bundle`);
  await writeFile(file, bundle);
  await execa('git', ['fetch', '--quiet', file, 'refs/heads/sent:refs/heads/sent'], { cwd: gitDir });
  await rm(file);
  const id = parseRunId(`remote-${String(number)}`);
  const session = { id, key: toPullRequestKey(number, 1), headSha: commit };
  const repository = await git.prepareSession(mirror, session, signal);
  return { repository, treeSha: commit, masked, hasHistory };
}

/** Gives a relay a socket here that leads to the port of the control plane. */
async function openRelay({ name, port, tcpPort }: RemoteRelay): Promise<OpenedRelay> {
  count += 1;
  const socketPath = join(root, `${String(count)}.sock`);
  const server = createForwarder({ port: tcpPort, host: '127.0.0.1' });
  await listenOnSocket(server, socketPath, slotGid);
  return { server, relay: { name, port, socketPath } };
}

async function pack({ controlDir }: SessionRepository, treeSha: Sha): Promise<Uint8Array> {
  const run = { cwd: controlDir, encoding: 'buffer' } as const;
  const author = ['-c', 'user.name=Site', '-c', 'user.email=site@example.com'];
  const commit = await execa('git', [...author, 'commit-tree', treeSha, '-m', 'left'], { cwd: controlDir });
  await execa('git', ['update-ref', 'refs/heads/left', commit.stdout], run);
  return (await execa('git', ['bundle', 'create', '--quiet', '-', 'refs/heads/left'], run)).stdout;
}

function find(id: string): Opened {
  const found = opened.get(id);
  if (found === undefined) throw new InvariantError(`there is no site ${id}`);
  return found;
}

async function readAll(outcome: SiteOutcome, stream: 'stdout' | 'stderr'): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of outcome.read(stream)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function toRemote({ key, paths }: PreparedDependencies): RemoteDependencies {
  return { key, paths };
}

/** The calls; `signal` is that of the caller, and `onStdout` sends to it. */
function createCalls(signal: AbortSignal, onStdout: (chunk: Uint8Array) => void): RemoteCalls {
  return {
    probe: () => sites.probe(signal),
    sweep: sites.sweep,
    open: async (request) => {
      const tree = request.tree === null ? null : await unpack(request.tree, signal);
      const relays: OpenedRelay[] = [];
      for (const relay of request.relays) relays.push(await openRelay(relay));
      const site = await sites.open({ ...request, tree, relays: relays.map(({ relay }) => relay) }, signal);
      const id = `site-${String(opened.size)}`;
      opened.set(id, { site, repository: tree?.repository ?? null, relays });
      return id;
    },
    run: async (id, command) => {
      const outcome = await find(id).site.run({ ...command, onStdout }, signal);
      const [stdout, stderr] = [await readAll(outcome, 'stdout'), await readAll(outcome, 'stderr')];
      const { kind, exitCode, signal: killed, durationMs, stdoutTail, stderrTail, processesLeft } = outcome;
      const ended = { kind, exitCode, signal: killed, durationMs, stdoutTail, stderrTail, processesLeft };
      return { ...ended, stdout, stderr };
    },
    takeTree: async (id, exclude) => {
      const { site, repository } = find(id);
      if (repository === null) throw new InvariantError('this site has no tree');
      const { treeSha } = await site.takeTree({ exclude, maxPatchBytes: 0 }, signal);
      return pack(repository, parseSha(treeSha));
    },
    readFile: (id, path, maxBytes) => find(id).site.readFile(path, maxBytes),
    has: (id, path) => find(id).site.has(path),
    keepDependencies: async (id, key, tracked) => toRemote(await find(id).site.keepDependencies(key, tracked)),
    close: async (id) => {
      const { site, relays } = find(id);
      await site.close();
      for (const { server } of relays) server.close();
    },
    findDependencies: async (key) => {
      const found = await sites.findDependencies(key);
      return found === null ? null : toRemote(found);
    },
    hasPrepared: async (key, path) => (await sites.findDependencies(key))?.has(path) ?? false,
    readPrepared: async (key, path, maxBytes) => (await sites.findDependencies(key))?.readFile(path, maxBytes) ?? null,
    listLeft: async () => {
      const sessions = await readdir(join(dataDir, 'sessions'));
      const left = sessions.map((session) => readdir(join(dataDir, 'sessions', session, 'sites')));
      return (await Promise.all(left)).flat();
    },
  };
}

const running = new Map<number, AbortController>();

async function answer(ask: Ask & { readonly args: readonly unknown[] }): Promise<Reply> {
  const { id, call, args } = ask;
  const controller = new AbortController();
  running.set(id, controller);
  try {
    const calls: Readonly<Record<string, unknown>> = {
      ...createCalls(controller.signal, (chunk) => void process.send?.({ id, kind: 'stdout', chunk })),
    };
    const called = calls[call];
    if (!isCall(called)) throw new InvariantError('no such call');
    return { id, kind: 'value', value: await called(...args) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { id, kind: 'error', code: error instanceof CodedError ? error.code : null, message };
  } finally {
    running.delete(id);
  }
}

await mkdir(join(dataDir, 'sessions'), { recursive: true, mode: 0o711 });
process.on('message', (ask: unknown) => {
  if (!isAsk(ask)) return;
  if (ask.call === 'abort') running.get(ask.id)?.abort();
  else void answer(ask).then((reply) => process.send?.(reply));
});
process.on('disconnect', () => process.exit(0));
process.send?.({ id: 0, kind: 'value', value: 'ready' } satisfies Reply);
