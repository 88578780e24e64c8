/** Renews what docs/ say of the policy's keys: the reference in policy.md, and the JSON Schema. */
import { readFileSync, writeFileSync } from 'node:fs';
import { toPolicyJsonSchemaText } from '../src/config/policy-json-schema.ts';
import { putPolicyTable } from './render-policy-table.ts';

const manual = new URL('../docs/policy.md', import.meta.url);
writeFileSync(manual, putPolicyTable(readFileSync(manual, 'utf8')));
writeFileSync(new URL('../docs/ratchet.schema.json', import.meta.url), toPolicyJsonSchemaText());
