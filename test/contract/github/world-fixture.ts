import { createGitHub } from '../../../src/adapters/github/create-github.ts';
import type { PullRequestRef } from '../../../src/core/model/pull-request.ts';
import type { GitHub } from '../../../src/ports/github.ts';
import { recordingLog } from '../../support/store.ts';
import type { Scene } from '../../world/a-world.ts';
import { at, rest } from '../../world/app-client.ts';

/** The adapter, connected to the local GitHub of the scene. */
export function connect({ world }: Scene): GitHub {
  return createGitHub({
    appId: world.app.id,
    privateKey: world.app.privateKey,
    baseUrl: `${world.url}/api/v3`,
    userAgent: 'ratchet-test',
    log: recordingLog().log,
    clock: { now: () => Date.now() },
    limits: { youngTokenMs: 0 },
  });
}

/** A pull request of the scene's repository. */
export async function refOf({ world, token, repo, installationId }: Scene, number: number): Promise<PullRequestRef> {
  const answer = await rest(world, token, `GET /repos/${repo}`);
  const repositoryId = Number(at(answer.body, 'id'));
  return { repository: { installationId, repositoryId, owner: 'acme', name: 'widget' }, number };
}
