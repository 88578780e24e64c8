import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sandbox, SandboxSlot } from '../../ports/sandbox.ts';
import type { SiteProbe } from '../../ports/site.ts';

const PROBE_TIMEOUT_MS = 20_000;
const MAX_PROBE_OUTPUT_BYTES = 64 * 1024;

/**
 * Prints a word for each leak. `$1` is a host file that must be invisible, `$2` the Node of the tools folder, `$3` the
 * expected uid or empty. /proc/net/dev has one line with a colon per interface: more than `lo` means network access.
 */
const PROBE_SCRIPT = `
[ -e "$1" ] && echo host_file
[ -e /root ] && echo root_home
[ "$(ls /proc | grep -c '^[0-9]')" -gt 8 ] && echo host_processes
[ "$(grep -c : /proc/net/dev)" -gt 1 ] && echo network
(: > /usr/ratchet-probe) 2>/dev/null && echo writable_usr
(: > /ratchet-probe) 2>/dev/null && echo writable_root
grep -q '^CapEff:[[:space:]]*0*$' /proc/self/status || echo capabilities
grep -q '^NoNewPrivs:[[:space:]]*1$' /proc/self/status || echo new_privileges
[ -z "$3" ] || [ "$(id -u)" = "$3" ] || echo wrong_user
"$2" -e '' || echo no_node
echo done
`;

/** Checks the sandbox from inside with a small command. `unavailable` says in one line what is missing and how to fix it. */
export async function probeSandbox(
  run: Sandbox['run'],
  options: { readonly toolsDir: string; readonly dataDir: string; readonly slot: SandboxSlot; readonly id: string },
  signal: AbortSignal,
): Promise<SiteProbe> {
  const folder = join(options.dataDir, 'probe', options.id);
  const canary = join(folder, 'canary');
  try {
    await mkdir(folder, { recursive: true, mode: 0o755 });
    await writeFile(canary, 'of the host\n', { mode: 0o644 });
    const uid = options.slot.uid === null ? '' : String(options.slot.uid);
    const outcome = await run(
      {
        argv: ['/bin/sh', '-c', PROBE_SCRIPT, 'probe', canary, join(options.toolsDir, 'bin', 'node'), uid],
        env: { PATH: '/usr/bin:/bin', HOME: '/tmp', LC_ALL: 'C' },
        cwd: '/tmp',
        stdin: '',
        mounts: [],
        slot: options.slot,
        timeoutMs: PROBE_TIMEOUT_MS,
        maxOutputBytes: MAX_PROBE_OUTPUT_BYTES,
        stdoutPath: join(folder, 'stdout'),
        stderrPath: join(folder, 'stderr'),
      },
      signal,
    );
    const words = outcome.stdoutTail.trim().split('\n');
    if (outcome.kind !== 'exited' || words.at(-1) !== 'done') return unavailable(explainFailure(outcome.stderrTail));
    if (words.length > 1) return unavailable(`the sandbox does not isolate: ${words.slice(0, -1).join(', ')}`);
    if (outcome.processesLeft > 0) return unavailable('processes outlive the sandbox');
    const user = options.slot.uid === null ? 'the service’s own user' : `user ${String(options.slot.uid)}`;
    return { kind: 'ok', profile: `bubblewrap, no network, ${user}` };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Explains in one line what is wrong and how to fix it. */
export function explainFailure(stderr: string): string {
  const said = stderr.trim().split('\n').at(-1)?.slice(0, 300) ?? '';
  if (/ENOENT|No such file or directory.*(?:bwrap|prlimit|setpriv)|failed to execute/.test(said)) {
    return `a program of the sandbox is missing (${said}): apt-get install bubblewrap util-linux`;
  }
  if (/namespace|uid map|Operation not permitted|Permission denied/i.test(said)) {
    return `user namespaces are blocked (${said}): allow them (kernel.unprivileged_userns_clone=1; on Ubuntu an AppArmor profile for bwrap; in a container a seccomp profile that lets bwrap in)`;
  }
  return said === '' ? 'the sandbox could not start a command' : said;
}

function unavailable(why: string): SiteProbe {
  return { kind: 'unavailable', why };
}
