import { mkdir, rm } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import type { Sandbox } from '../../ports/sandbox.ts';
import type { Site, SitePromise, SiteRequest, Sites } from '../../ports/site.ts';
import { hasFile, readCheckoutFile } from './checkout-files.ts';
import { cannotKeep, createRunGuard, requirePromises, withOutput } from './site-parts.ts';

/** What commands run in at a terminal. */
export interface CheckoutSitesOptions {
  /** Absolute, links resolved. */
  readonly root: string;
  /** Runs the commands: its process handling is the same as the server's, without isolation. */
  readonly sandbox: Pick<Sandbox, 'run' | 'probe'>;
  /** Folder of this run alone, removed by who made it. */
  readonly scratch: string;
  /** Absolute path of the running Node. */
  readonly nodePath: string;
  /** Variables that commands get beside those that Ratchet sets: a few of the person's own. */
  readonly env: Readonly<Record<string, string>>;
}

const PROMISES: readonly SitePromise[] = ['existing_files'];

/**
 * A person's own checkout: commands run in it as they would by hand, but with a clean environment, capped output, a deadline, and
 * no process left behind. It keeps neither network nor limits away from anything, and there is no tree to take.
 */
export function createCheckoutSites(options: CheckoutSitesOptions): Sites {
  const { root, scratch, nodePath, sandbox } = options;
  const artifacts = (name: string): string => join(scratch, 'runs', name);
  return {
    promises: PROMISES,
    layout: { root, inputs: join(scratch, 'inputs'), artifacts, nodePath },
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

function createSite(options: CheckoutSitesOptions, request: SiteRequest, artifacts: string): Site {
  const { root, sandbox, scratch, env } = options;
  const guard = createRunGuard(request.network);
  const output = join(scratch, 'output', request.name);
  const toHost = (path: string): string => (isAbsolute(path) ? path : join(root, path));
  return {
    run: (command, signal) =>
      guard.run(command, async () => {
        await mkdir(output, { recursive: true });
        for (const name of command.removes) await rm(join(artifacts, name), { recursive: true, force: true });
        const { argv, stdin, timeoutMs, maxOutputBytes } = command;
        const inRoot = {
          ...{ argv, stdin, timeoutMs, maxOutputBytes, mounts: [], slot: { index: 0, uid: null, gid: null } },
          env: { NO_COLOR: '1', CI: '1', ...env, ...command.env },
          cwd: join(root, command.cwd),
        };
        return withOutput(output, (files) => sandbox.run({ ...inRoot, ...files }, signal));
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
