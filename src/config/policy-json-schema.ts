import { z } from 'zod';
import { POLICY_PATH } from '../core/model/policy-path.ts';
import { PolicyFile } from './policy-file-schema.ts';

/**
 * Returns the JSON Schema of `.github/ratchet.yml`, generated from the schema that validates it. Uses draft 7 for the
 * YAML language servers of editors, and the input side, which allows a single command instead of a list.
 */
export function toPolicyJsonSchema(): Readonly<Record<string, unknown>> {
  const { $schema, ...schema } = z.toJSONSchema(PolicyFile, {
    target: 'draft-7',
    io: 'input',
    // zod omits the default of a transformed value, which may be an output. Here, both sides accept it.
    override: ({ zodSchema, jsonSchema }) => {
      const builtIn = z.globalRegistry.get(zodSchema)?.['default'];
      if (builtIn !== undefined) Object.assign(jsonSchema, { default: builtIn });
    },
  });
  return {
    $schema,
    title: POLICY_PATH,
    description: "Ratchet's policy of a repository, read from the base branch of the pull request.",
    ...schema,
  };
}

/** The published text of the schema. */
export function toPolicyJsonSchemaText(): string {
  return `${JSON.stringify(toPolicyJsonSchema(), null, 2)}\n`;
}
