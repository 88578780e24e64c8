import type { Mount } from '../../src/ports/sandbox.ts';
import type { SessionFiles } from '../../src/ports/session-files.ts';

/** Files of sessions that are only names and texts, in memory. */
export interface FakeSessionFiles extends SessionFiles {
  /** Texts by path. */
  readonly written: ReadonlyMap<string, string>;
  /** Tracked files that were taken out of a workspace. */
  readonly masked: readonly string[];
  readonly sweptBefore: readonly number[];
  /** Untrusted code leaves a file, at its whole path. */
  readonly leave: (path: string, text: string) => void;
  /** What the next setup leaves; `node_modules` where nothing is said. */
  readonly makeBySetup: (...names: readonly string[]) => void;
}

/** Files with no prepared dependencies. */
export function createFakeSessionFiles(): FakeSessionFiles {
  let made: readonly string[] = ['node_modules'];
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
    leave: (path, text) => void written.set(path, text),
    makeFolder: async (sessionId, name) => `/sessions/${sessionId}/${name}`,
    writeFile: async (folder, name, text) => {
      written.set(`${folder}/${name}`, text);
      return `${folder}/${name}`;
    },
    readLeft: async (folder, path) => written.get(`${folder}/${path}`) ?? null,
    artifactsFolder: async (sessionId) => `/artifacts/${sessionId}`,
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
