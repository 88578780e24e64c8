import { USAGES } from '../../src/cli/usages.ts';

/** What `--help` of each command prints. */
export function renderUsages(): string {
  const sections = Object.entries(USAGES).map(([name, text]) => `## ${name}\n\n\`\`\`text\n${text}\`\`\``);
  return sections.join('\n\n');
}
