import { isConflictMarker } from '../../core/judge/conflict-marker.ts';
import type { Regeneration } from '../../core/merge/find-regenerable.ts';
import type { Sha } from '../../core/model/ids.ts';
import { decodeText } from '../../core/text/decode-text.ts';
import type { OpenRegistries } from '../../ports/registries.ts';
import type { Deps } from '../deps.ts';
import { placeCargoConfig, toConnected } from '../prepare/prepare-dependencies.ts';
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

type Prepared = Pick<PreparedFixup, 'dependencies' | 'policy' | 'repository' | 'session' | 'tracked'>;
type RegenerateDeps = Pick<Deps, 'files' | 'git' | 'log' | 'registries' | 'sites'>;

/**
 * Regenerates files (lockfiles) with the policy's commands, or those of package managers. Each command runs in its file's folder,
 * on a clean checkout of the tree so far: a command of the policy without network, a package manager with the relay to the
 * registries that `setup` has, and without scripts of packages. Only that file is taken from the result.
 */
export async function regenerateFiles(
  deps: RegenerateDeps,
  prepared: Prepared,
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
  deps: RegenerateDeps,
  prepared: Prepared,
  want: Wanted,
  signal: AbortSignal,
): Promise<string | null> {
  const { registries } = deps;
  if (!want.regeneration.isConnected) return runIn(deps, prepared, { ...want, opened: null }, signal);
  if (registries === null) return null;
  const opened = await registries.open(prepared.policy.install.hosts);
  try {
    const text = await runIn(deps, prepared, { ...want, opened }, signal);
    const { path } = want.regeneration;
    const before = await deps.git.readFiles(
      prepared.repository,
      { treeish: want.treeSha, paths: [path], maxBytes: MAX_FILE_BYTES },
      signal,
    );
    return text === null ? null : registries.restoreAddresses(text, before[path] ?? '');
  } finally {
    const use = await opened.close();
    deps.log.info({ ...use, refused: use.refused.length }, 'regeneration read registries');
  }
}

interface Wanted {
  readonly treeSha: Sha;
  readonly regeneration: Regeneration;
  readonly index: number;
}

async function runIn(
  deps: RegenerateDeps,
  prepared: Prepared,
  { treeSha, regeneration, index, opened }: Wanted & { readonly opened: OpenRegistries | null },
  signal: AbortSignal,
): Promise<string | null> {
  const { path, command } = regeneration;
  const { repository, policy, tracked } = prepared;
  const name = `regenerate-${String(index)}`;
  const tree = { repository, treeSha, masked: [], hasHistory: false };
  const relays = opened === null ? [] : [opened.relay];
  // A package manager would write to prepared dependencies. It needs only the tools.
  const dependencies =
    prepared.dependencies === null || opened === null ? prepared.dependencies : { ...prepared.dependencies, paths: [] };
  const surroundings = opened === null ? {} : toConnected(deps, { ...policy.install, scripts: false });
  return withSite(deps, { name, tree, dependencies, inputs: {}, programs: [], relays }, signal, async (site) => {
    if (opened !== null) await placeCargoConfig(site, tracked, signal);
    const line = { ...toShellCommand(toLine(path, command), LIMITS), ...surroundings };
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
