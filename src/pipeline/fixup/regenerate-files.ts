import { isConflictMarker } from '../../core/judge/conflict-marker.ts';
import type { Regeneration } from '../../core/merge/find-regenerable.ts';
import type { Sha } from '../../core/model/ids.ts';
import { decodeText } from '../../core/text/decode-text.ts';
import type { Deps } from '../deps.ts';
import { isSuccess, runKept, toShellCommand, withSite } from '../prepare/with-site.ts';
import type { PreparedFixup } from './fixup-session.ts';

const LIMITS = { timeoutMs: 10 * 60_000, maxOutputBytes: 16 * 1024 * 1024 } as const;
const MAX_FILE_BYTES = 16 * 1024 * 1024;

/** The tree with the regenerated files, and the regenerations that succeeded and failed. */
export interface Regenerated {
  readonly treeSha: Sha;
  readonly made: readonly Regeneration[];
  readonly failed: readonly Regeneration[];
}

/**
 * Regenerates files (lockfiles) with the policy's commands. Each command runs in its file's folder, on a clean checkout of the
 * tree so far, without network. Only that file is taken from the result.
 */
export async function regenerateFiles(
  deps: Pick<Deps, 'files' | 'git' | 'log' | 'sites'>,
  prepared: PreparedFixup,
  want: { readonly treeSha: Sha; readonly regenerations: readonly Regeneration[] },
  signal: AbortSignal,
): Promise<Regenerated> {
  let { treeSha } = want;
  const made: Regeneration[] = [];
  const failed: Regeneration[] = [];
  for (const [index, regeneration] of want.regenerations.entries()) {
    const text = await regenerate(deps, prepared, { treeSha, regeneration, index }, signal);
    signal.throwIfAborted();
    if (text === null) {
      failed.push(regeneration);
      continue;
    }
    made.push(regeneration);
    treeSha = await deps.git.writeTree(prepared.repository, { treeSha, files: { [regeneration.path]: text } }, signal);
  }
  const { session } = prepared;
  deps.log.info(
    { sessionId: session.id, key: session.key, made: made.length, failed: failed.length },
    'files regenerated',
  );
  return { treeSha, made, failed };
}

/** The file's new text; null if the command fails, or leaves no text or conflict markers. */
async function regenerate(
  deps: Pick<Deps, 'files' | 'sites'>,
  prepared: PreparedFixup,
  want: { readonly treeSha: Sha; readonly regeneration: Regeneration; readonly index: number },
  signal: AbortSignal,
): Promise<string | null> {
  const { path, command } = want.regeneration;
  const { repository, dependencies } = prepared;
  const name = `regenerate-${String(want.index)}`;
  const tree = { repository, treeSha: want.treeSha, masked: [], hasHistory: false };
  return withSite(deps, { name, tree, dependencies, inputs: {}, programs: [] }, signal, async (site) => {
    const line = toShellCommand(toLine(path, command), LIMITS);
    const outcome = await runKept(deps, { site, runId: repository.runId, name }, line, signal);
    const bytes = isSuccess(outcome) ? await site.readFile(path, MAX_FILE_BYTES) : null;
    const text = bytes === null ? null : decodeText(bytes);
    return text === null || text.split(/\r?\n/u).some(isConflictMarker) ? null : text;
  });
}

/** The folder's name is untrusted: it is quoted and cannot be read as an option. */
function toLine(path: string, command: string): string {
  const folder = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '.';
  return `cd -- '${folder.replaceAll("'", "'\\''")}' || exit 1\n${command}`;
}
