import { lstat, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { findNameProblem, readPlanPath } from '../../core/execution/plan-path.ts';
import { WorkplaceError } from '../../core/model/errors.ts';

/** More links than this on one path are a ring. */
const MAX_LINKS = 40;
const MAX_SHOWN = 200;

/**
 * The canonical path of `path` below `root`, without links. `of` is `entry` for the last part itself, or `target` for what it leads
 * to. Nothing may change the folder meanwhile. @throws WorkplaceError
 */
export async function resolvePath(root: string, path: string, of: 'entry' | 'target'): Promise<string> {
  const read = readPlanPath(path);
  if (read.kind === 'refused') throw refuse(path, read.why);
  const left = [...read.parts];
  const done: string[] = [];
  let links = 0;
  for (let part = left.shift(); part !== undefined; part = left.shift()) {
    if (part === '' || part === '.') continue;
    if (part === '..') {
      if (done.pop() === undefined) throw refuse(path, 'a link leads out of the folder of the plan');
      continue;
    }
    const problem = findNameProblem(part);
    if (problem !== null) throw refuse(path, problem);
    const target = left.length === 0 && of === 'entry' ? null : await readTarget(join(root, ...done, part));
    if (target === null) {
      done.push(part);
      continue;
    }
    links += 1;
    if (links > MAX_LINKS) throw refuse(path, 'its links form a ring');
    if (target.startsWith('/')) throw refuse(path, 'a link leads out of the folder of the plan');
    left.unshift(...target.split('/'));
  }
  if (done.length === 0) throw refuse(path, 'it is the folder of the plan itself');
  return done.join('/');
}

/** null: it is no link. */
async function readTarget(path: string): Promise<string | null> {
  try {
    return (await lstat(path)).isSymbolicLink() ? await readlink(path) : null;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}

export function refuse(path: string, why: string): WorkplaceError {
  return new WorkplaceError(
    'PATH_REFUSED',
    `the path ${JSON.stringify(path.slice(0, MAX_SHOWN))} cannot be used: ${why}`,
  );
}
