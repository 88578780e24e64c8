import { mkdir, readlink, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import type { Sandbox, SandboxSlot } from '../../ports/sandbox.ts';
import type { SiteProbe } from '../../ports/site.ts';
import { PROBE_PROGRAM } from './probe-program.ts';
import { findMisses, NAMESPACES, PROBES, type ProbeBait, toProbeFacts } from './probes.ts';
import { findArchitecture } from './seccomp/to-seccomp-filter.ts';
import type { SandboxLimits, SandboxPrograms } from './to-bwrap-argv.ts';

const PROBE_TIMEOUT_MS = 20_000;
const MAX_PROBE_OUTPUT_BYTES = 64 * 1024;
const ENVIRONMENT = { PATH: '/usr/bin:/bin', HOME: '/tmp', LC_ALL: 'C' } as const;

export interface ProbeOptions {
  readonly programs: Pick<SandboxPrograms, 'perl'>;
  readonly arch: string;
  readonly toolsDir: string;
  readonly dataDir: string;
  readonly limits: SandboxLimits;
  readonly slot: SandboxSlot;
  readonly id: string;
}

/**
 * Checks the sandbox from inside with the probes of `PROBES`. Before that, lays out files and sockets that they must not reach.
 * `unavailable` says in one line what is missing and how to fix it.
 */
export async function probeSandbox(
  run: Sandbox['run'],
  options: ProbeOptions,
  signal: AbortSignal,
): Promise<SiteProbe> {
  const { arch, dataDir, id, programs, slot } = options;
  const architecture = findArchitecture(arch);
  if (architecture === null) return unavailable(`there is no system-call filter for the processor ${arch}`);
  const folder = join(dataDir, 'probe', id);
  const servers: Server[] = [];
  try {
    const bait = await layBait(folder, id, servers);
    const facts = toProbeFacts({ ...options, architecture, bait, variables: Object.keys(ENVIRONMENT) });
    const outcome = await run(
      {
        argv: [programs.perl, '-e', PROBE_PROGRAM, ...Object.entries(facts).map(([name, value]) => `${name}=${value}`)],
        env: ENVIRONMENT,
        cwd: '/tmp',
        stdin: '',
        mounts: [],
        slot,
        timeoutMs: PROBE_TIMEOUT_MS,
        maxOutputBytes: MAX_PROBE_OUTPUT_BYTES,
        stdoutPath: join(folder, 'stdout'),
        stderrPath: join(folder, 'stderr'),
      },
      signal,
    );
    if (!/^(?:ok|miss) /m.test(outcome.stdoutTail)) return unavailable(explainFailure(outcome.stderrTail));
    const misses = findMisses(outcome.stdoutTail);
    if (misses.length > 0) return unavailable(`the sandbox does not isolate: ${misses.join(', ')}`);
    if (outcome.kind !== 'exited' || outcome.exitCode !== 0)
      return unavailable('the probe of the sandbox did not finish');
    if (outcome.processesLeft > 0) return unavailable('processes outlive the sandbox');
    const user = slot.uid === null ? 'the service’s own user' : `user ${String(slot.uid)}`;
    return {
      kind: 'ok',
      profile: `bubblewrap, no network, system-call filter, ${user}, ${String(PROBES.length)} probes`,
    };
  } finally {
    for (const server of servers) server.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function layBait(folder: string, id: string, servers: Server[]): Promise<ProbeBait> {
  const canary = join(folder, 'canary');
  await mkdir(folder, { recursive: true, mode: 0o755 });
  await writeFile(canary, 'of the host\n', { mode: 0o644 });
  const listen = async (options: { readonly path: string } | { readonly port: number; readonly host: string }) => {
    const server = createServer((socket) => socket.destroy());
    servers.push(server);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(options, resolve);
    });
    return server;
  };
  const socketPath = join(folder, 'socket');
  const abstractName = `ratchet-probe-${id}`;
  await listen({ path: socketPath });
  await listen({ path: `\0${abstractName}` });
  const address = (await listen({ port: 0, host: '127.0.0.1' })).address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const links = NAMESPACES.map(async (kind) => [kind, await readlink(`/proc/self/ns/${kind}`)] as const);
  return { canary, socketPath, abstractName, port, namespaces: Object.fromEntries(await Promise.all(links)) };
}

/** Explains in one line what is wrong and how to fix it. */
export function explainFailure(stderr: string): string {
  const said = stderr.trim().split('\n').at(-1)?.slice(0, 300) ?? '';
  if (/ENOENT|No such file or directory.*(?:bwrap|prlimit|setpriv|perl)|failed to execute/.test(said)) {
    return `a program of the sandbox is missing (${said}): apt-get install bubblewrap perl-base util-linux`;
  }
  if (/namespace|uid map|Operation not permitted|Permission denied/i.test(said)) {
    return `user namespaces are blocked (${said}): allow them (kernel.unprivileged_userns_clone=1; on Ubuntu an AppArmor profile for bwrap; in a container a seccomp profile that lets bwrap in)`;
  }
  return said === '' ? 'the sandbox could not start a command' : said;
}

function unavailable(why: string): SiteProbe {
  return { kind: 'unavailable', why };
}
