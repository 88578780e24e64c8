import { schema as github } from '@octokit/graphql-schema';
import { buildSchema, type GraphQLSchema } from 'graphql';

/** GitHub's GraphQL schema. */
export type GraphqlSchemaOf = () => GraphQLSchema;

/** Builds the schema on the first call, which takes about 250 ms. */
export function createGraphqlSchemaOf(): GraphqlSchemaOf {
  let schema: GraphQLSchema | null = null;
  return () => {
    schema ??= buildSchema(github.idl, { assumeValidSDL: true });
    return schema;
  };
}
