import { accountOf } from '../find.ts';
import type { GraphContext } from './access.ts';
import type { GraphNode } from './node.ts';

/** A user or bot. GraphQL shows a bot's login without REST's `[bot]`. */
export function actorNode(context: GraphContext, login: string): GraphNode {
  const account = accountOf(context.world.state, login);
  const shown = account.login.replace(/\[bot\]$/u, '');
  return {
    __typename: account.kind,
    id: `${account.kind === 'Bot' ? 'BOT' : 'U'}_${account.id}`,
    databaseId: account.id,
    login: shown,
    name: shown,
    url: `${context.world.url}/${shown}`,
    resourcePath: `/${shown}`,
    avatarUrl: `${context.world.url}/avatars/u/${account.id}`,
  };
}
