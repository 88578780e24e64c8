import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { SiteError } from '../../core/model/errors.ts';
import type { SandboxCommand, SandboxOutcome } from '../../ports/sandbox.ts';
import type { SiteCommand, SiteOutcome, SitePromise, SiteRequest } from '../../ports/site.ts';

/** The promises that a request needs. */
function toNeeds(request: SiteRequest): readonly SitePromise[] {
  const { tree, network, limits, isolation, inputs, dependencies } = request;
  const needs: readonly (readonly [SitePromise, boolean])[] = [
    [tree === null ? 'existing_files' : 'fresh_tree', true],
    ['no_network', network === 'none'],
    ['relays', network === 'relays'],
    ['limits', limits === 'enforced'],
    ['isolation', isolation === 'full'],
    ['inputs', Object.keys(inputs).length > 0],
    ['dependencies', dependencies !== null],
  ];
  return needs.flatMap(([promise, isNeeded]) => (isNeeded ? [promise] : []));
}

/** @throws SiteError (`CANNOT_KEEP`) if the request needs a promise that is missing, or its relays contradict each other. */
export function requirePromises(request: SiteRequest, promises: readonly SitePromise[]): void {
  const problem = findRelayProblem(request);
  if (problem !== null) throw cannotKeep(problem);
  const missing = toNeeds(request).filter((promise) => !promises.includes(promise));
  if (missing.length > 0) throw cannotKeep(`this place to run in does not promise ${missing.join(', ')}`);
}

function findRelayProblem({ network, relays = [] }: SiteRequest): string | null {
  if ((network === 'relays') !== relays.length > 0) return 'relays and the network "relays" need each other';
  if (relays.some(({ port }) => !Number.isInteger(port) || port < 1024 || port > 65_535)) {
    return 'the ports of relays go from 1024 to 65535';
  }
  const differ = (values: readonly unknown[]): boolean => new Set(values).size === values.length;
  const isClear = differ(relays.map(({ name }) => name)) && differ(relays.map(({ port }) => port));
  return isClear ? null : 'two relays have the same name or port';
}

/** The error for a request that a site cannot fulfil. */
export function cannotKeep(what: string): SiteError {
  return new SiteError('CANNOT_KEEP', what);
}

/** Runs one command at a time, and none after the site is closed. */
export interface RunGuard {
  readonly run: <Result>(command: SiteCommand, work: () => Promise<Result>) => Promise<Result>;
  readonly close: () => void;
}

/** Creates the guard of a site. Commands must request the site's network. */
export function createRunGuard(network: SiteRequest['network']): RunGuard {
  let isClosed = false;
  let isBusy = false;
  return {
    async run(command, work) {
      if (isClosed) throw new SiteError('CLOSED', 'the site is closed');
      if (isBusy) throw new SiteError('BUSY', 'a site runs one command at a time');
      if (command.network !== network) throw cannotKeep(`the network of this site is: ${network}`);
      isBusy = true;
      try {
        return await work();
      } finally {
        isBusy = false;
      }
    },
    close: () => {
      isClosed = true;
    },
  };
}

/** Runs `work` with output files in `folder`, which belongs to the service. `read` reads from these files. */
export async function withOutput(
  folder: string,
  work: (files: Pick<SandboxCommand, 'stdoutPath' | 'stderrPath'>) => Promise<SandboxOutcome>,
): Promise<SiteOutcome> {
  const outcome = await work({ stdoutPath: join(folder, 'stdout'), stderrPath: join(folder, 'stderr') });
  return { ...outcome, read: (stream) => readAll(join(folder, stream)) };
}

/** A command that was not started may have no output file. */
async function* readAll(path: string): AsyncIterable<Uint8Array> {
  try {
    for await (const chunk of createReadStream(path)) yield chunk instanceof Uint8Array ? chunk : Buffer.from('');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
}
