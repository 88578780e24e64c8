import { createModelGateway } from '../../../../src/adapters/gateway/create-model-gateway.ts';
import { createKeyFiles } from '../../../../src/adapters/gateway/key-files.ts';
import { createStore } from '../../../../src/adapters/store/create-store.ts';
import { parseSessionId, toPullRequestKey } from '../../../../src/core/model/ids.ts';
import { recordingLog } from '../../../support/store.ts';
import { MODEL, PRICE } from '../gateway-fixture.ts';

// The gateway of one session, as the App starts it, until it is killed. Prints the socket and the token of the session.
const [, , database = '', folder = '', keyFile = '', url = ''] = process.argv;
const store = createStore({ path: database });
const clock = { now: () => Date.now() };
store.settleOpenCalls(clock.now());
const gateway = createModelGateway({
  ...{
    folder,
    ledger: store,
    switches: store,
    limits: {},
    keys: createKeyFiles(() => undefined),
    clock,
    log: recordingLog().log,
  },
  gatewayLimits: { noteMs: 10 },
});
const { socketPath, token } = await gateway.open({
  sessionId: parseSessionId('session-1'),
  ...{ key: toPullRequestKey(100, 7), repositoryId: 100, installationId: 1 },
  endpoint: {
    ...{ name: 'agent-1', dialect: 'anthropic', url, keyFile, models: [MODEL], prices: { [MODEL]: PRICE } },
    maxOutputTokens: 1000,
  },
  ...{ model: MODEL, maxMicroUsd: 1_000_000_000, maxCalls: null, maxTokens: null },
});
process.stdout.write(`${socketPath} ${token}\n`);
