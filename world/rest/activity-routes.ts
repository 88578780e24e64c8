import { toFullName } from '../find.ts';
import { isAncestor, ZERO_SHA } from '../git/repository.ts';
import type { JsonObject } from '../json.ts';
import { renderUser } from '../render/accounts.ts';
import type { Repository } from '../state.ts';
import type { PushRecord } from '../world-context.ts';
import { ok, type Reply, type RestRequest, reading } from './route.ts';

const DEFAULT_PER_PAGE = 30;
const MAX_PER_PAGE = 100;

/** Who moved the branches of a repository. */
export const ACTIVITY_ROUTES = [reading('GET /repos/{owner}/{repo}/activity', 'contents', answerActivity)] as const;

/** Newest first. GitHub pages this list by cursors; here the cursor is the id of the last activity. */
async function answerActivity(request: RestRequest, repository: Repository): Promise<Reply> {
  const { query, world } = request;
  const repo = toFullName(repository);
  const wanted = query.get('ref')?.replace(/^(?!refs\/)/u, 'refs/heads/') ?? null;
  const rows = world.pushes
    .map((push, index) => ({ ...push, id: index + 1 }))
    .filter((push) => push.repo === repo && (wanted === null || push.ref === wanted))
    .toReversed();
  const after = Number(query.get('after') ?? Number.POSITIVE_INFINITY);
  const perPage = Math.min(Number(query.get('per_page') ?? DEFAULT_PER_PAGE) || DEFAULT_PER_PAGE, MAX_PER_PAGE);
  const left = rows.filter(({ id }) => id < after);
  const body: JsonObject[] = [];
  for (const push of left.slice(0, perPage)) {
    body.push({
      id: push.id,
      node_id: `PSH_${push.id}`,
      before: push.before,
      after: push.after,
      ref: push.ref,
      timestamp: push.at,
      activity_type: await toActivityType(repository, push),
      actor: renderUser(world, push.login),
    });
  }
  return ok(body);
}

async function toActivityType({ git }: Repository, { before, after }: PushRecord): Promise<string> {
  if (before === ZERO_SHA) return 'branch_creation';
  if (after === ZERO_SHA) return 'branch_deletion';
  return (await isAncestor(git, before, after)) ? 'push' : 'force_push';
}
