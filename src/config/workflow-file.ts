import { z } from 'zod';
import { parseYaml } from './parse-yaml.ts';

/** A workflow of GitHub Actions as plain data; null: it cannot be read. Nothing is known of what is in it. */
export function parseWorkflowFile(text: string): Readonly<Record<string, unknown>> | null {
  const parsed = parseYaml(text, z.looseObject({}));
  return parsed.kind === 'ok' ? parsed.value : null;
}
