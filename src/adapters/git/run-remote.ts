import type { RemoteAccess } from '../../ports/git.ts';
import { isDenied } from './classify-transport.ts';
import type { GitContext } from './git-context.ts';
import { type GitCall, type GitOutput, isOk } from './run-git.ts';

/** GitHub does not know a token everywhere at once. While it is younger than this, a denial is doubted. */
const YOUNG_TOKEN_MS = 10_000;
/** Waits before a denial of a young token is believed. */
const WAITS_MS = [1_000, 2_000, 4_000] as const;

/** A call that goes to a remote. */
export type RemoteCall = GitCall & { readonly remote: RemoteAccess };

/**
 * Runs a git command that goes to a remote. If GitHub denies it to a token that is too young to be known everywhere,
 * runs it again with the same token: a denied command had no effect.
 */
export async function runRemote(
  { clock, runGit, sleep }: Pick<GitContext, 'clock' | 'runGit' | 'sleep'>,
  call: RemoteCall,
  signal: AbortSignal,
): Promise<GitOutput> {
  const { mintedAt = Number.NEGATIVE_INFINITY } = call.remote.token;
  let output = await runGit(call, signal);
  for (const waitMs of WAITS_MS) {
    const isYoung = clock.now() - mintedAt < YOUNG_TOKEN_MS;
    if (isOk(output) || !isYoung || !isDenied(output.stderr)) return output;
    await sleep(waitMs, signal);
    output = await runGit(call, signal);
  }
  return output;
}
