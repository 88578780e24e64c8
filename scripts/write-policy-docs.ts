/** Renews what docs/ say of the policy's keys (the references in policy.md and engines.md), and the JSON Schemas. */
import { readFileSync, writeFileSync } from 'node:fs';
import { toPolicyJsonSchemaText } from '../src/config/policy-json-schema.ts';
import { toAgentRequestSchemaText } from '../src/schemas/agent-request.ts';
import { toAgentResultSchemaText } from '../src/schemas/agent-result.ts';
import { toCheckJsonSchemaText } from '../src/schemas/check-report.ts';
import { putKeyTables } from './render-policy-table.ts';

for (const name of ['policy', 'engines']) {
  const manual = new URL(`../docs/${name}.md`, import.meta.url);
  writeFileSync(manual, putKeyTables(readFileSync(manual, 'utf8')));
}
writeFileSync(new URL('../docs/ratchet.schema.json', import.meta.url), toPolicyJsonSchemaText());
writeFileSync(new URL('../docs/check.schema.json', import.meta.url), toCheckJsonSchemaText());
writeFileSync(new URL('../docs/agent-request.schema.json', import.meta.url), toAgentRequestSchemaText());
writeFileSync(new URL('../docs/agent-result.schema.json', import.meta.url), toAgentResultSchemaText());
