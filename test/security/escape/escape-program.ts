import { argv, env, stdout } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Attempt, Config } from './exchange.ts';
import { toMachineAttempts } from './machine-attempts.ts';
import { callModel, toModelAttempts } from './model-attempts.ts';
import { openTunnel, readPackage, toRegistryAttempts } from './registry-attempts.ts';

/**
 * Tries to escape, in every way that the modules beside this one know. Prints one line of JSON for each attempt with what came
 * back. Whoever runs it judges: what came back, and what servers outside received.
 *
 *   node escape-program.ts FIRST_NUMBER all|model < nothing, with the configuration in ESCAPE
 */

const MAX_MS = 10_000;

function readConfig(): Config {
  // oxlint-disable-next-line ours/banned-syntax -- From the test that starts this program, which has no library here.
  return JSON.parse(env['ESCAPE'] ?? '') as Config;
}

function print(line: object): void {
  stdout.write(`${JSON.stringify(line)}\n`);
}

const config = readConfig();
const [, , first = '0', what = 'all'] = argv;

// What is allowed works: otherwise the attempts below would fail for the wrong reason.
print({ allowed: 'model', seen: await callModel(config) });
if (what === 'all') {
  print({ allowed: 'package', seen: await readPackage(config) });
  print({ allowed: 'tunnel', seen: await openTunnel(config) });
}

const attempts: readonly Attempt[] = [
  ...toModelAttempts(config),
  ...(what === 'all' ? [...toRegistryAttempts(config), ...toMachineAttempts(config)] : []),
].filter(({ needsWalls = false }) => !(needsWalls && config.hasNoWalls));
const numbered = attempts.map((attempt, index) => ({
  ...attempt,
  mark: `esc${String(Number(first) + index).padStart(4, '0')}`,
}));

async function work(queue: (typeof numbered)[number][]): Promise<void> {
  for (let attempt = queue.shift(); attempt !== undefined; attempt = queue.shift()) {
    const { group, name, mark, run } = attempt;
    const seen = await Promise.race([run(mark).catch(String), sleep(MAX_MS, '[too long]', { ref: false })]);
    print({ group, name, mark, seen });
  }
}

async function workAtOnce(count: number, isMine: (group: Attempt['group']) => boolean): Promise<void> {
  const queue = numbered.filter(({ group }) => isMine(group));
  await Promise.all(Array.from({ length: count }, () => work(queue)));
}

// The gateway takes sixteen calls at once; an attempt must not fail for their number.
await Promise.all([
  workAtOnce(config.hasNoWalls ? 60 : 12, (group) => group === 'model'),
  workAtOnce(40, (group) => group !== 'model'),
]);
print({ done: numbered.length });
