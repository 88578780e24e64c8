import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import process from 'node:process';
import { execa } from 'execa';
import { InvariantError, SiteError } from '../../../src/core/model/errors.ts';
import { parseSha, type Sha } from '../../../src/core/model/ids.ts';
import type { Git, ImportedTree, SessionRepository } from '../../../src/ports/git.ts';
import type { PreparedDependencies, Site, SiteRelay, SiteRequest, Sites, SiteTree } from '../../../src/ports/site.ts';
import { IS_ROOT } from '../sandbox/sandbox-fixture.ts';
import { createForwarder } from './forward.ts';
import {
  type Ask,
  isReply,
  isResult,
  type RemoteCalls,
  type RemoteDependencies,
  type RemoteRelay,
  type RemoteRequest,
  type Reply,
  type Result,
} from './remote-calls.ts';

/** Calls the other process; rejects with its error. The signal is passed on. */
type Call = <Name extends keyof RemoteCalls>(
  name: Name,
  args: Parameters<RemoteCalls[Name]>,
  signal?: AbortSignal,
  onStdout?: (chunk: Uint8Array) => void,
) => Promise<Result<Name>>;

/** A call without its reply. */
interface Waiting {
  readonly resolve: (reply: Exclude<Reply, { readonly kind: 'stdout' }>) => void;
  readonly onStdout: ((chunk: Uint8Array) => void) | undefined;
}

/** Sites of another process. */
export interface RemoteSites extends Sites {
  readonly listLeft: () => Promise<readonly string[]>;
  readonly stop: () => Promise<void>;
}

const SERVER = join(import.meta.dirname, 'children', 'serve-sites.ts');
const CODES = ['CANNOT_KEEP', 'NOT_TRUSTED', 'CLOSED', 'BUSY'] as const;

/**
 * Starts a process that has sites in `folder`. As root it has file systems of its own there and in `hidden`, the folder of the
 * control plane: neither side sees a file of the other.
 */
export async function createRemoteSites(
  git: Pick<Git, 'diffTrees'>,
  { folder, hidden }: { readonly folder: string; readonly hidden: string },
): Promise<RemoteSites> {
  const node = `exec "${process.execPath}" "${SERVER}" "${folder}"`;
  const alone = `mount -t tmpfs -o mode=0711 tmpfs "${folder}" && mount -t tmpfs tmpfs "${hidden}" && ${node}`;
  const [program = '', ...args] = IS_ROOT ? ['unshare', '--mount', 'sh', '-c', alone] : ['sh', '-c', node];
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', HOME: folder, TMPDIR: folder };
  const stdio = ['ignore', 'ignore', 'inherit', 'ipc'] as const;
  const child = spawn(program, args, { env, stdio: [...stdio], serialization: 'advanced' });
  await once(child, 'message');
  const call = createCall(child);
  return {
    promises: ['fresh_tree', 'take_tree', 'no_network', 'relays', 'limits', 'isolation', 'inputs', 'dependencies'],
    layout: {
      root: '/workspace',
      inputs: '/ratchet/evidence',
      artifacts: () => '/ratchet/artifacts',
      nodePath: 'node',
      toolchains: [],
    },
    probe: (signal) => call('probe', [], signal),
    sweep: () => call('sweep', []),
    open: async (request, signal) => {
      const forwarders: Server[] = [];
      for (const { socketPath } of request.relays ?? [])
        forwarders.push(await listen(createForwarder({ path: socketPath })));
      const closeRelays = (): void => forwarders.forEach((server) => void server.close());
      try {
        const remote = await toRemoteRequest(request, forwarders);
        const id = await call('open', [remote], signal);
        return createSite({ call, git, tree: request.tree, id, closeRelays });
      } catch (error) {
        closeRelays();
        throw error;
      }
    },
    findDependencies: async (key) => {
      const found = await call('findDependencies', [key]);
      return found === null ? null : toPrepared(call, found);
    },
    listLeft: () => call('listLeft', []),
    stop: async () => {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}

function createCall(child: ChildProcess): Call {
  const waiting = new Map<number, Waiting>();
  let count = 0;
  child.on('message', (reply: unknown) => {
    if (!isReply(reply)) return;
    const call = waiting.get(reply.id);
    if (reply.kind === 'stdout') {
      call?.onStdout?.(reply.chunk);
      return;
    }
    call?.resolve(reply);
    waiting.delete(reply.id);
  });
  const send = (ask: Ask): void => void child.send(ask);
  return async <Name extends keyof RemoteCalls>(
    name: Name,
    args: Parameters<RemoteCalls[Name]>,
    signal?: AbortSignal,
    onStdout?: (chunk: Uint8Array) => void,
  ): Promise<Result<Name>> => {
    count += 1;
    const id = count;
    const { promise, resolve } = Promise.withResolvers<Exclude<Reply, { readonly kind: 'stdout' }>>();
    waiting.set(id, { resolve, onStdout });
    const abort = (): void => send({ id, call: 'abort' });
    send({ id, call: name, args });
    if (signal?.aborted === true) abort();
    signal?.addEventListener('abort', abort, { once: true });
    const reply = await promise;
    signal?.removeEventListener('abort', abort);
    if (reply.kind === 'error') throw toError(reply);
    const { value } = reply;
    if (!isResult(name, value)) throw new InvariantError('not an answer');
    return value;
  };
}

function toError({ code, message }: Reply & { readonly kind: 'error' }): Error {
  const known = CODES.find((candidate) => candidate === code);
  return known === undefined ? new Error(message) : new SiteError(known, message);
}

async function listen(server: Server): Promise<Server> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

async function toRemoteRequest(
  { tree, relays = [], ...rest }: SiteRequest,
  forwarders: readonly Server[],
): Promise<RemoteRequest> {
  const request = {
    ...rest,
    relays: relays.map((relay, at) => toRemoteRelay(relay, forwarders[at]?.address() ?? null)),
  };
  if (tree === null) return { ...request, tree: null };
  const { repository, treeSha, masked, hasHistory } = tree;
  const commit = await toCommit(repository, treeSha);
  const run = { cwd: repository.controlDir, encoding: 'buffer' } as const;
  await execa('git', ['update-ref', 'refs/heads/sent', commit], run);
  const { stdout: bundle } = await execa('git', ['bundle', 'create', '--quiet', '-', 'refs/heads/sent'], run);
  return { ...request, tree: { bundle, commit, masked, hasHistory } };
}

function toRemoteRelay({ name, port }: SiteRelay, address: AddressInfo | string | null): RemoteRelay {
  if (address === null || typeof address === 'string') throw new InvariantError('a forwarder does not listen');
  return { name, port, tcpPort: address.port };
}

/** A commit with that tree. */
async function toCommit({ controlDir }: SessionRepository, treeSha: Sha): Promise<Sha> {
  const type = await execa('git', ['cat-file', '-t', treeSha], { cwd: controlDir });
  if (type.stdout === 'commit') return treeSha;
  const author = ['-c', 'user.name=Site', '-c', 'user.email=site@example.com'];
  const made = await execa('git', [...author, 'commit-tree', treeSha, '-m', 'sent'], { cwd: controlDir });
  return parseSha(made.stdout);
}

function createSite(parts: {
  readonly call: Call;
  readonly git: Pick<Git, 'diffTrees'>;
  readonly tree: SiteTree | null;
  readonly id: string;
  readonly closeRelays: () => void;
}): Site {
  const { call, git, tree, id, closeRelays } = parts;
  return {
    run: async ({ onStdout, ...command }, signal) => {
      const { stdout, stderr, ...outcome } = await call('run', [id, command], signal, onStdout);
      return {
        ...outcome,
        async *read(stream) {
          yield stream === 'stdout' ? stdout : stderr;
        },
      };
    },
    takeTree: async ({ exclude, maxPatchBytes }, signal) => {
      if (tree === null) throw new InvariantError('this site has no tree');
      const bundle = await call('takeTree', [id, exclude], signal);
      return importBundle(git, { ...tree, bundle, maxPatchBytes }, signal);
    },
    readFile: (path, maxBytes) => call('readFile', [id, path, maxBytes]),
    has: (path) => call('has', [id, path]),
    keepDependencies: async (key, tracked) => toPrepared(call, await call('keepDependencies', [id, key, tracked])),
    close: async () => {
      await call('close', [id]);
      closeRelays();
    },
  };
}

/** The other side is not trusted: its objects are checked, and what changed is found out here. */
async function importBundle(
  git: Pick<Git, 'diffTrees'>,
  left: Pick<SiteTree, 'repository' | 'treeSha'> & { readonly bundle: Uint8Array; readonly maxPatchBytes: number },
  signal: AbortSignal,
): Promise<ImportedTree> {
  const { repository, treeSha: against, bundle, maxPatchBytes } = left;
  const cwd = repository.controlDir;
  const file = join(cwd, 'left.bundle');
  await writeFile(file, bundle);
  const checked = ['-c', 'fetch.fsckObjects=true'];
  await execa('git', [...checked, 'fetch', '--quiet', '--force', file, 'refs/heads/left:refs/heads/left'], { cwd });
  await rm(file);
  const { stdout } = await execa('git', ['rev-parse', 'refs/heads/left^{tree}'], { cwd });
  const treeSha = parseSha(stdout);
  const diff = await git.diffTrees(repository, { from: against, to: treeSha, maxPatchBytes }, signal);
  return { treeSha, against, ...diff };
}

function toPrepared(call: Call, { key, paths }: RemoteDependencies): PreparedDependencies {
  return {
    key,
    paths,
    has: (path) => call('hasPrepared', [key, path]),
    readFile: (path, maxBytes) => call('readPrepared', [key, path, maxBytes]),
  };
}
