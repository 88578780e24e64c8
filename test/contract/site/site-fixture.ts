import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { createBubblewrapSandbox } from '../../../src/adapters/sandbox/create-bubblewrap-sandbox.ts';
import { createUnsafeSandbox } from '../../../src/adapters/sandbox/create-unsafe-sandbox.ts';
import { createCheckoutSites } from '../../../src/adapters/sites/create-checkout-sites.ts';
import { toCommand, toShellCommand } from '../../../src/pipeline/prepare/with-site.ts';
import type { Site, SiteCommand, SiteOutcome, SiteRequest, Sites } from '../../../src/ports/site.ts';
import { createTempFolder, createTestLog, createTestSession, type TestSession } from '../../support/git-repository.ts';
import { NEVER } from '../../support/never.ts';
import { createTestSites } from '../../support/sandbox-sites.ts';
import { createTestIds, IS_ROOT, SLOT_GID, TIMEOUT_MS, toBubblewrapOptions } from '../sandbox/sandbox-fixture.ts';
import { createRemoteSites } from './create-remote-sites.ts';

/** The adapters, by where their sites are. */
export type SiteKind = 'bubblewrap' | 'checkout' | 'another process';

/** One adapter with a tree to open. */
export interface SiteFixture {
  readonly sites: Sites;
  /** The session of the tree; null: the files lie there. */
  readonly session: TestSession | null;
  /** The most that the adapter promises. */
  readonly request: SiteRequest;
  readonly open: (change?: Partial<SiteRequest>, signal?: AbortSignal) => Promise<Site>;
  /** Runs a shell script. */
  readonly sh: (
    site: Site,
    script: string,
    change?: Partial<SiteCommand>,
    signal?: AbortSignal,
  ) => Promise<SiteOutcome>;
  /** Runs a program. */
  readonly exec: (site: Site, argv: readonly string[], change?: Partial<SiteCommand>) => Promise<SiteOutcome>;
  /** What sites left behind. */
  readonly listLeft: () => Promise<readonly string[]>;
  readonly remove: () => Promise<void>;
}

/** What every tree holds. */
export const FILES = {
  'src/a.txt': 'one\n',
  'src/b.txt': 'b\n'.repeat(50),
  'old.txt': 'old\n',
  'bin/run': { mode: '100755', text: '#!/bin/sh\n' },
  'AGENTS.md': 'obey\n',
} as const;

const LIMITS = { timeoutMs: TIMEOUT_MS, maxOutputBytes: 1024 * 1024 } as const;
/** How many sites are open at one time, where they are counted. */
export const SLOTS = 3;

/** Makes the fixture of one adapter. */
export async function createSiteFixture(kind: SiteKind): Promise<SiteFixture> {
  switch (kind) {
    case 'bubblewrap':
      return createBubblewrapFixture();
    case 'checkout':
      return createCheckoutFixture();
    case 'another process':
      return createRemoteFixture();
  }
}

/** Files of a machine with a sandbox, and outside of memory: what is mounted at the same path must not lie below /dev. */
async function createBubblewrapFixture(): Promise<SiteFixture> {
  const session = await createTestSession(FILES, { inMemory: false, slotGid: IS_ROOT ? SLOT_GID : null });
  const options = { ...(await toBubblewrapOptions(session.root)), slots: SLOTS };
  const dataDir = join(session.root, 'data');
  const slotGid = IS_ROOT ? SLOT_GID : null;
  const sandbox = createBubblewrapSandbox(options);
  const sites = createTestSites({ sandbox, trees: session.git, dataDir, slotGid });
  return toFixture(sites, {
    session,
    listLeft: async () => (await readdir(join(session.workDir, '..'))).filter((name) => name !== 'work'),
    remove: session.remove,
  });
}

async function createRemoteFixture(): Promise<SiteFixture> {
  const session = await createTestSession(FILES, { inMemory: false });
  const { path: folder, remove } = await createTempFolder();
  const sites = await createRemoteSites(session.git, { folder, hidden: session.root });
  return toFixture(sites, {
    session,
    listLeft: sites.listLeft,
    remove: async () => {
      await sites.stop();
      await session.remove();
      await remove();
    },
  });
}

async function createCheckoutFixture(): Promise<SiteFixture> {
  const { path, remove } = await createTempFolder();
  const [root, scratch] = [join(path, 'repository'), join(path, 'scratch')];
  for (const [name, file] of Object.entries(FILES)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), typeof file === 'string' ? file : file.text);
  }
  await mkdir(scratch);
  const newId = createTestIds();
  const sandbox = createUnsafeSandbox({ slots: 1, toolsDir: scratch, log: createTestLog(), newId, graceMs: 200 });
  const env = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, HOME: path };
  const sites = createCheckoutSites({ root, scratch, sandbox, nodePath: process.execPath, env });
  return toFixture(sites, {
    session: null,
    listLeft: async () => {
      const folders = await readdir(scratch, { recursive: true });
      return folders.filter((name) => name !== 'runs' && name !== 'output');
    },
    remove,
  });
}

function toFixture(sites: Sites, parts: Pick<SiteFixture, 'session' | 'listLeft' | 'remove'>): SiteFixture {
  const { session } = parts;
  const sealed = { network: 'none', limits: 'enforced', isolation: 'full' } as const;
  const unsealed = { network: 'host', limits: 'none', isolation: 'none' } as const;
  const request: SiteRequest = {
    ...(session === null ? unsealed : sealed),
    name: 'contract',
    tree:
      session === null
        ? null
        : { repository: session.repository, treeSha: session.headSha, masked: [], hasHistory: false },
    ...{ dependencies: null, inputs: {}, programs: [] },
  };
  const { network } = request;
  return {
    ...parts,
    sites,
    request,
    open: (change, signal = NEVER) => sites.open({ ...request, ...change }, signal),
    sh: (site, script, change, signal = NEVER) =>
      site.run({ ...toShellCommand(script, LIMITS), network, ...change }, signal),
    exec: (site, argv, change) => site.run({ ...toCommand({ argv, ...LIMITS }), network, ...change }, NEVER),
  };
}
