import { permissionsByPurpose, type TokenPurpose } from '../../src/adapters/github/installation-tokens.ts';
import { pullRequestQuery, threadsQuery } from '../../src/adapters/github/pull-request-query.ts';
import { type LiveCheck, type Seen, seen } from './check.ts';
import { type Answer, at, timeUntil } from './client.ts';
import type { Scene } from './scene.ts';

const CHECKS: readonly LiveCheck[] = [
  {
    name: 'each purpose has a token',
    expected: '201 for all; 422 for organization where the owner has no .github in the installation',
    look: async ({ client, installationId, repositoryId }) => {
      const purposes = Object.keys(permissionsByPurpose).filter(isPurpose);
      const statuses = await Promise.all(
        purposes.map(async (one) => [one, (await client.mint(installationId, one, repositoryId)).status] as const),
      );
      const isRight = statuses.every(([one, status]) => status === 201 || (one === 'organization' && status === 422));
      return seen(statuses.map(([one, status]) => `${one} ${String(status)}`).join(', '), isRight);
    },
  },
  {
    name: 'the pull request query',
    expected: 'no errors, cost 1',
    look: async (scene) => readPull(scene, (await scene.openPull('query')).number),
  },
  {
    name: 'the pull request query on the pull request of a fork',
    expected: 'no errors, cost 1',
    needs: 'RATCHET_LIVE_FORK_PULL',
    look: (scene, number) => readPull(scene, Number(number)),
  },
  {
    name: 'a public .github outside the installation',
    expected: 'readable, or null, without an error that fails the query',
    needs: 'RATCHET_LIVE_OTHER_OWNER',
    look: async ({ client, mint }, owner) => {
      const query = 'query($owner: String!) { repository(owner: $owner, name: ".github") { name } }';
      return seen(describe(await client.graphql(await mint('read'), query, { owner })));
    },
  },
  {
    name: 'file(path:) of a file that is missing',
    expected: 'null without NOT_FOUND',
    look: async ({ client, mint, owner, name, defaultBranch }) => {
      const query = `query($owner: String!, $name: String!, $ref: String!) { repository(owner: $owner, name: $name) {
        object(expression: $ref) { ... on Commit { file(path: "no/such/file") { name } } } } }`;
      const answer = await client.graphql(await mint('read'), query, { owner, name, ref: defaultBranch });
      const isNull = at(answer.body, 'data', 'repository', 'object', 'file') === null;
      return seen(describe(answer), isNull && at(answer.body, 'errors') === undefined);
    },
  },
  {
    name: "threads while somebody's review is pending",
    expected: 'totalCount equals the number of nodes',
    needs: 'RATCHET_LIVE_PENDING_PULL',
    look: async ({ client, mint, owner, name }, number) => {
      const query = threadsQuery.replace(', $after: String!', '').replace(', after: $after', '');
      const answer = await client.graphql(await mint('read'), query, { owner, name, number: Number(number) });
      const threads = at(answer.body, 'data', 'repository', 'pullRequest', 'reviewThreads');
      const nodes = at(threads, 'nodes');
      const count = Array.isArray(nodes) ? nodes.length : -1;
      const total = at(threads, 'totalCount');
      return seen(`totalCount ${String(total)}, nodes ${String(count)}`, total === count);
    },
  },
  {
    name: 'a fresh token, used at once',
    expected: 'every call answers 200',
    look: async ({ client, mint, owner, name, path, git, counts }) => {
      const query = 'query($owner: String!, $name: String!) { repository(owner: $owner, name: $name) { name } }';
      const refused: string[] = [];
      for (let round = 0; round < counts.tokens; round += 1) {
        const token = await mint('read');
        const graphql = await client.graphql(token, query, { owner, name });
        const rest = await client.rest(token, `GET ${path}`);
        const remote = await git(token, 'ls-remote', '--heads', 'URL');
        if (graphql.status !== 200 || at(graphql.body, 'errors') !== undefined)
          refused.push(`GraphQL ${describe(graphql)}`);
        if (rest.status !== 200) refused.push(`REST ${String(rest.status)}`);
        if (remote.exitCode !== 0) refused.push(`git ${remote.stderr.slice(0, 80)}`);
      }
      const text =
        refused.length === 0 ? 'all answered' : `${String(refused.length)} refused: ${refused.slice(0, 5).join('; ')}`;
      return seen(`${String(counts.tokens)} tokens, three calls each: ${text}`, refused.length === 0);
    },
  },
  {
    name: 'a revoked token',
    expected: '204, then 401',
    look: async ({ client, mint, path }) => {
      const token = await mint('git_push');
      const revoked = await client.rest(token, 'DELETE /installation/token');
      const after = await client.rest(token, `GET ${path}`);
      const format = `${token.slice(0, 4)}…, ${String(token.length)} characters`;
      return seen(
        `${String(revoked.status)}, then ${String(after.status)} (${format})`,
        revoked.status === 204 && after.status === 401,
      );
    },
  },
  {
    name: 'compare with per_page=1&page=2',
    expected: '200, and behind_by as on the first page',
    look: async ({ client, mint, path, defaultBranch, openPull }) => {
      const { branch } = await openPull('compare');
      const token = await mint('read');
      const range = `${path}/compare/${encodeURIComponent(defaultBranch)}...${encodeURIComponent(branch)}`;
      const first = await client.rest(token, `GET ${range}`);
      const second = await client.rest(token, `GET ${range}?per_page=1&page=2`);
      const [one, two] = [at(first.body, 'behind_by'), at(second.body, 'behind_by')];
      return seen(
        `${String(second.status)}, behind_by ${String(one)} and ${String(two)}`,
        second.status === 200 && one === two,
      );
    },
  },
  {
    name: 'a push, and when it shows',
    expected: 'the head by the API, refs/heads and refs/pull/N/head within seconds; mergeable computed',
    look: async (scene) => {
      const { client, mint, path, openPull, patienceMs, push, git } = scene;
      const { number, branch } = await openPull('delays');
      const head = await push(branch, { 'delays.txt': 'second\n' }, branch);
      const token = await mint('read');
      const pull = (): Promise<Answer> => client.rest(token, `GET ${path}/pulls/${String(number)}`);
      const isAt = async (ref: string): Promise<boolean> =>
        (await git(token, 'ls-remote', 'URL', ref)).stdout.startsWith(head);
      const delays = {
        api: await timeUntil(async () => at((await pull()).body, 'head', 'sha') === head, patienceMs),
        branch: await timeUntil(() => isAt(`refs/heads/${branch}`), patienceMs),
        pull: await timeUntil(() => isAt(`refs/pull/${String(number)}/head`), patienceMs),
        mergeable: await timeUntil(async () => at((await pull()).body, 'mergeable') !== null, patienceMs),
      };
      const text = Object.entries(delays).map(([what, ms]) => `${what} ${ms === null ? 'never' : `${String(ms)} ms`}`);
      return seen(text.join(', '), !Object.values(delays).includes(null));
    },
  },
];

function isPurpose(name: string): name is TokenPurpose {
  return Object.hasOwn(permissionsByPurpose, name);
}

async function readPull({ client, mint, owner, name }: Scene, number: number): Promise<Seen> {
  const query = pullRequestQuery.replace('{\n', '{\n  rateLimit { cost }\n');
  const answer = await client.graphql(await mint('read'), query, { owner, name, number });
  const errors = at(answer.body, 'errors');
  // A missing .github of the owner is the one error that the product expects.
  const others = Array.isArray(errors) ? errors.filter((error) => at(error, 'path', 0) !== 'organization') : [];
  const cost = at(answer.body, 'data', 'rateLimit', 'cost');
  const text = `${String(answer.status)}, cost ${String(cost)}, errors ${JSON.stringify(errors ?? [])}`;
  return seen(text.slice(0, 500), answer.status === 200 && others.length === 0 && cost === 1);
}

export function describe({ status, body }: Answer): string {
  return `${String(status)} ${JSON.stringify(body)}`.slice(0, 300);
}

/** Tokens and reads. */
export function listReadChecks(): readonly LiveCheck[] {
  return CHECKS;
}
