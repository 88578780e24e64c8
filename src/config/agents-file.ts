import { z } from 'zod';
import { AGENT_KINDS } from '../core/model/agent-settings.ts';
import { ConfigError } from '../core/model/errors.ts';
import { DIALECTS } from '../core/model/model-use.ts';
import { type AgentEntry, findEntryFaults } from './agent-entry.ts';
import { KeyFile, MAX_OUTPUT_TOKENS, Models, ModelUrl } from './agent-fields.ts';
import { Prices } from './model-prices.ts';
import { parseYaml, toPlaced } from './parse-yaml.ts';

const MAX_AGENTS = 20;
const path = z.string().min(1).max(4096);

const Entry = z.strictObject({
  name: z
    .string()
    .regex(
      /^[A-Za-z][A-Za-z0-9._-]{0,38}$/u,
      'must begin with a letter and hold at most 39 letters, digits, dots, _ and -',
    ),
  kind: z.enum(AGENT_KINDS),
  path: path.exactOptional(),
  command: z.array(z.string().max(4096)).min(1).max(100).exactOptional(),
  script: path.exactOptional(),
  api: z.enum(DIALECTS).exactOptional(),
  url: ModelUrl.exactOptional(),
  keyFile: KeyFile.exactOptional(),
  models: Models.exactOptional(),
  prices: Prices.exactOptional(),
  maxOutputTokens: z.int().min(MAX_OUTPUT_TOKENS.min).max(MAX_OUTPUT_TOKENS.max).exactOptional(),
});

const AgentsFile = z.strictObject({
  agents: z
    .array(
      Entry.superRefine((entry, context) => {
        for (const { field, message } of findEntryFaults(entry, `kind: ${entry.kind}`)) {
          context.addIssue({ code: 'custom', path: [field], message });
        }
      }),
    )
    .min(1)
    .max(MAX_AGENTS)
    .superRefine((agents, context) => {
      for (const [nth, { name }] of agents.entries()) {
        // Names that differ in case alone would be mixed up in a policy.
        const isTaken = agents.slice(0, nth).some((earlier) => earlier.name.toLowerCase() === name.toLowerCase());
        if (isTaken) context.addIssue({ code: 'custom', path: [nth, 'name'], message: 'another agent has this name' });
      }
    }),
});

/**
 * Parses the operator's file of agents, the default first. `file` is the value of `RATCHET_AGENTS_FILE`, for messages.
 * @throws ConfigError that lists each problem with its place.
 */
export function parseAgentsFile(text: string, file: string): readonly AgentEntry[] {
  const parsed = parseYaml(text, AgentsFile);
  if (parsed.kind === 'ok') return parsed.value.agents;
  throw new ConfigError(parsed.problems.map((problem) => toPlaced('RATCHET_AGENTS_FILE', file, problem)));
}
