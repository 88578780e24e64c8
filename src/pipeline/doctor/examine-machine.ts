import {
  checkAgent,
  checkDataFolder,
  checkDisk,
  checkMergeTool,
  checkModelCall,
  checkRegistry,
  checkSandbox,
} from '../../core/doctor/check-machine.ts';
import { checkCircuits, checkDatabase, checkSwitches } from '../../core/doctor/check-stored.ts';
import { type DoctorCheck, good, warn } from '../../core/doctor/doctor-check.ts';
import type { Agent } from '../../ports/agent.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Machine } from '../../ports/machine.ts';
import type { ModelGateway } from '../../ports/model-gateway.ts';
import type { Sites } from '../../ports/site.ts';
import type { CircuitStore, SwitchStore } from '../../ports/spend-store.ts';
import type { Examination } from './run-examinations.ts';

const QUICK_MS = 10_000;
const SANDBOX_MS = 60_000;
const MODEL_MS = 60_000;
const FOLDER_FIX = 'Check RATCHET_DATA_DIR, and run `ratchet doctor` as the user that runs Ratchet.';

/** git, the disk, and what Ratchet keeps on it. */
export function examineFolders(
  { machine, clock }: { readonly machine: Machine; readonly clock: Clock },
  { dataDir }: { readonly dataDir: string },
): readonly Examination[] {
  const toShared = (name: string, fix: string) =>
    ({ name, timeoutMs: QUICK_MS, ifUnknown: { state: 'fail', fix } }) as const;
  return [
    {
      ...toShared('git', 'Install git 2.38 or later, so that it is found on the PATH of the service.'),
      examine: async () => [good('git', await machine.readGitVersion())],
    },
    {
      ...toShared('data folder', FOLDER_FIX),
      examine: async () => [checkDataFolder(dataDir, await machine.readEntry(dataDir))],
    },
    examineDisk(machine, dataDir),
    {
      ...toShared('database', `${FOLDER_FIX} If the file itself is broken, restore a backup.`),
      examine: async () => await readStored({ machine, clock }, dataDir),
    },
  ];
}

/** Free room where the data folder is. */
export function examineDisk(machine: Pick<Machine, 'readEntry' | 'readDisk'>, dataDir: string): Examination {
  return {
    ...{ name: 'disk', timeoutMs: QUICK_MS, ifUnknown: { state: 'fail', fix: FOLDER_FIX } },
    examine: async () => [await readDisk(machine, dataDir)],
  };
}

/** Models that are not called, and agents that are switched off. */
export function examineSpending({
  store,
  clock,
}: {
  readonly store: Pick<CircuitStore, 'circuits'> & Pick<SwitchStore, 'agentSwitches'>;
  readonly clock: Clock;
}): Examination {
  return {
    ...{ name: 'circuits', timeoutMs: QUICK_MS, ifUnknown: { state: 'fail', fix: FOLDER_FIX } },
    examine: async () => [...checkCircuits(store.circuits(), clock.now()), ...checkSwitches(store.agentSwitches())],
  };
}

async function readDisk(machine: Pick<Machine, 'readEntry' | 'readDisk'>, dataDir: string): Promise<DoctorCheck> {
  if ((await machine.readEntry(dataDir)) === null)
    return warn('disk', 'the data folder does not exist yet', 'Run `ratchet doctor` again once Ratchet has started.');
  return checkDisk(await machine.readDisk(dataDir));
}

async function readStored(
  { machine, clock }: { readonly machine: Machine; readonly clock: Clock },
  dataDir: string,
): Promise<readonly DoctorCheck[]> {
  const folder = await machine.readEntry(dataDir);
  if (folder !== null && !folder.isOwn) {
    const fix = 'Run `ratchet doctor` as the user that runs Ratchet.';
    return [warn('database', 'it is not read, because the data folder belongs to another user', fix)];
  }
  const facts = await machine.readDatabase(`${dataDir}/ratchet.db`);
  if (facts.kind === 'none' || facts.stored === null) return [checkDatabase(facts)];
  const { circuits, switches } = facts.stored;
  return [checkDatabase(facts), ...checkCircuits(circuits, clock.now()), ...checkSwitches(switches)];
}

/** The agents, and whether the files with their keys can be used. Calls no model. */
export function examineAgents(
  gateway: Pick<ModelGateway, 'fingerprint'>,
  agents: readonly Pick<Agent, 'name' | 'kind' | 'endpoint' | 'check'>[],
): readonly Examination[] {
  return agents.flatMap((agent): readonly Examination[] => {
    const { name, kind, endpoint } = agent;
    const toShared = (part: string, fix: string) =>
      ({ name: part, timeoutMs: QUICK_MS, ifUnknown: { state: 'fail', fix } }) as const;
    const program = {
      ...toShared('agents', `Start the program of the agent ${name} by hand, and see why it does not answer.`),
      examine: async () => [checkAgent({ name, kind, check: await agent.check() })],
    };
    if (endpoint === null) return [program];
    return [
      program,
      {
        ...toShared(
          'model keys',
          `Write the key of ${name} into that file as the user that runs Ratchet; then chmod 400.`,
        ),
        examine: async () => {
          await gateway.fingerprint(endpoint);
          return [good('model keys', `${name}: ${JSON.stringify(endpoint.keyFile)} can be used`)];
        },
      },
    ];
  });
}

/** The operator's program that merges by structure. */
export function examineMergeTool(find: () => Promise<Parameters<typeof checkMergeTool>[0]>): Examination {
  return {
    ...{ name: 'merge tool', timeoutMs: QUICK_MS },
    ifUnknown: { state: 'fail', fix: 'Start the program by hand, or set RATCHET_STRUCTURAL_MERGE=off.' },
    examine: async () => [checkMergeTool(await find())],
  };
}

/** One minimal call to the model of each agent. It costs money. */
export function examineModels(
  gateway: Pick<ModelGateway, 'probe'>,
  agents: readonly Pick<Agent, 'name' | 'endpoint'>[],
): readonly Examination[] {
  return agents.flatMap(({ name, endpoint }): readonly Examination[] => {
    if (endpoint === null) return [];
    return [
      {
        ...{ name: 'model', timeoutMs: MODEL_MS },
        ifUnknown: { state: 'fail', fix: `Check the URL, the key file and the models of ${name}.` },
        examine: async (signal) => [checkModelCall(name, await gateway.probe(endpoint, signal))],
      },
    ];
  });
}

/** Whether commands of pull requests can run. `probe`: of a sandbox that no service uses. */
export function examineSandbox(probe: Sites['probe']): Examination {
  return {
    ...{ name: 'sandbox', timeoutMs: SANDBOX_MS },
    ifUnknown: { state: 'fail', fix: 'Until it is known that the sandbox isolates, run no agent.' },
    examine: async (signal) => [checkSandbox(await probe(signal))],
  };
}

/** The demo has no sandbox. */
export function examineNoSandbox(): Examination {
  const fix = 'Use RATCHET_SANDBOX=bwrap for everything but the demo.';
  return {
    ...{ name: 'sandbox', timeoutMs: QUICK_MS, ifUnknown: { state: 'fail', fix } },
    examine: async () => [warn('sandbox', 'RATCHET_SANDBOX=unsafe-demo isolates nothing', fix)],
  };
}

export function examineRedis(ping: (signal: AbortSignal) => Promise<void>): Examination {
  return {
    ...{ name: 'redis', timeoutMs: QUICK_MS },
    ifUnknown: { state: 'warn', fix: 'Check REDIS_URL. Without Redis nothing is lost, and Ratchet goes on by itself.' },
    examine: async (signal) => {
      await ping(signal);
      return [good('redis', 'it answers')];
    },
  };
}

/** The registries that `setup` installs from. */
export function examineRegistries(
  machine: Pick<Machine, 'reach'>,
  registries: readonly { readonly name: string; readonly url: string }[],
): readonly Examination[] {
  return registries.map((registry) => ({
    ...{ name: 'registries', timeoutMs: QUICK_MS },
    ifUnknown: { state: 'warn', fix: `Check the address of ${registry.name}.` },
    examine: async (signal) => [checkRegistry(await machine.reach(registry, signal))],
  }));
}
