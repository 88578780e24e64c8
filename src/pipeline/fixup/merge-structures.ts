import { isConflictMarker } from '../../core/judge/conflict-marker.ts';
import { isPointerHeader } from '../../core/judge/lfs-pointer.ts';
import { EMPTY_TREE, type Sha } from '../../core/model/ids.ts';
import { decodeText } from '../../core/text/decode-text.ts';
import type { ConflictedFile } from '../../ports/git.ts';
import type { MergeTool } from '../../ports/merge-tool.ts';
import type { Site } from '../../ports/site.ts';
import type { Deps } from '../deps.ts';
import { isSuccess, runKept, toCommand, withSite } from '../prepare/with-site.ts';
import { MAX_CONFLICT_BYTES, readSides } from './collect-conflicts.ts';
import type { PreparedFixup } from './fixup-session.ts';

const SITE = 'merge-structures';
const LIMITS = { timeoutMs: 30_000, maxOutputBytes: 3 * MAX_CONFLICT_BYTES } as const;
/** More files are left to the next means. */
const MAX_FILES = 50;
/** No further file is begun after this time. */
const MAX_TOTAL_MS = 5 * 60_000;

/** The sides of a file that the tool can merge. */
interface Mergeable {
  readonly path: string;
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
}

type MergeDeps = Pick<Deps, 'clock' | 'files' | 'git' | 'log' | 'sites'>;

/**
 * Merges files by their structure: in a sealed site that has the sides of the files and nothing else. Returns the texts of those
 * that the tool merged without a conflict. Like every change they have to pass the gate.
 */
export async function mergeStructures(
  deps: MergeDeps,
  prepared: Pick<PreparedFixup, 'repository' | 'session'>,
  { tool, files }: { readonly tool: MergeTool; readonly files: readonly ConflictedFile[] },
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  const { repository, session } = prepared;
  const mergeable = await readMergeable(deps, prepared, files, signal);
  if (mergeable.length === 0) return {};
  const tree = { repository, treeSha: EMPTY_TREE, masked: [], hasHistory: false };
  const request = { name: SITE, tree, dependencies: null, inputs: toInputs(mergeable), programs: [tool.programs] };
  const merged = await withSite(deps, request, signal, (site) =>
    runTool(deps, { ...prepared, tool, site, mergeable }, signal),
  );
  const counts = { tool: tool.name, version: tool.version, merged: Object.keys(merged).length, of: files.length };
  deps.log.info({ sessionId: session.id, key: session.key, ...counts }, 'conflicts merged by structure');
  return merged;
}

async function readMergeable(
  deps: Pick<Deps, 'git'>,
  prepared: Pick<PreparedFixup, 'repository'>,
  files: readonly ConflictedFile[],
  signal: AbortSignal,
): Promise<readonly Mergeable[]> {
  const candidates = files.filter(({ isText }) => isText).slice(0, MAX_FILES);
  const sides = await readSides(deps, prepared, candidates, signal);
  const textOf = (blob: Sha | null): string | undefined => (blob === null ? undefined : sides.get(blob));
  return candidates.flatMap(({ path, baseBlob, ourBlob, theirBlob }) => {
    const [base, ours, theirs] = [textOf(baseBlob), textOf(ourBlob), textOf(theirBlob)];
    if (base === undefined || ours === undefined || theirs === undefined) return [];
    return [base, ours, theirs].some(isPointerHeader) ? [] : [{ path, base, ours, theirs }];
  });
}

const SIDES = ['base', 'ours', 'theirs'] as const;

function toInputs(files: readonly Mergeable[]): Readonly<Record<string, string>> {
  const texts = files.flatMap((file, index) => SIDES.map((side) => [`${String(index)}.${side}`, file[side]] as const));
  return Object.fromEntries(texts);
}

async function runTool(
  deps: Pick<Deps, 'clock' | 'files' | 'sites'>,
  work: Pick<PreparedFixup, 'repository'> & {
    readonly tool: MergeTool;
    readonly site: Site;
    readonly mergeable: readonly Mergeable[];
  },
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  const { tool, site, mergeable, repository } = work;
  const until = deps.clock.now() + MAX_TOTAL_MS;
  const merged: [string, string][] = [];
  for (const [index, { path }] of mergeable.entries()) {
    if (deps.clock.now() >= until) break;
    const [base, ours, theirs] = SIDES.map((side) => `${deps.sites.layout.inputs}/${String(index)}.${side}`);
    if (base === undefined || ours === undefined || theirs === undefined) break;
    const argv = tool.command({ base, ours, theirs, path });
    const run = { site, runId: repository.runId, name: `${SITE}-${String(index)}` };
    const outcome = await runKept(deps, run, toCommand({ argv, ...LIMITS }), signal);
    signal.throwIfAborted();
    const text = isSuccess(outcome) ? decodeText(await readAll(outcome.read('stdout'))) : null;
    if (text !== null && text !== '' && !text.split('\n').some(isConflictMarker)) merged.push([path, text]);
  }
  return Object.fromEntries(merged);
}

async function readAll(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}
