import { createSandboxSites, type SandboxSitesOptions } from '../../src/adapters/sites/create-sandbox-sites.ts';
import type { TreeFolders } from '../../src/ports/git.ts';
import type { Sandbox } from '../../src/ports/sandbox.ts';
import type { Sites } from '../../src/ports/site.ts';
import { createTestLog } from './git-repository.ts';

/** A folder of the operator without links. */
export function aToolchain(folder: string): SandboxSitesOptions['toolchains'] {
  return { folders: [folder], mounts: [{ source: folder, target: folder, writable: false }] };
}

/** Sites over a sandbox, with no programs of an operator and nothing waived. */
export function createTestSites(
  parts: {
    readonly sandbox: Sandbox;
    readonly trees: TreeFolders;
    readonly dataDir: string;
  } & Partial<SandboxSitesOptions>,
): Sites {
  let count = 0;
  return createSandboxSites({
    maxDependencySets: 5,
    slotGid: null,
    programs: {},
    toolchains: { folders: [], mounts: [] },
    isIsolated: true,
    waived: [],
    log: createTestLog(),
    newId: () => {
      count += 1;
      return `site-${String(count)}-${String(Math.round(performance.now() * 1000))}`;
    },
    ...parts,
  });
}
