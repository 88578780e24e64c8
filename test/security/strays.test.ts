import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSandboxFixture, type SandboxFixture } from '../contract/sandbox/sandbox-fixture.ts';

const ORCHESTRATOR = join(import.meta.dirname, 'orchestrator.ts');

/** Ways to outlive one's parent; each process is found by the odd number of seconds that it sleeps. */
function daemons(seconds: string): string {
  return [
    `setsid sh -c 'trap "" TERM HUP INT; sleep ${seconds}' &`,
    `(setsid sh -c '(sleep ${seconds} &) ; sleep ${seconds}' &)`,
    `nohup sleep ${seconds} > /dev/null 2>&1 &`,
    `sleep ${seconds} &`,
  ].join('\n');
}

async function findSleepers(seconds: string): Promise<readonly string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
  return lines.filter((line) => line.startsWith('sleep\0') && line.includes(seconds));
}

/** Polls until `check` holds; gives up after five seconds. */
async function waitUntil(check: () => Promise<boolean>): Promise<boolean> {
  for (let tries = 0; tries < 250; tries += 1) {
    if (await check()) return true;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return false;
}

let fixture: SandboxFixture;
let seconds: string;

describe.each(['bubblewrap', 'unsafe'] as const)('daemons of a command in the %s sandbox', (kind) => {
  beforeEach(async () => {
    fixture = await createSandboxFixture(kind);
    seconds = `9${String(process.pid)}${String(Math.round(performance.now()))}`;
  });

  afterEach(async () => {
    await fixture.remove();
  });

  it('are gone when it exits 0, although they hold its output open', async () => {
    const outcome = await fixture.sh(`${daemons(seconds)}\nsleep 0.2; exit 0`);

    expect(outcome).toMatchObject({ kind: 'exited', exitCode: 0, processesLeft: 0 });
    expect(outcome.durationMs).toBeLessThan(60_000);
    expect(await findSleepers(seconds)).toEqual([]);
  });

  it('are gone when it fails', async () => {
    const outcome = await fixture.sh(`${daemons(seconds)}\nsleep 0.2; kill -9 $$`);

    expect(outcome.processesLeft).toBe(0);
    expect(await findSleepers(seconds)).toEqual([]);
  });

  it('are gone at the deadline', async () => {
    const outcome = await fixture.sh(`trap '' TERM\n${daemons(seconds)}\nwhile :; do sleep ${seconds}; done`, {
      timeoutMs: 500,
    });

    expect(outcome).toMatchObject({ kind: 'timed_out', processesLeft: 0 });
    expect(await findSleepers(seconds)).toEqual([]);
  });

  it('are gone after an abort', async () => {
    const controller = new AbortController();
    const running = fixture.sh(`${daemons(seconds)}\nsleep ${seconds}`, {}, controller.signal);
    const wereThere = await waitUntil(async () => (await findSleepers(seconds)).length >= 4);
    controller.abort();

    expect(await running).toMatchObject({ kind: 'aborted', processesLeft: 0 });
    expect(wereThere).toBe(true);
    expect(await findSleepers(seconds)).toEqual([]);
  });

  it('are gone after a flood', async () => {
    const outcome = await fixture.sh(`${daemons(seconds)}\nyes`, { maxOutputBytes: 100_000 });

    expect(outcome).toMatchObject({ kind: 'output_flood', processesLeft: 0 });
    expect(await findSleepers(seconds)).toEqual([]);
  });
});

describe('a service that is killed', () => {
  it('takes its sandboxes along', async () => {
    fixture = await createSandboxFixture();
    seconds = `8${String(process.pid)}${String(Math.round(performance.now()))}`;
    const argv = [ORCHESTRATOR, fixture.root, `${daemons(seconds)}\nsleep ${seconds}`];
    const service = execa(process.execPath, argv, { env: { PATH: '/usr/bin:/bin' }, extendEnv: false });
    const wereThere = await waitUntil(async () => (await findSleepers(seconds)).length >= 4);

    service.kill('SIGKILL');
    await service.catch(() => undefined);

    expect(wereThere).toBe(true);
    expect(await waitUntil(async () => (await findSleepers(seconds)).length === 0)).toBe(true);
    await fixture.remove();
  });
});
