import { randomBytes } from 'node:crypto';
import { chmod, mkdir, rm } from 'node:fs/promises';
import { sha256 } from '../../core/hash/sha256.ts';
import { ConfigError } from '../../core/model/errors.ts';
import type { ModelUse } from '../../core/model/model-use.ts';
import { hasUsdBudget } from '../../core/spend/session-limits.ts';
import type { GatewaySession, ModelEndpoint, ModelGateway, OpenGateway } from '../../ports/model-gateway.ts';
import { defaultGatewayLimits, type GatewayLimits } from './gateway-limits.ts';
import type { KeyFiles } from './key-files.ts';
import { createModelUpstream, type ModelUpstream, type ProxyEnv } from './model-upstream.ts';
import { probeModel } from './probe-model.ts';
import { createBodyMemory } from './read-request-body.ts';
import { createUseReports } from './report-use.ts';
import { hasRoomForSockets, newSessionFolder, serveSession } from './serve-session.ts';
import type { ModelGatewayDeps, SessionContext } from './session-context.ts';
import { createSessionRecord } from './session-record.ts';

/** The parts of a gateway that need no session. */
export interface ModelProbe extends Pick<ModelGateway, 'probe' | 'fingerprint'> {
  readonly keys: KeyFiles;
  readonly upstream: ModelUpstream;
}

/** Looks at models and their keys outside of all sessions. The caller closes `upstream`. */
export function createModelProbe(keys: KeyFiles, proxy: ProxyEnv | null = null): ModelProbe {
  const upstream = createModelUpstream(proxy);
  return {
    ...{ keys, upstream },
    probe: async (endpoint, signal) => {
      try {
        checkUrl(endpoint);
        return await probeModel(upstream, { endpoint, key: await keys.read(endpoint.keyFile) }, signal);
      } catch (error) {
        if (error instanceof ConfigError) return { kind: 'failed', why: error.problems.join('; ') };
        throw error;
      }
    },
    fingerprint: async (endpoint) => toFingerprint(endpoint, await keys.read(endpoint.keyFile)),
  };
}

/** A gateway on Unix sockets in `deps.folder`. @throws ConfigError if the path of the folder is too long. */
export function createModelGateway(deps: ModelGatewayDeps): ModelGateway {
  if (!hasRoomForSockets(deps.folder)) {
    throw new ConfigError([`the folder ${deps.folder} has too long a path for sockets`]);
  }
  const limits = { ...defaultGatewayLimits, ...deps.gatewayLimits };
  const { keys, upstream, probe, fingerprint } = createModelProbe(deps.keys, deps.proxy);
  const open = new Set<OpenGateway>();
  let prepared: Promise<void> | null = null;

  return {
    open: async (session) => {
      prepared ??= prepareFolder(deps.folder);
      await prepared;
      const gateway = await openSession(deps, { session, limits, keys, upstream });
      const entry: OpenGateway = {
        ...gateway,
        close: async () => {
          open.delete(entry);
          return gateway.close();
        },
      };
      open.add(entry);
      return entry;
    },
    probe,
    fingerprint,
    close: async () => {
      await Promise.all([...open].map((gateway) => gateway.close()));
      upstream.close();
    },
  };
}

/** Sockets that a crash left go with the folder. */
async function prepareFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await chmod(folder, 0o711);
}

interface SessionParts {
  readonly session: GatewaySession;
  readonly limits: GatewayLimits;
  readonly keys: KeyFiles;
  readonly upstream: ModelUpstream;
}

async function openSession(deps: ModelGatewayDeps, parts: SessionParts): Promise<OpenGateway> {
  const { session, limits, keys } = parts;
  const budgets = {
    ...deps.limits,
    fixup: {
      ...{ maxMicroUsd: session.maxMicroUsd, maxCalls: session.maxCalls, maxTokens: session.maxTokens },
      maxTimeMs: null,
    },
  };
  const price = session.endpoint.prices[session.model] ?? null;
  checkUrl(session.endpoint);
  checkModel(session);
  if (price === null && hasUsdBudget(budgets)) {
    throw new ConfigError([`the model ${session.model} has no price, and a budget in USD applies to it`]);
  }
  await keys.read(session.endpoint.keyFile);
  const reports = createUseReports(limits.noteMs, () => record.use());
  const record = createSessionRecord(reports.changed);
  const context: SessionContext = {
    ...deps,
    ...parts,
    price,
    budgets,
    token: randomBytes(32).toString('hex'),
    record,
    memory: createBodyMemory(limits.maxBodiesBytes),
    openCalls: new Set(),
    log: deps.log.child({ sessionId: session.sessionId, agent: session.endpoint.name, model: session.model }),
  };
  const server = await serveSession(context, newSessionFolder(deps.folder));
  let closed: Promise<ModelUse> | null = null;
  const close = async (): Promise<ModelUse> => {
    await server.close();
    reports.close();
    return record.use();
  };
  return {
    socketPath: server.socketPath,
    token: context.token,
    use: record.use,
    onUse: reports.listen,
    close: () => (closed ??= close()),
  };
}

function checkModel({ model, endpoint }: GatewaySession): void {
  if (!endpoint.models.includes(model)) {
    throw new ConfigError([`the model ${model} is not one of the models of ${endpoint.name}`]);
  }
}

function checkUrl({ name, url: text }: ModelEndpoint): void {
  const url = URL.parse(text);
  const isUsable =
    url !== null &&
    (url.protocol === 'https:' || url.protocol === 'http:') &&
    `${url.username}${url.password}${url.search}${url.hash}` === '';
  if (!isUsable)
    throw new ConfigError([`the URL of the model of ${name} must be http(s)://host/path and nothing more`]);
}

function toFingerprint(endpoint: ModelEndpoint, key: string): string {
  const { name, dialect, url, keyFile, models, prices, maxOutputTokens } = endpoint;
  const pricesByModel = Object.entries(prices).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return sha256(JSON.stringify([name, dialect, url, keyFile, models, pricesByModel, maxOutputTokens, key]));
}
