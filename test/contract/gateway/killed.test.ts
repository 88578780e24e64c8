import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { createStore } from '../../../src/adapters/store/create-store.ts';
import { toPullRequestKey } from '../../../src/core/model/ids.ts';
import type { OpenGateway } from '../../../src/ports/model-gateway.ts';
import { type Models, startModels } from '../../../world/models/start-models.ts';
import { temporaryFolder } from '../../support/store.ts';
import { call, KEY, MODEL, PRICE, STREAMS, writeKey } from './gateway-fixture.ts';

const PROGRAM = fileURLToPath(new URL('children/gateway-until-killed.ts', import.meta.url));
const AGENTS = 6;
/** Of the numbers of answers after which the gateway is killed. */
const SEED = 1128;
const OUTPUT_TOKENS = 200;
const MAX_TOKENS = 500;
/** Tokens that the bound of a call has beyond its bytes, and bytes that the gateway may add to a request. */
const OVERHEAD = 4096 + 200;
/** An answer that arrived so short before the kill may not be stored. */
const MARGIN_MS = 100;

/** A call of an agent. `endedAt`: null while it is open. */
interface AgentCall {
  readonly boundMicroUsd: number;
  endedAt: number | null;
}

type Session = Pick<OpenGateway, 'socketPath' | 'token'>;

async function start(args: readonly string[]): Promise<{ readonly child: ChildProcess; readonly session: Session }> {
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const line = once(createInterface(child.stdout), 'line').then(String);
  const [socketPath = '', token = ''] = (await Promise.race([line, once(child, 'exit').then(() => '')])).split(' ');
  if (token === '') throw new Error('the gateway did not start');
  return { child, session: { socketPath, token } };
}

/** One call, streamed or whole. A gateway that dies ends it. */
async function callOnce(session: Session, calls: AgentCall[], isStream: boolean): Promise<void> {
  const body = { ...STREAMS.messages.body, stream: isStream, max_tokens: MAX_TOKENS, system: 'a'.repeat(300) };
  const bytes = Buffer.byteLength(JSON.stringify(body));
  const own: AgentCall = {
    boundMicroUsd: (bytes + OVERHEAD) * PRICE.written + MAX_TOKENS * PRICE.output,
    endedAt: null,
  };
  calls.push(own);
  const { status, isWhole } = await call(session, { path: STREAMS.messages.path, body });
  if (status === 200 && isWhole) own.endedAt = performance.now();
}

/** Lets agents call until `answers` calls are answered, kills the gateway, and returns the bound of what was open then. */
async function callUntilKilled(
  args: readonly string[],
  answers: number,
): Promise<{ readonly open: number; readonly boundMicroUsd: number }> {
  const { child, session } = await start(args);
  const calls: AgentCall[] = [];
  const killed = { at: Number.POSITIVE_INFINITY };
  const exited = once(child, 'exit');
  const work = async (agent: number): Promise<void> => {
    for (let nth = 0; killed.at === Number.POSITIVE_INFINITY; nth += 1) {
      await callOnce(session, calls, (agent + nth) % 3 !== 0).catch(() => undefined);
      const answered = calls.filter(({ endedAt }) => endedAt !== null).length;
      if (killed.at < Number.POSITIVE_INFINITY || answered < answers) continue;
      killed.at = performance.now();
      child.kill('SIGKILL');
    }
  };
  await Promise.all([exited, ...Array.from({ length: AGENTS }, (_, agent) => work(agent))]);
  const open = calls.filter(({ endedAt }) => endedAt === null || endedAt > killed.at - MARGIN_MS);
  return { open: open.length, boundMicroUsd: open.reduce((sum, { boundMicroUsd }) => sum + boundMicroUsd, 0) };
}

async function startSlowModels(): Promise<Models> {
  const toUse = (): ReturnType<NonNullable<Parameters<Models['setUse']>[0]>> => ({
    input: 60,
    cached: 0,
    written: 0,
    output: OUTPUT_TOKENS,
  });
  const models = await startModels({ key: KEY, toUse, prices: { [MODEL]: PRICE } });
  onTestFinished(models.close);
  // Of a stream that ends, the model says what it charges: 200 tokens in 20 pieces.
  models.behave({ kind: 'slow', events: 20, bytes: 40, everyMs: 3 });
  return models;
}

it('after kills and restarts, the ledger is never below what the model charges, and above it by open calls at most', async () => {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const models = await startSlowModels();
  const path = join(folder.path, 'ratchet.db');
  const args = [path, join(folder.path, 's'), writeKey(folder.path, KEY), models.url];
  let open = 0;
  let boundMicroUsd = 0;

  for (const answers of fc.sample(fc.integer({ min: 1, max: 15 }), { numRuns: 2, seed: SEED })) {
    const killed = await callUntilKilled(args, answers);
    await models.until(() => models.open() === 0, { what: 'the model to see that its callers are gone' });
    open += killed.open;
    boundMicroUsd += killed.boundMicroUsd;
    const store = createStore({ path });
    store.settleOpenCalls(Date.now());
    const ledger = store.spent({ scope: 'pull_request', key: toPullRequestKey(100, 7) });
    store.close();
    const charged = models.spent();

    expect(ledger.microUsd).toBeGreaterThanOrEqual(charged.microUsd);
    // The ledger rounds each call up.
    expect(ledger.microUsd).toBeLessThanOrEqual(charged.microUsd + boundMicroUsd + ledger.calls);
    expect(ledger.calls).toBeGreaterThanOrEqual(charged.calls);
    expect(ledger.calls).toBeLessThanOrEqual(charged.calls + open);
  }

  expect(open).toBeGreaterThan(0);
});
