/** Renews the generated parts of docs/: references, tables and JSON Schemas. */
import { readFileSync, writeFileSync } from 'node:fs';
import { GENERATED } from './docs/generated.ts';

for (const { path, render } of GENERATED) {
  writeFileSync(
    path,
    render(() => readFileSync(path, 'utf8')),
  );
}
