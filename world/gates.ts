import { createGraphqlSchemaOf, type GraphqlSchemaOf } from './graphql/schema.ts';
import { createOpenApiGate, type OpenApiGate } from './schemas/openapi-gate.ts';
import { createWebhookGate, type WebhookGate } from './schemas/webhook-gate.ts';
import { createExampleOf, type ExampleOf } from './webhooks/examples.ts';

/** Validators from GitHub's own schemas, for requests and answers. They hold no state of a world. */
export type Gates = {
  readonly openapi: OpenApiGate;
  readonly webhook: WebhookGate;
  readonly exampleOf: ExampleOf;
  readonly graphqlSchema: GraphqlSchemaOf;
};

/** Creates the validators. Each is compiled on first use. */
export function createGates(): Gates {
  return {
    openapi: createOpenApiGate(),
    webhook: createWebhookGate(),
    exampleOf: createExampleOf(),
    graphqlSchema: createGraphqlSchemaOf(),
  };
}
