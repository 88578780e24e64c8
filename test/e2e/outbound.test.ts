import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AT_ONCE, openStage } from '../support/e2e.ts';
import { openRedPullRequest, QUICK_POLICY, REPAIR, untilConcluded, WRITER } from '../support/red-repository.ts';

const CANARY = 'proxy-canary-0123456789';
/** What a program can see of the environment: its own, and that of every process that it sees. */
const LOOK = String.raw`{ env; cat /proc/[0-9]*/environ | tr '\0' '\n'; cat /proc/[0-9]*/cmdline | tr '\0' ' '; } 2> /dev/null`;

/** A command, as YAML, that fails where one of these texts can be seen. It is not to see them in its own pattern. */
function toRefusal(texts: readonly string[]): string {
  const patterns = texts.map((text) => `-e '${text.slice(0, -1)}[${text.slice(-1)}]'`);
  return JSON.stringify(`! ${LOOK} | grep -i ${patterns.join(' ')}`);
}

describe('a service behind a proxy with a password', AT_ONCE, () => {
  it('gives it to no sandbox of an agent, of setup or of a validation, and writes it nowhere', async ({
    onTestFinished,
  }) => {
    const { world, start } = await openStage(onTestFinished);
    const proxy = `http://operator:${CANARY}@127.0.0.1:9`;
    // The world is on this machine, which is reached without the proxy.
    const env = {
      HTTPS_PROXY: proxy,
      NO_PROXY: 'internal.example',
      NODE_EXTRA_CA_CERTS: '/etc/ssl/certs/ca-certificates.crt',
    };
    const script = { steps: [{ do: 'run', command: `${LOOK} > seen-by-agent.txt` }, REPAIR] };
    const ratchet = await start({ script, env });
    const policy = `setup: ${toRefusal([CANARY])}\n${QUICK_POLICY}  - ${toRefusal([CANARY, 'https_proxy', 'GIT_SSL_CAINFO'])}\n`;
    const red = await openRedPullRequest(world, { policy });
    world.comment({ ...red, login: WRITER, body: '/ratchet enable' });
    const summary = await untilConcluded(world, red, 'success');

    const seen = await world.fileAt(red.repo, red.number, 'seen-by-agent.txt');
    expect(seen).toContain('PATH=');
    expect(seen).not.toMatch(/proxy|GIT_SSL_CAINFO|NODE_EXTRA_CA_CERTS/iu);
    expect(seen).not.toContain(CANARY);
    expect(summary).not.toContain(CANARY);
    expect(JSON.stringify(ratchet.lines)).not.toContain(CANARY);
    expect(await ratchet.stop()).toBe(0);
    const files = await readdir(ratchet.dataDir, { recursive: true, withFileTypes: true });
    for (const file of files.filter((entry) => entry.isFile())) {
      expect(await readFile(join(file.parentPath, file.name), 'latin1')).not.toContain(CANARY);
    }
  });
});
