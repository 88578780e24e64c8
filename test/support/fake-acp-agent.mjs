// An agent that speaks the Agent Client Protocol: it asks for permission, edits a file, and says its result.
//
//   node fake-acp-agent.mjs HABIT
//
// Habits: usual    edits sum.js after it asked; asks for a file outside, too, and leaves it alone if it may not
//         model    calls its model once before it edits, by the variables that clients of OpenAI read
//         login    opens no session before it was told how to log in
//         endless  calls tools until it is cancelled
//         deaf     calls tools, and does not stop when it is cancelled
//         hungry   says that its context is full
//         refuses  ends its turn with `refusal`
//         error    answers the prompt with an error
//         dies     exits in the middle of its turn
//         garbage  prints what is no message
//         waits    does nothing until it is cancelled

import { readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { createInterface } from 'node:readline';

const [habit = 'usual'] = process.argv.slice(2);
const waiting = new Map();
let isLoggedIn = habit !== 'login';
let isCancelled = false;
let cwd = '';
let id = 0;

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const update = (content) => send({ method: 'session/update', params: { sessionId: 's1', update: content } });

function ask(method, params) {
  id += 1;
  send({ id, method, params });
  return new Promise((resolve) => waiting.set(id, resolve));
}

/** Whether the client permits a call. */
async function mayCall(kind, path) {
  const options = [
    { optionId: 'always', name: 'Always', kind: 'allow_always' },
    { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
    { optionId: 'no', name: 'No', kind: 'reject_once' },
  ];
  const toolCall = { toolCallId: 'call-1', kind, title: `${kind} ${path}`, locations: [{ path }] };
  const { outcome } = await ask('session/request_permission', { sessionId: 's1', toolCall, options });
  return outcome.optionId === 'yes';
}

function call(kind, path) {
  const title = `${kind} ${path}`;
  update({ sessionUpdate: 'tool_call', toolCallId: 'call-1', kind, title, locations: [{ path }] });
}

function say(text) {
  update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 5));

async function edit() {
  const path = `${cwd}/sum.js`;
  say('I will look at it. {"status":"failure","summary":"too early"}');
  call('read', path);
  const text = readFileSync(path, 'utf8');
  call('edit', path);
  if (await mayCall('edit', path)) writeFileSync(path, text.replace('a - b', 'a + b'));
  call('execute', 'node --test');
  const outside = await Promise.all([
    mayCall('edit', `${cwd}/../outside`),
    mayCall('edit', `${cwd}/.git/hooks/pre-commit`),
    mayCall('fetch', 'https://example.com'),
  ]);
  const isInside = outside.every((may) => !may);
  say('{"status":"succ');
  say(`ess","summary":"${isInside ? 'stayed inside' : 'went outside'}"}`);
  return 'end_turn';
}

async function callModel() {
  const response = await fetch(`${process.env.OPENAI_BASE_URL}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${process.env.OPENAI_API_KEY}` },
    body: JSON.stringify({ model: process.env.OPENAI_MODEL, messages: [{ role: 'user', content: 'Fix it.' }] }),
  });
  return response.status === 200 ? edit() : 'end_turn';
}

async function callForEver() {
  while (!isCancelled || habit === 'deaf') {
    call('execute', 'node --test');
    await pause();
  }
  return 'cancelled';
}

async function wait() {
  while (!isCancelled) await pause();
  return 'cancelled';
}

async function eat() {
  update({ sessionUpdate: 'usage_update', used: 10_000_000, size: 10_000_000 });
  return wait();
}

const turns = {
  usual: edit,
  login: edit,
  model: callModel,
  endless: callForEver,
  deaf: callForEver,
  hungry: eat,
  waits: wait,
  refuses: () => 'refusal',
  garbage: () => {
    process.stdout.write('npm warn something\n[1,2]\n\u0000\n');
    return edit();
  },
  dies: () => process.exit(3),
};

const methods = {
  initialize: () => ({
    protocolVersion: 1,
    agentInfo: { name: 'fake-acp', version: '1.2.3' },
    agentCapabilities: {},
    authMethods: [
      { id: 'oauth-personal', name: 'Log in' },
      { id: 'fake-api-key', name: 'Use a key' },
    ],
  }),
  authenticate: ({ methodId }) => {
    isLoggedIn = methodId === 'fake-api-key';
    return {};
  },
  'session/new': (params) => {
    if (!isLoggedIn) throw { code: -32_000, message: 'Authentication required' };
    cwd = params.cwd;
    return { sessionId: 's1' };
  },
  'session/prompt': async () => {
    if (habit === 'error') throw { code: -32_603, message: 'the model said 429' };
    return { stopReason: await turns[habit]() };
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (message.method === 'session/cancel') isCancelled = true;
  else if (message.method === undefined) waiting.get(message.id)?.(message.result);
  else {
    Promise.resolve()
      .then(() => methods[message.method](message.params))
      .then(
        (result) => send({ id: message.id, result }),
        (error) => send({ id: message.id, error }),
      );
  }
}
