import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAgents } from '../../../src/adapters/agents/create-agents.ts';
import { createCommandAgent } from '../../../src/adapters/agents/create-command-agent.ts';
import { createBubblewrapSandbox } from '../../../src/adapters/sandbox/create-bubblewrap-sandbox.ts';
import { FIXUP_QUEUE } from '../../../src/core/model/queues.ts';
import type { SessionOutcome } from '../../../src/core/model/session.ts';
import { runFixup } from '../../../src/pipeline/fixup/run-fixup.ts';
import type { Sites } from '../../../src/ports/site.ts';
import { aCheck } from '../../support/builders.ts';
import { createTestSession, HEAD_BRANCH, type TestSession } from '../../support/git-repository.ts';
import { NEVER } from '../../support/never.ts';
import { startLaunched } from '../../support/pipeline-fixture.ts';
import { createTestSites } from '../../support/sandbox-sites.ts';
import { IS_ROOT, SLOT_GID, toBubblewrapOptions } from '../sandbox/sandbox-fixture.ts';

/** Changes a file, and leaves its result in the ways that its argument names. */
const AGENT = `#!/bin/sh
request=$(cat)
id() { printf '%s' "$request" | grep -o "\\"$1\\": *\\"[^\\"]*\\"" | head -n 1 | cut -d '"' -f 4; }
result() { printf '{"schema_version":1,"run_id":"%s","task_id":"%s","status":"%s","summary":"%s"}\\n' "$(id run_id)" "$(id task_id)" "$1" "$2"; }
echo fixed > src/a.txt
case "$1" in
  file) result success 'in the file' > "$RATCHET_RESULT_FILE" ;;
  stdout) result success 'on stdout' ;;
  both) result success 'in the file' > "$RATCHET_RESULT_FILE"; result success 'on stdout' ;;
  failed) result failure 'in the file' > "$RATCHET_RESULT_FILE"; result success 'on stdout' ;;
  garbage) echo garbage > "$RATCHET_RESULT_FILE"; result success 'on stdout' ;;
  link) result success 'behind the link' > /tmp/x; result success 'behind the link' > src/x; ln -s /workspace/src/x "$RATCHET_RESULT_FILE"; result success 'on stdout' ;;
  large) result success 'in the file' > "$RATCHET_RESULT_FILE"; head -c 70000 /dev/zero | tr '\\0' ' ' >> "$RATCHET_RESULT_FILE"; result success 'on stdout' ;;
  folder) mkdir "$RATCHET_RESULT_FILE"; result success 'on stdout' ;;
  none) ;;
esac
case "$RATCHET_RESULT_FILE" in "$PWD"/*) echo 'it lies in the tree' > src/a.txt ;; esac
`;

let session: TestSession;
let folder: string;
let sites: (programs: Parameters<typeof createTestSites>[0]['programs']) => Sites;

beforeAll(async () => {
  const slotGid = IS_ROOT ? SLOT_GID : null;
  session = await createTestSession({ 'src/a.txt': 'broken\n' }, { inMemory: false, slotGid });
  await session.remote.git(['update-ref', 'refs/pull/7/head', session.headSha]);
  folder = join(session.root, 'data', 'agent');
  await mkdir(folder);
  await writeFile(join(folder, 'agent.sh'), AGENT);
  await chmod(join(folder, 'agent.sh'), 0o755);
  const sandbox = createBubblewrapSandbox(await toBubblewrapOptions(session.root));
  const dataDir = join(session.root, 'data');
  sites = (programs = {}) => createTestSites({ sandbox, trees: session.git, dataDir, slotGid, programs });
});

afterAll(async () => {
  await session.remove();
});

/** One fixup with everything real but GitHub's API; nothing is pushed, since the policy only suggests. */
async function runWith(mode: string): Promise<SessionOutcome | null | undefined> {
  const { headSha, git, remote } = session;
  const policyText = 'mode: suggest\nvalidate: ["true"]\n';
  const checks = [aCheck({ headSha, conclusion: 'failure' })];
  const pipeline = await startLaunched({ headSha, headRef: HEAD_BRANCH, policyText, checks });
  const argv = [join(folder, 'agent.sh'), mode];
  const agent = createCommandAgent({ name: 'fake', endpoint: null, argv, env: {}, siteRoot: '/workspace' });
  const github = { ...pipeline.deps.github, gitUrl: () => remote.access.url };
  const deps = { ...pipeline.deps, git, github, agents: createAgents([agent]), sites: sites({ fake: agent.mounts }) };
  const [sessionId = ''] = pipeline.store.dueWakeups(FIXUP_QUEUE, pipeline.clock.now(), 1);
  const leaseId = pipeline.store.claimWakeup(FIXUP_QUEUE, sessionId, pipeline.clock.now(), 60_000) ?? '';
  await runFixup(deps, sessionId, { leaseId, signal: NEVER });
  return pipeline.endedSessions()[0]?.outcome;
}

describe('the result of a command agent', () => {
  it.each([
    ['file', 'in the file'],
    ['stdout', 'on stdout'],
    ['both', 'in the file'],
  ])('is taken from %s', async (mode, summary) => {
    const outcome = await runWith(mode);

    expect(outcome).toMatchObject({ kind: 'suggested', summary, files: ['src/a.txt'] });
    expect(JSON.stringify(outcome)).toContain('+fixed');
  });

  it('that says it failed in the file has failed, whatever it printed', async () => {
    expect(await runWith('failed')).toMatchObject({ kind: 'rejected', code: 'AGENT_FAILED' });
  });

  it.each(['garbage', 'link', 'large', 'folder', 'none'])('is no success where it is %s', async (mode) => {
    expect(await runWith(mode)).toMatchObject({ kind: 'rejected', code: 'RESULT_INVALID' });
  });
});
