import { join } from 'node:path';
import { createModelGateway } from '../adapters/gateway/create-model-gateway.ts';
import { createKeyFiles } from '../adapters/gateway/key-files.ts';
import type { ModelGatewayDeps } from '../adapters/gateway/session-context.ts';
import type { Environment } from '../config/environment.ts';
import type { AgentSettings } from '../core/model/agent-settings.ts';
import { ConfigError } from '../core/model/errors.ts';
import type { ModelGateway } from '../ports/model-gateway.ts';
import type { Store } from '../ports/store.ts';
import { toProxyEnv } from './connect-outbound.ts';
import type { LiveSecrets } from './live-secrets.ts';

interface Parts extends Pick<ModelGatewayDeps, 'clock' | 'log'> {
  readonly dataDir: string;
  readonly store: Store;
  readonly secrets: Pick<LiveSecrets, 'add'>;
}

/**
 * Creates the gateway to the agents' models; null: no agent has one. Keys become secrets of the process as they are read, also
 * where an operator changes a file later.
 * @throws ConfigError that names each key file that cannot be used.
 */
export async function createAppGateway(
  {
    environment,
    agents,
  }: {
    readonly environment: Pick<Environment, 'modelSilenceSeconds' | 'spendLimits' | 'proxy'> & {
      readonly agents: Environment['agents'] | null;
    };
    readonly agents: readonly AgentSettings[];
  },
  { dataDir, store, secrets, clock, log }: Parts,
): Promise<ModelGateway | null> {
  const { spendLimits, modelSilenceSeconds } = environment;
  const keys = createKeyFiles(secrets.add);
  const endpoints = agents.flatMap(({ endpoint }) => (endpoint === null ? [] : [endpoint]));
  const problems: string[] = [];
  for (const { name, keyFile } of endpoints) {
    try {
      await keys.read(keyFile);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      const place =
        environment.agents?.kind === 'one' ? 'RATCHET_MODEL_KEY_FILE' : `RATCHET_AGENTS_FILE: the agent ${name}`;
      problems.push(...error.problems.map((problem) => `${place}: ${problem}`));
    }
  }
  if (problems.length > 0) throw new ConfigError(problems);
  if (endpoints.length === 0) return null;
  return createModelGateway({
    folder: join(dataDir, 'models'),
    ...{ ledger: store, switches: store, limits: spendLimits, keys, clock, log },
    proxy: toProxyEnv(environment),
    gatewayLimits: { silenceMs: modelSilenceSeconds * 1000 },
  });
}
