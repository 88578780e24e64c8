import { lstatSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { findNameProblem, readPlanPath } from '../../core/execution/plan-path.ts';
import { WorkplaceError } from '../../core/model/errors.ts';

/** More links than this on one path are a ring. */
const MAX_LINKS = 40;
const MAX_SHOWN = 200;
/** The system allows 4,095. The rest is for the name of a file that is written beside its place. */
const MAX_PATH_BYTES = 4000;
const LEADS_OUT = 'a link leads out of the folder of the plan';

/**
 * The canonical path of `path` below `root`, without links. `of` is `entry` for the last part itself, or `target` for what it leads
 * to. Nothing may change the folder meanwhile. Synchronous: a step looks at many entries, and waiting for each one takes far longer than
 * the look. @throws WorkplaceError
 */
export function resolvePath(root: string, path: string, of: 'entry' | 'target'): string {
  const read = readPlanPath(path);
  if (read.kind === 'refused') throw refuse(path, read.why);
  const left = [...read.parts];
  const done: string[] = [];
  let links = 0;
  for (let part = left.shift(); part !== undefined; part = left.shift()) {
    if (!take(part, done, path)) continue;
    if (Buffer.byteLength(join(root, ...done)) > MAX_PATH_BYTES) throw refuse(path, 'it is too long for this system');
    const isLast = left.length === 0;
    const target = isLast && of === 'entry' ? null : readTarget(join(root, ...done));
    if (target === null) continue;
    done.pop();
    links += 1;
    if (links > MAX_LINKS) throw refuse(path, 'its links form a ring');
    if (target.startsWith('/')) throw refuse(path, LEADS_OUT);
    left.unshift(...target.split('/'));
  }
  if (done.length === 0) throw refuse(path, 'it is the folder of the plan itself');
  return done.join('/');
}

/** Takes a part of a path or of a link. False: it names no entry. */
function take(part: string, done: string[], path: string): boolean {
  if (part === '' || part === '.') return false;
  if (part === '..') {
    if (done.pop() === undefined) throw refuse(path, LEADS_OUT);
    return false;
  }
  const problem = findNameProblem(part);
  if (problem !== null) throw refuse(path, problem);
  done.push(part);
  return true;
}

/** null: it is no link. */
function readTarget(path: string): string | null {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : null;
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
