import { RepositoryError } from '../../core/model/errors.ts';
import { parseSha, type Sha } from '../../core/model/ids.ts';
import type { ConflictedFile, MergeTree } from '../../ports/git.ts';

const ENTRY = /^(\d{6}) ([0-9a-f]{40}) ([123])\t(.+)$/s;
const FILE_MODES: ReadonlySet<string> = new Set(['100644', '100755']);
/** git prints a line for each conflict, and every file may have one. */
const MAX_MESSAGES_LENGTH = 32 * 1024;

interface Stage {
  readonly mode: string;
  readonly sha: Sha;
  /** 1: merge base, 2: ours, 3: theirs. */
  readonly stage: string;
  readonly path: string;
}

interface Message {
  readonly paths: readonly string[];
  /** git's stable name for the kind of message. */
  readonly type: string;
  readonly text: string;
}

/**
 * Parses the output of `git merge-tree --write-tree -z --messages`: the tree, one entry per path and stage, an empty
 * part, then the messages. The stages present tell AU, UA, DU, UD, AA and UU apart. Only git's exit code proves a clean
 * merge, so the caller passes `isClean`. Throws `RepositoryError` (`GIT_FAILED`) for output that it cannot parse.
 */
export function parseMergeTree(text: string, isClean: boolean): MergeTree {
  const parts = text.split('\0');
  const treeSha = toSha(parts[0]);
  if (isClean) return { kind: 'clean', treeSha };
  const end = parts.indexOf('', 1);
  const stages = parts.slice(1, end === -1 ? parts.length : end).map(toStage);
  const messages = end === -1 ? [] : toMessages(parts.slice(end + 1));
  const conflicts = messages.filter(({ type }) => type.startsWith('CONFLICT'));
  const binary = new Set(conflicts.filter(({ type }) => type.includes('binary')).flatMap(({ paths }) => paths));
  const files = toFiles(stages, binary);
  const named = new Set([...files.map(({ path }) => path), ...conflicts.flatMap(({ paths }) => paths)]);
  const said = messages.map(({ text: line }) => line.trim()).join('\n');
  return { kind: 'conflicted', treeSha, files, named: [...named], messages: said.slice(0, MAX_MESSAGES_LENGTH) };
}

function toFiles(stages: readonly Stage[], binary: ReadonlySet<string>): readonly ConflictedFile[] {
  const byPath = Map.groupBy(stages, ({ path }) => path);
  return [...byPath].map(([path, of]) => {
    const blobOf = (wanted: string): Sha | null => of.find(({ stage }) => stage === wanted)?.sha ?? null;
    const isText = !binary.has(path) && of.every(({ mode }) => FILE_MODES.has(mode));
    return { path, baseBlob: blobOf('1'), ourBlob: blobOf('2'), theirBlob: blobOf('3'), isText };
  });
}

function toStage(part: string): Stage {
  const [, mode = '', sha = '', stage = '', path = ''] = ENTRY.exec(part) ?? [];
  if (path === '') throw unreadable();
  return { mode, sha: toSha(sha), stage, path };
}

/** Each message: number of paths, paths, type, text. Advice for people (on submodules) may follow the last. */
function toMessages(parts: readonly string[]): readonly Message[] {
  const messages: Message[] = [];
  let at = 0;
  while (/^\d{1,6}$/.test(parts[at] ?? '')) {
    const count = Number(parts[at]);
    const paths = parts.slice(at + 1, at + 1 + count);
    const [type, text] = parts.slice(at + 1 + count, at + 3 + count);
    if (type === undefined || text === undefined) throw unreadable();
    messages.push({ paths, type, text });
    at += count + 3;
  }
  return messages;
}

function toSha(text: string | undefined): Sha {
  if (text === undefined || !/^[0-9a-f]{40}$/.test(text)) throw unreadable();
  return parseSha(text);
}

function unreadable(): RepositoryError {
  return new RepositoryError('GIT_FAILED', "git's answer about the merge cannot be read", { retry: 'never' });
}
