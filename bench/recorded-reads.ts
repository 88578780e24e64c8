import { z } from 'zod';
import { type PullRequestReader, readPullRequest } from '../src/adapters/github/read-pull-request.ts';
import type { RepositoryCalls } from '../src/adapters/github/repository-calls.ts';
import type { PullRequestFacts, PullRequestRef } from '../src/core/model/pull-request.ts';
import { installationToken } from '../test/world/app-client.ts';
import { startWorld, type World } from '../world/start-world.ts';
import { NotMeasuredError } from './measure.ts';

/** A repeatable read of a pull request: GitHub's recorded answers, parsed and mapped like those of a live read. */
export interface RecordedRead {
  readonly checkRuns: number;
  readonly queries: number;
  readonly read: () => Promise<PullRequestFacts>;
}

const REPO = 'acme/widget';
/** Takes the owner's policy from the answer, which has none. */
const readOrganization: PullRequestReader['readOrganization'] = async (_repository, organization) =>
  organization ?? null;
const Answer = z.object({ data: z.unknown() });

/** Records reads from a local GitHub: for each of `sizes`, a pull request with that many check runs at its head. */
export async function recordReads(sizes: readonly number[]): Promise<readonly RecordedRead[]> {
  const world = await startWorld();
  try {
    await world.createRepository({ owner: 'acme', name: 'widget' });
    const installationId = world.installApp(REPO);
    const token = await installationToken(world, installationId);
    const reads: RecordedRead[] = [];
    for (const size of sizes) {
      const number = await openPullRequest(world, size);
      const repository = { installationId, repositoryId: 1, owner: 'acme', name: 'widget' };
      reads.push(await recordRead({ world, token }, { repository, number }, size));
    }
    return reads;
  } finally {
    await world.close();
  }
}

async function openPullRequest(world: World, checkRuns: number): Promise<number> {
  const branch = `with-${checkRuns}`;
  await world.commit({ repo: REPO, branch, from: 'main', files: { 'a.txt': branch }, login: 'ann' });
  const number = await world.openPullRequest({ repo: REPO, head: branch, login: 'ann', title: branch });
  for (let index = 0; index < checkRuns; index += 1) {
    const conclusion = index % 100 === 0 ? 'failure' : 'success';
    await world.setCheck({ repo: REPO, at: number, name: `test (${index % 20}, shard ${index})`, conclusion });
  }
  return number;
}

async function recordRead(
  { world, token }: { readonly world: World; readonly token: string },
  ref: PullRequestRef,
  checkRuns: number,
): Promise<RecordedRead> {
  const texts: string[] = [];
  await readWith(ref, async (query, variables) => {
    const answer = await fetch(`${world.url}/api/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify({ query, variables }),
    });
    const text = await answer.text();
    texts.push(text);
    return text;
  });
  const read = async (): Promise<PullRequestFacts> => {
    let next = 0;
    return readWith(ref, async () => {
      next += 1;
      return texts[next - 1] ?? '';
    });
  };
  const { checks } = await read();
  if (checks.length !== checkRuns) throw new NotMeasuredError(`${checks.length} of ${checkRuns} check runs were read`);
  return { checkRuns, queries: texts.length, read };
}

/** Reads the pull request. `ask` answers each query with the answer's text. */
async function readWith(
  ref: PullRequestRef,
  ask: (query: string, variables: Readonly<Record<string, unknown>>) => Promise<string>,
): Promise<PullRequestFacts> {
  const graphql: RepositoryCalls['graphql'] = async (_repository, { query, variables }) =>
    Answer.parse(JSON.parse(await ask(query, variables))).data;
  const facts = await readPullRequest({ calls: { graphql }, readOrganization }, ref, new AbortController().signal);
  if (facts === null) throw new NotMeasuredError('the pull request was not found');
  return facts;
}
