import { isAbsolute } from 'node:path';
import { InvariantError } from '../../core/model/errors.ts';
import type { AgentCheck } from '../../ports/agent.ts';
import type { Mount } from '../../ports/sandbox.ts';
import { findProgram, resolveFile, SEARCH_PATH, toProgramMount } from '../../system/find-program.ts';

/** How to start a program that the operator named, resolved once. */
export type Launch =
  | {
      readonly kind: 'ok';
      readonly argv: readonly string[];
      readonly mounts: readonly Mount[];
      /** The program and all files among its arguments, by their real paths. */
      readonly files: readonly string[];
    }
  | { readonly kind: 'bad'; readonly why: string };

/**
 * Resolves a program (an absolute path or a bare name) and its arguments. Absolute paths of files are mounted. No program may come
 * from `siteRoot`, the tree of the pull request.
 */
export function resolveLaunch([name, ...args]: readonly string[], siteRoot: string): Launch {
  if (name === undefined || name === '') return { kind: 'bad', why: 'the agent command is empty' };
  if (isWithin(name, siteRoot)) {
    return { kind: 'bad', why: `the agent's program ${name} would come from the pull request itself` };
  }
  const program = findProgram(name, SEARCH_PATH);
  if (program === null) {
    return { kind: 'bad', why: `the agent's program ${name} was not found, or cannot be executed` };
  }
  const found = args.map((arg) => (isAbsolute(arg) && !isWithin(arg, siteRoot) ? resolveFile(arg) : null));
  const files = [program, ...found.filter((path) => path !== null)];
  const mounts = files.map(toProgramMount).filter((mount) => mount !== null);
  return {
    kind: 'ok',
    argv: [program, ...args.map((arg, index) => found[index] ?? arg)],
    mounts: [...new Map(mounts.map((mount) => [mount.target, mount])).values()],
    files,
  };
}

/** Whether it can still be started: its files may have been removed. */
export function checkLaunch(launch: Launch): AgentCheck {
  if (launch.kind === 'bad') return { kind: 'unavailable', why: launch.why };
  const missing = launch.files.find((path) => resolveFile(path) === null);
  if (missing !== undefined) return { kind: 'unavailable', why: `the agent's file ${missing} is missing` };
  return { kind: 'ok', version: null, isNewer: false };
}

export function requireLaunch(launch: Launch): Launch & { readonly kind: 'ok' } {
  if (launch.kind === 'bad') throw new InvariantError(`check the agent before you start it: ${launch.why}`);
  return launch;
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
