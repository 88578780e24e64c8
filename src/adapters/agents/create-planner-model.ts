import { type IncomingMessage, request } from 'node:http';
import { type JsonObject, parseJsonObject } from '../../core/json/parse-json-object.ts';
import type { Dialect } from '../../core/model/model-use.ts';
import type { ModelApi } from '../../core/models/model-route.ts';
import { QUESTION_APIS, readAnswerPiece, toQuestionCall } from '../../core/models/question.ts';
import { readAnswerPart } from '../../core/models/read-usage.ts';
import { createSseEvents } from '../../core/models/sse-events.ts';
import { MAX_ANSWER_CHARS } from '../../core/planner/read-planner-answer.ts';
import type { AgentModel } from '../../ports/agent.ts';
import type { Asked, PlannerModel, PlannerTurn } from '../../ports/planner.ts';
import { SILENCE_MS } from './cli-profile.ts';

/** Longest event of an answer, and longest text of a refusal, in characters. */
const MAX_EVENT_CHARS = 1024 * 1024;
const MAX_REFUSAL_CHARS = 2000;
/** What servers answer at a path that they do not know. */
const UNKNOWN_PATH: ReadonlySet<number> = new Set([404, 405, 501]);

/** Creates the client of a planner's model, at the session's gateway. It speaks what the gateway speaks: plain HTTP, on this machine. */
export function createPlannerModel(dialect: Dialect, model: AgentModel): PlannerModel {
  let apis = QUESTION_APIS[dialect];
  return {
    ask: async (turns, signal) => {
      for (;;) {
        const [api, next, ...others] = apis;
        const asked = await askBy(api, { model, turns }, signal);
        if (asked.kind !== 'unknown_path') return asked;
        if (next === undefined) return { kind: 'failed', why: asked.why };
        apis = [next, ...others];
      }
    },
  };
}

type AskedBy = Asked | { readonly kind: 'unknown_path'; readonly why: string };

async function askBy(
  api: ModelApi,
  { model, turns }: { readonly model: AgentModel; readonly turns: readonly PlannerTurn[] },
  signal: AbortSignal,
): Promise<AskedBy> {
  try {
    const { path, body } = toQuestionCall(api, { model: model.model, turns });
    const response = await post(`${model.address}${path}`, { body, token: model.token, signal });
    response.setEncoding('utf8');
    const { statusCode = 0 } = response;
    if (statusCode === 200) return await readAnswer(api, response);
    const why = `${String(statusCode)} ${await readRefusal(response)}`.trim();
    return { kind: UNKNOWN_PATH.has(statusCode) ? 'unknown_path' : 'failed', why };
  } catch (error) {
    signal.throwIfAborted();
    return { kind: 'failed', why: error instanceof Error ? error.message : String(error) };
  }
}

function post(
  url: string,
  { body, token, signal }: { readonly body: JsonObject; readonly token: string; readonly signal: AbortSignal },
): Promise<IncomingMessage> {
  const text = JSON.stringify(body);
  const headers = {
    ...{ 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) },
    ...{ authorization: `Bearer ${token}`, 'anthropic-version': '2023-06-01' },
  };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers, signal, timeout: SILENCE_MS }, resolve);
    sent.once('timeout', () => sent.destroy(new Error('the model fell silent')));
    sent.once('error', reject);
    sent.end(text);
  });
}

async function readAnswer(api: ModelApi, response: IncomingMessage): Promise<Asked> {
  const events = createSseEvents(MAX_EVENT_CHARS);
  let text = '';
  let end: string | null = null;
  for await (const chunk of chunks(response)) {
    for (const { data } of events.push(chunk)) {
      const event = parseJsonObject(data);
      if (event === null) continue;
      const { error } = readAnswerPart(api, event);
      if (error !== null)
        return { kind: 'failed', why: `an error in the answer: ${JSON.stringify(error).slice(0, MAX_REFUSAL_CHARS)}` };
      const piece = readAnswerPiece(api, event);
      text += piece.text;
      end = piece.end ?? end;
    }
    if (text.length > MAX_ANSWER_CHARS)
      return { kind: 'answer', text: text.slice(0, MAX_ANSWER_CHARS), end: 'too long' };
  }
  return end === null ? { kind: 'failed', why: 'the answer has no end' } : { kind: 'answer', text, end };
}

async function readRefusal(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of chunks(response)) {
    text += chunk;
    if (text.length > MAX_REFUSAL_CHARS) break;
  }
  return text.slice(0, MAX_REFUSAL_CHARS).replaceAll(/\s+/gu, ' ');
}

async function* chunks(response: IncomingMessage): AsyncGenerator<string> {
  for await (const chunk of response) if (typeof chunk === 'string') yield chunk;
}
