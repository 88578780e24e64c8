import { createModelUpstream } from '../../../../src/adapters/gateway/model-upstream.ts';
import { createGit } from '../../../../src/adapters/git/create-git.ts';
import { DEFAULT_GIT_LIMITS } from '../../../../src/adapters/git/git-limits.ts';
import { toGitWay, toProxyEnv, useProxy } from '../../../../src/compose/connect-outbound.ts';
import { SILENT } from '../../../../src/compose/silent-log.ts';
import { parseEnvironment } from '../../../../src/config/environment.ts';

/** A process of its own, because certificates and proxy are those of a process: reaches a server as the service does. */
const [url = '', dataDir = ''] = process.argv.slice(2);
const environment = parseEnvironment(process.env);
useProxy(environment);
const git = createGit({
  ...{ dataDir, log: SILENT, clock: { now: () => 0 }, newId: () => 'id', limits: DEFAULT_GIT_LIMITS },
  env: await toGitWay(environment, dataDir),
});
const signal = AbortSignal.timeout(60_000);
const toText = (error: unknown): string => (error instanceof Error ? `${error.message} ${String(error.cause)}` : '');
const api = await fetch(`${url}/api`, { signal }).then((response) => response.text(), toText);
const remote = { url: `${url}/repo.git`, token: { token: 'canary', expiresAt: 0 } };
const head = await git.readRemoteHead('main', remote, signal).catch(toText);
const upstream = createModelUpstream(toProxyEnv(environment));
const endpoint = {
  name: 'a',
  dialect: 'anthropic',
  url,
  keyFile: '/none',
  models: ['m'],
  prices: {},
  maxOutputTokens: 1,
} as const;
const call = { endpoint, target: '/v1/messages', headers: {}, body: '{}', silenceMs: 60_000, signal };
const answer = await upstream.send(call);
const model = answer.kind === 'answer' ? answer.status : answer.fault;
if (answer.kind === 'answer') answer.message.resume();
upstream.close();
process.stdout.write(JSON.stringify({ api, head, model }));
