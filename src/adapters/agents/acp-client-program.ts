/**
 * A client of the Agent Client Protocol: it starts one agent, gives it one prompt, and prints what happens as lines of JSON. It runs
 * beside the agent, inside the sandbox: the protocol is spoken over pipes, and a site takes one text and gives one output. So what
 * an untrusted agent says is parsed by the service only as the small lines below.
 *
 *   node acp-client-program.mjs ROOT READABLE TOOL_CALLS TOKENS SECONDS AGENT ARGUMENT… < PROMPT
 *
 * ROOT and READABLE (folders, with `:` between) limit what the agent is permitted; the numbers cancel its turn.
 *
 *   { "type": "agent", "name", "version" }               once it has answered
 *   { "type": "tool", "kind", "title", "path" }          for each call of a tool
 *   { "type": "message", "text" }                        its last message
 *   { "type": "end", "ok", "why" }                       the last line; the exit code is 0 exactly if ok
 */
import { type ChildProcess, spawn } from 'node:child_process';
import process from 'node:process';
import { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import {
  type ClientContext,
  type ContentBlock,
  client,
  methods,
  type NewSessionResponse,
  ndJsonStream,
  PROTOCOL_VERSION,
  RequestError,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import { answerPermission, type PermittedFolders } from './acp-permission.ts';

interface Options extends PermittedFolders {
  readonly maxToolCalls: number;
  /** In its context. */
  readonly maxTokens: number;
  readonly maxSeconds: number;
  readonly agent: readonly string[];
}

/** How long an agent may take to end a turn that was cancelled. */
const CANCEL_MS = 3000;
const EXIT_MS = 1000;
const MAX_MESSAGE_CHARS = 64 * 1024;
/** Agents that need to be told how to log in with the key in their environment. */
const KEY_METHOD = /api[-_]?key/iu;
const AUTH_REQUIRED = -32_000;

/** Why the turn was cancelled, and what was seen of it. */
interface Turn {
  toolCalls: number;
  message: string;
  cancelled: string | null;
  cancel: (why: string) => void;
}

await run(parseOptions(process.argv.slice(2)));

async function run(options: Options): Promise<void> {
  const prompt = await text(process.stdin);
  const [file = '', ...args] = options.agent;
  const child = spawn(file, args, { cwd: options.root, stdio: ['pipe', 'pipe', 'inherit'] });
  const turn: Turn = { toolCalls: 0, message: '', cancelled: null, cancel: () => undefined };
  const failed = new Promise<never>((_, reject) => {
    child.once('error', (error) => reject(new Error(`the agent cannot be started: ${error.message}`)));
    child.once('exit', (code, signal) => reject(new Error(`the agent exited (${signal ?? String(code)})`)));
    turn.cancel = (why) => {
      turn.cancelled ??= why;
      setTimeout(() => reject(new Error(`${why}, and the agent did not stop`)), CANCEL_MS).unref();
    };
  });
  const talked = talk(child, { options, prompt, turn }).catch(async (error: unknown) => {
    // That the agent exited says more than that its pipes closed, and is seen a moment later.
    if (!(error instanceof RequestError)) await Promise.race([failed, wait(EXIT_MS)]);
    throw error;
  });
  try {
    const stopReason = await Promise.race([failed, talked]);
    if (turn.message !== '') print({ type: 'message', text: turn.message });
    end(child, turn.cancelled ?? (stopReason === 'end_turn' ? null : stopReason));
  } catch (error) {
    end(child, turn.cancelled ?? describe(error));
  }
}

/** Returns the reason for which the turn ended. */
async function talk(
  child: ChildProcess,
  { options, prompt, turn }: { readonly options: Options; readonly prompt: string; readonly turn: Turn },
): Promise<string> {
  if (child.stdin === null || child.stdout === null) throw new Error('the agent has no pipes');
  const stream = ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout));
  const app = client({ name: 'ratchet' })
    .onNotification(methods.client.session.update, ({ params }) => hear(params.update, options, turn))
    .onRequest(methods.client.session.requestPermission, ({ params }) =>
      answerPermission(params.toolCall, params.options, options),
    );
  return app.connectWith(stream, async (agent) => {
    const { sessionId } = await openSession(agent, options);
    const giveUp = turn.cancel;
    turn.cancel = (why) => {
      giveUp(why);
      void agent.notify(methods.agent.session.cancel, { sessionId });
    };
    process.on('SIGTERM', () => turn.cancel('stopped'));
    setTimeout(() => turn.cancel('out of time'), options.maxSeconds * 1000).unref();
    const content: ContentBlock[] = [{ type: 'text', text: prompt }];
    return (await agent.request(methods.agent.session.prompt, { sessionId, prompt: content })).stopReason;
  });
}

async function openSession(agent: ClientContext, { root }: Options): Promise<NewSessionResponse> {
  const { agentInfo, authMethods } = await agent.request(methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    clientInfo: { name: 'ratchet', version: '1' },
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
  });
  print({ type: 'agent', name: agentInfo?.name ?? null, version: agentInfo?.version ?? null });
  const open = (): Promise<NewSessionResponse> =>
    agent.request(methods.agent.session.new, { cwd: root, mcpServers: [] });
  try {
    return await open();
  } catch (error) {
    const method = authMethods?.find(({ id }) => KEY_METHOD.test(id));
    if (method === undefined || !(error instanceof RequestError) || error.code !== AUTH_REQUIRED) throw error;
    await agent.request(methods.agent.authenticate, { methodId: method.id });
    return open();
  }
}

function hear(update: SessionUpdate, options: Options, turn: Turn): void {
  switch (update.sessionUpdate) {
    case 'agent_message_chunk':
      if (update.content.type === 'text') turn.message = (turn.message + update.content.text).slice(-MAX_MESSAGE_CHARS);
      return;
    case 'tool_call':
      // What it said before is no part of its last message.
      turn.message = '';
      turn.toolCalls += 1;
      print({
        type: 'tool',
        kind: update.kind ?? 'other',
        title: update.title,
        path: update.locations?.[0]?.path ?? null,
      });
      if (turn.toolCalls > options.maxToolCalls) turn.cancel('too many calls of tools');
      return;
    case 'usage_update':
      if (update.used > options.maxTokens) turn.cancel('too many tokens');
      return;
    default:
  }
}

function end(child: ChildProcess, why: string | null): never {
  child.kill('SIGKILL');
  print({ type: 'end', ok: why === null, why });
  process.exit(why === null ? 0 : 1);
}

function describe(error: unknown): string {
  if (error instanceof RequestError) return `${error.message} (${String(error.code)})`;
  return error instanceof Error ? error.message : String(error);
}

function print(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** The arguments come from the service. */
function parseOptions([root = '', readable = '', toolCalls, tokens, seconds, ...agent]: readonly string[]): Options {
  const numbers = { maxToolCalls: Number(toolCalls), maxTokens: Number(tokens), maxSeconds: Number(seconds) };
  return { root, readable: readable === '' ? [] : readable.split(':'), ...numbers, agent };
}
