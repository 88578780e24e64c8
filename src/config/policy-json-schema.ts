import { z } from 'zod';
import { POLICY_PATH } from '../core/model/policy-path.ts';
import { PolicyFile } from './policy-file-schema.ts';

/**
 * JSON Schema of `.github/ratchet.yml`, made of what the file is checked by. Draft 7, which is what editors' YAML language
 * servers read; of the input side, so that a single command may stand for a list.
 */
export function toPolicyJsonSchema(): Readonly<Record<string, unknown>> {
  const { $schema, ...schema } = z.toJSONSchema(PolicyFile, {
    target: 'draft-7',
    io: 'input',
    // zod leaves it out where a value is transformed, since it could be one of the output; ours are valid on both sides.
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

/** The schema as it is published, as text. */
export function toPolicyJsonSchemaText(): string {
  return `${JSON.stringify(toPolicyJsonSchema(), null, 2)}\n`;
}
