import { toPolicyJsonSchemaText } from '../../src/config/policy-json-schema.ts';
import { toAgentRequestSchemaText } from '../../src/schemas/agent-request.ts';
import { toAgentResultSchemaText } from '../../src/schemas/agent-result.ts';
import { toCheckJsonSchemaText } from '../../src/schemas/check-report.ts';
import { putParts } from './put-parts.ts';
import { renderGuardTable, renderHoldTable, renderRejectTable } from './render-guard-tables.ts';
import { KEY_TABLES, renderKeyTable } from './render-policy-table.ts';
import { renderUsages } from './render-usages.ts';

/** A file of which parts, or all, are generated. */
interface GeneratedFile {
  readonly path: string;
  /** The file as it should be, made of the file as it is. */
  readonly render: (read: () => string) => string;
}

/** What is made for each mark in a document. */
const PARTS: Readonly<Record<string, () => string>> = {
  ...Object.fromEntries(
    Object.entries(KEY_TABLES).map(([name, keys]) => [`keys of ${name}`, () => renderKeyTable(keys)]),
  ),
  guards: renderGuardTable,
  holds: renderHoldTable,
  'refused changes': renderRejectTable,
  'command line': renderUsages,
};

function toDocument(path: string): GeneratedFile {
  return { path, render: (read) => putParts(read(), PARTS) };
}

/** Every file with generated parts. */
export const GENERATED: readonly GeneratedFile[] = [
  ...['docs/policy.md', 'docs/engines.md', 'docs/decisions.md', 'docs/why-not.md', 'docs/command-line.md'].map(
    toDocument,
  ),
  { path: 'docs/ratchet.schema.json', render: toPolicyJsonSchemaText },
  { path: 'docs/check.schema.json', render: toCheckJsonSchemaText },
  { path: 'docs/agent-request.schema.json', render: toAgentRequestSchemaText },
  { path: 'docs/agent-result.schema.json', render: toAgentResultSchemaText },
];
