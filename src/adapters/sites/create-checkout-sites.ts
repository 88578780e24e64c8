import { lstat, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { requireOwnName } from '../../core/text/require-own-name.ts';
import type { Sandbox } from '../../ports/sandbox.ts';
import type { Site, SitePromise, SiteRequest, Sites } from '../../ports/site.ts';
import { hasFile, readCheckoutFile } from './checkout-files.ts';
import { cannotKeep, createRunGuard, requirePromises, withOutput } from './site-parts.ts';
import { requireHomeFiles } from './write-home-files.ts';

/** Options of `createCheckoutSites`. */
export interface CheckoutSitesOptions {
  /** Absolute path without symbolic links. */
  readonly root: string;
  /** Runs the commands without isolation, with the same process handling as on the server. */
  readonly sandbox: Pick<Sandbox, 'run' | 'probe'>;
  /** Temporary folder of this run. The caller removes it. */
  readonly scratch: string;
  /** Absolute path of the running Node. */
  readonly nodePath: string;
  /** Variables of the person's environment that commands get in addition to Ratchet's. */
  readonly env: Readonly<Record<string, string>>;
}

const PROMISES: readonly SitePromise[] = ['existing_files'];

/**
 * Creates sites over a person's checkout. Commands run in it as by hand, but with a clean environment, capped output
 * and a deadline, and no process is left. There are no limits and the network is open. No tree can be taken.
 */
export function createCheckoutSites(options: CheckoutSitesOptions): Sites {
  const { root, scratch, nodePath, sandbox } = options;
  const artifacts = (name: string): string => join(scratch, 'runs', name);
  return {
    promises: PROMISES,
    layout: { root, inputs: join(scratch, 'inputs'), artifacts, nodePath, toolchains: [] },
    probe: sandbox.probe,
    findDependencies: () => Promise.resolve(null),
    sweep: () => Promise.resolve(),
    open: async (request, signal) => {
      requirePromises(request, PROMISES);
      if (request.programs.length > 0) throw cannotKeep('a checkout has no programs of an operator');
      signal.throwIfAborted();
      const folder = artifacts(request.name);
      await rm(folder, { recursive: true, force: true });
      await mkdir(folder, { recursive: true });
      return createSite(options, request, folder);
    },
  };
}

/** Remembers files, and returns what puts them back as they were. Links and folders are left alone. */
async function remember(paths: readonly string[]): Promise<() => Promise<void>> {
  const before = await Promise.all(
    paths.map(async (path) => {
      const found = await lstat(path).catch(() => null);
      return { path, isThere: found !== null, bytes: found?.isFile() === true ? await readFile(path) : null };
    }),
  );
  return async () => {
    for (const { path, isThere, bytes } of before) {
      if (!isThere) await rm(path, { force: true });
      else if (bytes !== null && !bytes.equals(await readFile(path).catch(() => Buffer.alloc(0))))
        await writeFile(path, bytes);
    }
  };
}

function createSite(options: CheckoutSitesOptions, request: SiteRequest, artifacts: string): Site {
  const { root, sandbox, scratch, env } = options;
  const guard = createRunGuard(request.network);
  const output = join(scratch, 'output', request.name);
  const toHost = (path: string): string => (isAbsolute(path) ? path : join(root, path));
  return {
    run: (command, signal) =>
      guard.run(command, async () => {
        // The home folder is the person's.
        requireHomeFiles(command, false);
        await mkdir(output, { recursive: true });
        for (const name of command.removes) await rm(join(artifacts, name), { recursive: true, force: true });
        for (const [name, text] of Object.entries(command.artifactFiles ?? {})) {
          await rm(join(artifacts, requireOwnName(name)), { recursive: true, force: true });
          await writeFile(join(artifacts, name), text, { flag: 'wx' });
        }
        const { argv, stdin, timeoutMs, maxOutputBytes, onStdout } = command;
        const inRoot = {
          ...(onStdout === undefined ? {} : { onStdout }),
          ...{ argv, stdin, timeoutMs, maxOutputBytes, mounts: [], slot: { index: 0, uid: null, gid: null } },
          env: { NO_COLOR: '1', CI: '1', ...env, ...command.env },
          cwd: join(root, command.cwd),
        };
        const putBack = await remember((command.restores ?? []).map(toHost));
        try {
          return await withOutput(output, (files) => sandbox.run({ ...inRoot, ...files }, signal));
        } finally {
          await putBack();
        }
      }),
    takeTree: () => Promise.reject(cannotKeep('the tree of a checkout is its owner’s')),
    readFile: (path, maxBytes) => readCheckoutFile(toHost(path), maxBytes),
    has: (path) => hasFile(toHost(path)),
    keepDependencies: () => Promise.reject(cannotKeep('the dependencies of a checkout are its owner’s')),
    close: async () => {
      guard.close();
      for (const folder of [artifacts, output]) await rm(folder, { recursive: true, force: true });
    },
  };
}
