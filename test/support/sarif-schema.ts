import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { z } from 'zod';

/** The published schema of SARIF 2.1.0, as Microsoft's matchers for tests contain it. */
const PATH = join(import.meta.dirname, '../../node_modules/@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json');
const Published = z.object({ definitions: z.unknown(), required: z.unknown(), properties: z.unknown() });
// Without the keys by which draft 04 names itself: apart from them, the schema uses nothing that later drafts changed.
const SCHEMA = {
  type: 'object',
  additionalProperties: false,
  ...Published.parse(JSON.parse(readFileSync(PATH, 'utf8'))),
};
const FORMATS = {
  uri: /^[a-z][a-z\d+.-]*:/iu,
  'uri-reference': (text: string) => URL.canParse(text, 'file:///root/'),
  'date-time': true,
} as const;
const validate = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false, formats: FORMATS }).compile(SCHEMA);

/** What is wrong with a log; empty for a valid one. */
export function findSarifErrors(log: unknown): readonly string[] {
  if (validate(log)) return [];
  return (validate.errors ?? []).map(({ instancePath, message = '' }) => `${instancePath} ${message}`);
}
