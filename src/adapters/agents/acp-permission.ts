import { isAbsolute, normalize } from 'node:path';
import type { PermissionOption, RequestPermissionResponse, ToolCallUpdate } from '@agentclientprotocol/sdk';

/** The folders that an agent may change, and those that it may read in addition. Absolute. */
export interface PermittedFolders {
  readonly root: string;
  readonly readable: readonly string[];
}

/** Kinds of calls that leave the workspace, or change what the agent may do. */
const REFUSED: ReadonlySet<string> = new Set(['fetch', 'switch_mode']);
const READING: ReadonlySet<string> = new Set(['read', 'search', 'think']);

/**
 * Answers the question for a permission: yes within the workspace, no outside of it, in `.git`, and on the network. Once only, so
 * that each call is looked at. The walls are the sandbox's; this tells a well-behaved agent where they are.
 */
export function answerPermission(
  call: Pick<ToolCallUpdate, 'kind' | 'locations'>,
  options: readonly PermissionOption[],
  folders: PermittedFolders,
): RequestPermissionResponse {
  const wanted = isPermitted(call, folders) ? ['allow_once', 'allow_always'] : ['reject_once', 'reject_always'];
  const option = wanted.map((kind) => options.find((each) => each.kind === kind)).find((each) => each !== undefined);
  if (option === undefined) return { outcome: { outcome: 'cancelled' } };
  return { outcome: { outcome: 'selected', optionId: option.optionId } };
}

function isPermitted(
  { kind, locations }: Pick<ToolCallUpdate, 'kind' | 'locations'>,
  { root, readable }: PermittedFolders,
): boolean {
  if (REFUSED.has(kind ?? 'other')) return false;
  const folders = READING.has(kind ?? 'other') ? [root, ...readable] : [root];
  return (locations ?? []).every(({ path }) => {
    const full = normalize(isAbsolute(path) ? path : `${root}/${path}`);
    const isInside = folders.some((folder) => full === folder || full.startsWith(`${folder}/`));
    return isInside && (READING.has(kind ?? 'other') || !isGit(full.slice(root.length)));
  });
}

function isGit(path: string): boolean {
  return path.split('/').some((part) => part.toLowerCase() === '.git');
}
