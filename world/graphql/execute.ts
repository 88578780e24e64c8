import { type ExecutionResult, GraphQLError, graphql } from 'graphql';
import type { Caller } from '../auth/caller.ts';
import { authenticate } from '../auth/caller.ts';
import { isObject, type Json, type JsonObject, objectAt, parseJson, stringAt } from '../json.ts';
import type { Reply } from '../rest/route.ts';
import { failure } from '../rest/route.ts';
import type { WorldContext } from '../world-context.ts';
import type { GraphContext } from './access.ts';
import { type FieldArguments, isField } from './node.ts';
import { pullNode } from './pull-node.ts';
import { costOf } from './query-cost.ts';
import { repositoryNode } from './repository-node.ts';
import { createRoot } from './root.ts';

/** Answers a GraphQL request by GitHub's own schema. */
export async function executeGraphql(
  world: WorldContext,
  authorization: string | undefined,
  body: Json | null,
): Promise<Reply> {
  const authentication = authenticate(world, authorization);
  if (authentication.kind === 'refused') return failure(authentication.status, authentication.message);
  const { caller } = authentication;
  if (caller.kind === 'anonymous' || caller.kind === 'app') {
    return failure(401, 'This endpoint requires you to be authenticated.');
  }
  const request = isObject(body) ? body : {};
  const trouble = world.faults.takeGraphqlTrouble(costOf(world.gates.graphqlSchema(), request).nodes);
  if (trouble !== null) return { status: 200, ...trouble };
  const result = await graphql({
    schema: world.gates.graphqlSchema(),
    source: stringAt(request, 'query') ?? '',
    rootValue: createRoot(createGraphContext(world, caller)),
    variableValues: { ...objectAt(request, 'variables') },
    operationName: stringAt(request, 'operationName'),
    fieldResolver: (source: unknown, args: FieldArguments, _context: unknown, info) => {
      return resolveField(source, args, `${info.parentType.name}.${info.fieldName}`, info.fieldName);
    },
  });
  world.violations.push(...violationsOf(result));
  return { status: 200, body: toAnswer(result) };
}

function createGraphContext(world: WorldContext, caller: Caller): GraphContext {
  const context: GraphContext = {
    ...{ world, caller },
    repositoryNode: (repository) => repositoryNode(context, repository),
    pullNode: (pull) => pullNode(context, pull),
  };
  return context;
}

function resolveField(source: unknown, args: FieldArguments, name: string, field: string): unknown {
  if (typeof source !== 'object' || source === null || !(field in source)) {
    throw new GraphQLError(`The world does not serve ${name}`);
  }
  const value: unknown = Reflect.get(source, field);
  return isField(value) ? value(args) : value;
}

/** An error with GitHub's `type` is a valid answer. Any other error means that the query or the world is wrong. */
function violationsOf(result: ExecutionResult): readonly string[] {
  const errors = result.errors ?? [];
  return errors
    .filter((error) => typeof error.extensions['type'] !== 'string')
    .map((error) => `graphql: ${error.message}`);
}

/** Moves `type` to the place where GitHub puts it: beside the message. */
function toAnswer(result: ExecutionResult): JsonObject {
  const answer = parseJson(JSON.stringify({ data: result.data }));
  if (result.errors === undefined) return answer;
  const errors = result.errors.map((error) => {
    const { extensions, ...rest } = parseJson(JSON.stringify(error.toJSON()));
    const type = isObject(extensions) ? extensions['type'] : undefined;
    return { ...rest, ...(type === undefined ? {} : { type }) };
  });
  return { ...answer, errors };
}
