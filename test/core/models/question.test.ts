import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/core/json/parse-json-object.ts';
import { DIALECTS } from '../../../src/core/model/model-use.ts';
import type { ModelApi } from '../../../src/core/models/model-route.ts';
import { toModelRoute } from '../../../src/core/models/model-route.ts';
import { QUESTION_APIS, readAnswerPiece, toQuestionCall } from '../../../src/core/models/question.ts';
import { rewriteRequest } from '../../../src/core/models/rewrite-request.ts';

const TURNS = [
  { from: 'user', text: 'Plan.' },
  { from: 'model', text: 'No.' },
  { from: 'user', text: 'Again.' },
] as const;
const APIS = DIALECTS.flatMap((dialect) => QUESTION_APIS[dialect].map((api) => [dialect, api] as const));

describe('asking a model', () => {
  it.each(APIS)('is a call that the gateway of %s knows: %s', (dialect, api) => {
    const { path, body } = toQuestionCall(api, { model: 'm', turns: TURNS });

    const route = toModelRoute(dialect, 'POST', path);
    expect(route).toMatchObject({ kind: 'call', api, isCount: false });
    if (route?.kind !== 'call') throw new Error('no call');
    const rewritten = rewriteRequest(route, body, { model: 'm', maxOutputTokens: 100 });
    expect(rewritten).toMatchObject({ kind: 'send', dropped: [], outputTokens: 100 });
    expect(JSON.stringify(body).match(/Plan\.|No\.|Again\./gu)).toEqual(['Plan.', 'No.', 'Again.']);
  });

  it.each<[ModelApi, JsonObject, string, string | null]>([
    ['messages', { type: 'content_block_delta', delta: { type: 'text_delta', text: 'a' } }, 'a', null],
    ['messages', { type: 'content_block_delta', delta: { type: 'thinking_delta', thinking: 'a' } }, '', null],
    ['messages', { type: 'message_delta', delta: { stop_reason: 'end_turn' } }, '', 'whole'],
    ['messages', { type: 'message_delta', delta: { stop_reason: 'max_tokens' } }, '', 'max_tokens'],
    ['messages', { type: 'ping' }, '', null],
    ['responses', { type: 'response.output_text.delta', delta: 'a' }, 'a', null],
    ['responses', { type: 'response.completed', response: {} }, '', 'whole'],
    [
      'responses',
      { type: 'response.incomplete', response: { incomplete_details: { reason: 'max_output_tokens' } } },
      '',
      'max_output_tokens',
    ],
    ['responses', { type: 'response.incomplete' }, '', 'incomplete'],
    ['responses', { type: 'response.reasoning_text.delta', delta: 'a' }, '', null],
    ['chat', { choices: [{ delta: { content: 'a' }, finish_reason: null }] }, 'a', null],
    ['chat', { choices: [{ delta: { content: null }, finish_reason: 'stop' }] }, '', 'whole'],
    ['chat', { choices: [{ delta: {}, finish_reason: 'length' }] }, '', 'length'],
    ['chat', { choices: [] }, '', null],
    ['chat', { choices: 7 }, '', null],
    ['generate', { candidates: [{ content: { parts: [{ text: 'a' }, { text: 'b' }] } }] }, 'ab', null],
    ['generate', { candidates: [{ content: { parts: [{ text: 'a', thought: true }] } }] }, '', null],
    ['generate', { candidates: [{ content: {}, finishReason: 'STOP' }] }, '', 'whole'],
    ['generate', { candidates: [{ finishReason: 'MAX_TOKENS' }] }, '', 'MAX_TOKENS'],
    ['generate', { promptFeedback: { blockReason: 'SAFETY' } }, '', 'SAFETY'],
    ['generate', { candidates: [7] }, '', null],
  ])('reads the text of an event and the end of the answer: %s %j', (api, event, text, end) => {
    expect(readAnswerPiece(api, event)).toEqual({ text, end });
  });
});
