import { InvariantError, toError } from '../../core/model/errors.ts';
import { parseSha, type RunId, type Sha } from '../../core/model/ids.ts';
import type { Mirror, PushResult, RemoteAccess } from '../../ports/git.ts';
import { toBranchRef } from './branch-ref.ts';
import { classifyPush, type PushVerdict } from './classify-push.ts';
import { gitAt, isAncestor, readCommit, toCall } from './git-at.ts';
import type { GitContext } from './git-context.ts';
import { toKeptRef } from './prepare-session.ts';
import { isOk, toTransportError } from './run-git.ts';
import { type RemoteCall, runRemote } from './run-remote.ts';

/** One push of a kept commit. */
export interface KeptPush {
  readonly mirror: Mirror;
  readonly runId: RunId;
  readonly commitSha: Sha;
  readonly branch: string;
  readonly oldSha: Sha;
  readonly remote: RemoteAccess;
}

const READ_HEAD_TIMEOUT_MS = 60_000;

/**
 * See `Git.pushKept`. The lease makes the push a compare-and-swap and does not recreate a deleted branch (F26). The
 * ancestor check ensures that the push only adds commits: a lease alone would allow a rewrite (F27).
 */
export async function pushKept(context: GitContext, push: KeptPush, signal: AbortSignal): Promise<PushResult> {
  const ref = await toBranchRef(context.runGit, push.branch, context.layout.dataDir, signal);
  const git = gitAt(context, push.mirror.gitDir, signal);
  if ((await readCommit(git, toKeptRef(push.runId, 'intent'))) !== push.commitSha) {
    throw new InvariantError('only the kept commit of the session may be pushed');
  }
  if (!(await isAncestor(git, push.oldSha, push.commitSha))) {
    return { kind: 'refused', reason: 'the commit does not descend from the head that it was made for' };
  }
  const args = [
    ...['push', '--porcelain', '--no-verify', '--no-recurse-submodules'],
    ...[`--force-with-lease=${ref}:${push.oldSha}`, '--', push.remote.url, `${push.commitSha}:${ref}`],
  ];
  const { remote } = push;
  const call = toCall(context, push.mirror.gitDir, args, { timeoutMs: context.limits.pushTimeoutMs });
  const output = await runRemote(context, { ...call, remote }, signal);
  const verdict = classifyPush({ ...output, stdout: output.stdout.toString('utf8') });
  return verdict.kind === 'pushed' || verdict.kind === 'unknown'
    ? verdict
    : explainRejection(context, push, verdict, signal);
}

/** See `Git.readRemoteHead`. */
export async function readRemoteHead(
  context: GitContext,
  want: { readonly branch: string; readonly remote: RemoteAccess },
  signal: AbortSignal,
): Promise<Sha | null> {
  const { dataDir } = context.layout;
  const ref = await toBranchRef(context.runGit, want.branch, dataDir, signal);
  const call: RemoteCall = {
    args: ['ls-remote', '--', want.remote.url, ref],
    gitDir: null,
    cwd: dataDir,
    remote: want.remote,
    timeoutMs: READ_HEAD_TIMEOUT_MS,
  };
  const output = await runRemote(context, call, signal);
  if (!isOk(output)) throw toTransportError(call, output);
  const lines = output.stdout.toString('utf8').split('\n');
  // `ls-remote` also matches `<anything>/refs/heads/<branch>`, so compare the exact name.
  const line = lines.find((candidate) => candidate.slice(41) === ref);
  return line === undefined ? null : parseSha(line.slice(0, 40));
}

/** A rejected push gives little reason. The branch's current head tells a race from a refusal. */
async function explainRejection(
  context: GitContext,
  push: KeptPush,
  verdict: PushVerdict & { readonly kind: 'lost_race' | 'refused' },
  signal: AbortSignal,
): Promise<PushResult> {
  let remoteSha: Sha | null;
  try {
    remoteSha = await readRemoteHead(context, push, signal);
  } catch (error) {
    signal.throwIfAborted();
    context.log.warn({ error: toError(error) }, 'remote head could not be read after a push');
    return verdict.kind === 'refused' ? verdict : { kind: 'unknown', reason: 'the push was rejected' };
  }
  if (remoteSha === push.commitSha) return { kind: 'pushed' };
  if (remoteSha !== push.oldSha) return { kind: 'stale', remoteSha };
  return verdict.kind === 'refused' ? verdict : { kind: 'unknown', reason: 'the branch was locked by another push' };
}
