import { type LiveCheck, seen } from './check.ts';
import { at, textAt, timeUntil } from './client.ts';
import { describe } from './read-checks.ts';
import type { Scene } from './scene.ts';

const CHECKS: readonly LiveCheck[] = [
  {
    name: 'a completed check run, sent as in progress',
    expected: 'either stays completed or opens again: the product makes a new run and does not care',
    look: async (scene) => {
      const { head } = await scene.openPull('reopen');
      const id = await createCheck(scene, head, 'reopen', { status: 'completed', conclusion: 'success' });
      await update(scene, id, { status: 'in_progress' });
      const opened = await read(scene, id);
      await update(scene, id, { status: 'completed', conclusion: 'action_required' });
      return seen(`success → in_progress: ${opened}; then → action_required: ${await read(scene, id)}`);
    },
  },
  {
    name: 'a cancelled check run in the rollup',
    expected: 'the rollup is not SUCCESS: the product never concludes "cancelled"',
    look: async (scene) => {
      const { head } = await scene.openPull('cancelled');
      await createCheck(scene, head, 'cancelled', { status: 'completed', conclusion: 'cancelled' });
      const query = `query($owner: String!, $name: String!, $oid: GitObjectID!) { repository(owner: $owner, name: $name) {
        object(oid: $oid) { ... on Commit { statusCheckRollup { state } } } } }`;
      const { client, mint, owner, name } = scene;
      const answer = await client.graphql(await mint('read'), query, { owner, name, oid: head });
      const state = at(answer.body, 'data', 'repository', 'object', 'statusCheckRollup', 'state');
      return seen(String(state), state !== 'SUCCESS');
    },
  },
  {
    name: 'many check runs at one head, by pages',
    expected: 'as many distinct ids as totalCount says',
    look: async (scene) => {
      const { head } = await scene.openPull('many');
      for (let index = 0; index < scene.counts.checks; index += 1)
        await createCheck(scene, head, `many ${String(index)}`, { status: 'completed', conclusion: 'neutral' });
      const { total, ids } = await readContexts(scene, head);
      return seen(`totalCount ${String(total)}, distinct ids ${String(ids.size)}`, ids.size === total);
    },
  },
  {
    name: 'the author of a commit by the bot',
    expected: 'the App’s own account',
    look: async (scene) => {
      const { client, mint, path } = scene;
      const slug = textAt((await client.asApp('GET /app')).body, 'slug');
      const token = await mint('read');
      const bot = (await client.rest(token, `GET /users/${slug}[bot]`)).body;
      const email = `${textAt(bot, 'id')}+${slug}[bot]@users.noreply.${new URL(scene.client.addresses.git({ owner: 'o', name: 'n', installationId: 0, repositoryId: 0 })).host}`;
      const { head } = await scene.openPull('author', { 'author.txt': `${email}\n` });
      const commit = await client.rest(token, `GET ${path}/commits/${head}`);
      return seen(`would be ${email}; the test commit shows as ${String(at(commit.body, 'author', 'login'))}`);
    },
  },
  {
    name: 'a push of new workflow content',
    expected: 'refused: the App has no permission for workflows',
    look: async ({ push }) => {
      const refused = await pushWorkflow(push);
      return seen(refused ?? 'accepted', refused?.includes('workflow') === true);
    },
  },
  {
    name: 'update-branch with the right head, a wrong head, and up to date',
    expected: '202 for the right head, 422 for the others',
    look: async (scene) => {
      const { client, mint, path, openPull } = scene;
      const { number, head } = await openPull('update');
      const route = `PUT ${path}/pulls/${String(number)}/update-branch`;
      const token = await mint('update');
      const wrong = await client.rest(token, route, { expected_head_sha: '0'.repeat(40) });
      const current = await client.rest(token, route, { expected_head_sha: head });
      return seen(
        `wrong head ${String(wrong.status)}, up to date ${String(current.status)}: ${String(at(current.body, 'message'))}`,
        wrong.status === 422 && current.status === 422,
      );
    },
  },
  {
    name: 'a protected head branch',
    expected: 'refUpdateRule by the read token and by the push token; the product asks with the push token',
    needs: 'RATCHET_LIVE_PROTECTED_BRANCH',
    look: async ({ client, mint, owner, name }, branch) => {
      const query = `query($owner: String!, $name: String!, $ref: String!) { repository(owner: $owner, name: $name) {
        ref(qualifiedName: $ref) { refUpdateRule { viewerCanPush } } } }`;
      const variables = { owner, name, ref: `refs/heads/${branch}` };
      const reading = await client.graphql(await mint('read'), query, variables);
      const pushing = await client.graphql(await mint('git_push'), query, variables);
      return seen(`read: ${describe(reading)}; push: ${describe(pushing)}`);
    },
  },
  {
    name: 'the log of a job that has just completed',
    expected: '302 within ten seconds of completion',
    needs: 'RATCHET_LIVE_JOB',
    look: async ({ client, mint, path, patienceMs }, job) => {
      const token = await mint('read');
      const ms = await timeUntil(
        async () => (await client.rest(token, `GET ${path}/actions/jobs/${job}/logs`)).status === 302,
        patienceMs,
      );
      return seen(ms === null ? 'never' : `after ${String(ms)} ms`, ms !== null && ms <= 10_000);
    },
  },
  {
    name: 'a re-run of failed jobs, and what GitHub shows meanwhile',
    expected: 'old results may vanish for seconds: the product takes a missing name for pending',
    needs: 'RATCHET_LIVE_FAILED_RUN',
    look: async (scene, run) => {
      const { client, mint, path, patienceMs } = scene;
      const described = await client.rest(await mint('read'), `GET ${path}/actions/runs/${run}`);
      const head = textAt(described.body, 'head_sha');
      const asked = await client.rest(await mint('rerun'), `POST ${path}/actions/runs/${run}/rerun-failed-jobs`);
      const counts: number[] = [];
      await timeUntil(async () => {
        counts.push((await readContexts(scene, head)).total);
        return false;
      }, patienceMs);
      return seen(`${String(asked.status)}; contexts every 500 ms: ${counts.join(' ')}`);
    },
  },
  {
    name: 'a re-run of a run that is older than 30 days',
    expected: '403',
    needs: 'RATCHET_LIVE_OLD_RUN',
    look: async ({ client, mint, path }, run) => {
      const answer = await client.rest(await mint('rerun'), `POST ${path}/actions/runs/${run}/rerun-failed-jobs`);
      return seen(describe(answer), answer.status === 403);
    },
  },
];

async function createCheck(scene: Scene, head: string, name: string, state: object): Promise<string> {
  const { client, mint, path } = scene;
  const body = { name: `live: ${name}`, head_sha: head, ...state };
  return textAt((await client.rest(await mint('write'), `POST ${path}/check-runs`, body)).body, 'id');
}

async function update({ client, mint, path }: Scene, id: string, state: object): Promise<void> {
  await client.rest(await mint('write'), `PATCH ${path}/check-runs/${id}`, state);
}

async function read({ client, mint, path }: Scene, id: string): Promise<string> {
  const { body } = await client.rest(await mint('read'), `GET ${path}/check-runs/${id}`);
  return `${String(at(body, 'status'))}/${String(at(body, 'conclusion'))}`;
}

/** The contexts at a commit, read to the last page. */
async function readContexts(
  { client, mint, owner, name, counts }: Scene,
  oid: string,
): Promise<{ readonly total: number; readonly ids: ReadonlySet<string> }> {
  const query = `query($owner: String!, $name: String!, $oid: GitObjectID!, $after: String) { repository(owner: $owner, name: $name) {
    object(oid: $oid) { ... on Commit { statusCheckRollup { contexts(first: ${String(counts.pageSize)}, after: $after) {
      totalCount pageInfo { hasNextPage endCursor }
      nodes { ... on CheckRun { id } ... on StatusContext { id } } } } } } } }`;
  const token = await mint('read');
  const ids = new Set<string>();
  let after: unknown = null;
  for (;;) {
    const answer = await client.graphql(token, query, { owner, name, oid, after });
    const contexts = at(answer.body, 'data', 'repository', 'object', 'statusCheckRollup', 'contexts');
    const nodes = at(contexts, 'nodes');
    for (const node of Array.isArray(nodes) ? nodes : []) ids.add(String(at(node, 'id')));
    const isLast = at(contexts, 'pageInfo', 'hasNextPage') !== true;
    if (isLast) return { total: Number(at(contexts, 'totalCount') ?? 0), ids };
    after = at(contexts, 'pageInfo', 'endCursor');
  }
}

/** Why the push was refused; null: it was accepted. */
async function pushWorkflow(push: Scene['push']): Promise<string | null> {
  try {
    await push('live-workflow', { '.github/workflows/live-test.yml': 'on: workflow_dispatch\njobs: {}\n' });
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Check runs, pushes and re-runs. */
export function listWriteChecks(): readonly LiveCheck[] {
  return CHECKS;
}
