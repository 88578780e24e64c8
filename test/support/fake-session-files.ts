import type { Mount } from '../../src/ports/sandbox.ts';
import type { SessionFiles } from '../../src/ports/session-files.ts';

/** Files of sessions that are only names and texts, in memory. */
export interface FakeSessionFiles extends SessionFiles {
  /** Texts by path. */
  readonly written: ReadonlyMap<string, string>;
  /** Tracked files that were taken out of a workspace. */
  readonly masked: readonly string[];
  readonly sweptBefore: readonly number[];
  /** The next file of the service cannot be written. */
  readonly failNextWrite: (error: Error) => void;
  /** Untrusted code leaves a file, at its whole path. */
  readonly leave: (path: string, text: string) => void;
  /** What the next setup leaves; `node_modules` where nothing is said. */
  readonly makeBySetup: (...names: readonly string[]) => void;
}

/** Files with no prepared dependencies. */
export function createFakeSessionFiles(): FakeSessionFiles {
  let made: readonly string[] = ['node_modules'];
  let failure: Error | null = null;
  const written = new Map<string, string>();
  const masked: string[] = [];
  const sweptBefore: number[] = [];
  const dependencies = new Map<string, readonly Mount[]>();
  return {
    written,
    masked,
    sweptBefore,
    makeBySetup: (...names) => {
      made = names;
    },
    failNextWrite: (error) => {
      failure = error;
    },
    leave: (path, text) => void written.set(path, text),
    makeFolder: async (runId, name) => `/sessions/${runId}/${name}`,
    writeFile: async (folder, name, text) => {
      const error = failure;
      failure = null;
      if (error !== null) throw error;
      written.set(`${folder}/${name}`, text);
      return `${folder}/${name}`;
    },
    readLeft: async (folder, path) => written.get(`${folder}/${path}`) ?? null,
    readOutput: async (folder, path) => written.get(`${folder}/${path}`) ?? null,
    readPrepared: async (source, path) => written.get(`${source}/${path}`) ?? null,
    hasPrepared: async (source, path) => written.has(`${source}/${path}`),
    artifactsFolder: async (runId) => `/artifacts/${runId}`,
    removeTracked: async (_workDir, paths) => void masked.push(...paths),
    findDependencies: async ({ hash }) => dependencies.get(hash) ?? null,
    keepDependencies: async ({ hash }, { target }) => {
      const mounts = made.map((name) => ({
        source: `/dependencies/${hash}/${name}`,
        target: `${target}/${name}`,
        writable: false,
      }));
      dependencies.set(hash, mounts);
      return mounts;
    },
    sweep: async (before) => void sweptBefore.push(before),
  };
}
