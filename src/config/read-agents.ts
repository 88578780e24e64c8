import { findNearest } from '../core/commands/find-nearest.ts';
import type { AgentSettings } from '../core/model/agent-settings.ts';
import { ConfigError } from '../core/model/errors.ts';
import type { ModelPrice } from '../core/model/model-use.ts';
import { MODEL_PRICES } from '../core/models/model-prices.ts';
import { hasUsdBudget } from '../core/spend/session-limits.ts';
import { type AgentEntry, toAgentSettings } from './agent-entry.ts';
import type { AgentEnvironment } from './agent-variables.ts';
import { parseAgentsFile } from './agents-file.ts';
import { parsePrices } from './model-prices.ts';
import { readNamedFile } from './read-named-file.ts';

type Input = Pick<AgentEnvironment, 'agents' | 'modelPrices' | 'spendLimits'>;

/**
 * The operator's agents, the default first, with the files that the environment names.
 * @throws ConfigError that lists the problems of these files, and each model without a price where a budget is in USD.
 */
export async function readAgents(input: Input): Promise<readonly AgentSettings[]> {
  const prices = { ...MODEL_PRICES, ...(await readPrices(input.modelPrices)) };
  const { agents } = input;
  const entries: readonly AgentEntry[] =
    agents.kind === 'one'
      ? [agents.entry]
      : parseAgentsFile(await readNamedFile('RATCHET_AGENTS_FILE', agents.path), agents.path);
  const settings = entries.map((entry) => toAgentSettings(entry, prices));
  const problems = hasUsdBudget(input.spendLimits) ? settings.flatMap((agent) => findUnpriced(agent, prices)) : [];
  if (problems.length > 0) throw new ConfigError(problems);
  return settings;
}

async function readPrices(path: string | null): Promise<Readonly<Record<string, ModelPrice>>> {
  return path === null ? {} : parsePrices(await readNamedFile('RATCHET_MODEL_PRICES', path), path);
}

/** Problems with models that would be refused at each call. Names are compared exactly: a similar one may cost ten times as much. */
function findUnpriced(
  { name, endpoint }: AgentSettings,
  known: Readonly<Record<string, ModelPrice>>,
): readonly string[] {
  if (endpoint === null) return [];
  return endpoint.models
    .filter((model) => !Object.hasOwn(endpoint.prices, model))
    .map((model) => {
      const near = findNearest(model, Object.keys(known));
      return (
        `the agent ${name}: the price of the model ${model} is not known${near === null ? '' : ` (did you mean ${near}?)`}, ` +
        `and budgets in USD are set. Name it in the file of RATCHET_MODEL_PRICES, in USD per million tokens: ` +
        `\`${model}: { input: …, cached: …, written: …, output: … }\`. Or set the four budgets in USD to none`
      );
    });
}
