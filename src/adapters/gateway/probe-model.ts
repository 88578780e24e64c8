import type { JsonObject } from '../../core/json/parse-json-object.ts';
import { assertNever } from '../../core/model/errors.ts';
import type { UpstreamFault } from '../../core/model/model-use.ts';
import { classifyStatus } from '../../core/models/classify-fault.ts';
import { toModelHeaders } from '../../core/models/model-headers.ts';
import type { ModelApi } from '../../core/models/model-route.ts';
import { parseErrorBody } from '../../core/models/parse-error-body.ts';
import { createUsageMeter } from '../../core/models/usage-meter.ts';
import type { ModelEndpoint, ModelGateway } from '../../ports/model-gateway.ts';
import type { ModelUpstream } from './model-upstream.ts';
import { readBeginning } from './pipe-answer.ts';

const SILENCE_MS = 30_000;
const MAX_BYTES = 1_048_576;
/** The least that all APIs accept. */
const OUTPUT_TOKENS = 16;

interface ProbeCall {
  readonly api: ModelApi;
  readonly target: string;
  readonly body: JsonObject;
}

type Probed = Awaited<ReturnType<ModelGateway['probe']>>;

/** Makes the smallest call that shows that URL, key and model work together. */
export async function probeModel(
  upstream: ModelUpstream,
  { endpoint, key }: { readonly endpoint: ModelEndpoint; readonly key: string },
  signal: AbortSignal,
): Promise<Probed> {
  const model = endpoint.models[0] ?? '';
  const calls = toProbeCalls(endpoint, model);
  let failed: Probed = { kind: 'failed', why: 'the agent has no model' };
  for (const call of model === '' ? [] : calls) {
    const answer = await upstream.send({
      endpoint,
      target: call.target,
      headers: toModelHeaders(endpoint.dialect, { 'anthropic-version': '2023-06-01', accept: 'application/json' }, key),
      body: JSON.stringify(call.body),
      silenceMs: SILENCE_MS,
      signal,
    });
    if (answer.kind === 'failed') {
      return { kind: 'failed', why: answer.fault === 'silent' ? toWhy('silent', 0) : toWhy('cut', 0) };
    }
    const text = await readBeginning(answer.message, { maxBytes: MAX_BYTES, silenceMs: SILENCE_MS, signal });
    if (answer.status === 200 && isAnswer(call.api, text)) return { kind: 'ok', model };
    failed = {
      kind: 'failed',
      why: toWhy(classifyStatus(endpoint.dialect, answer.status, parseErrorBody(text)?.error ?? null), answer.status),
    };
    // An API that is only compatible with OpenAI's may have just one of the two paths.
    if (answer.status !== 404 && answer.status !== 405) break;
  }
  return failed;
}

function toProbeCalls({ dialect }: ModelEndpoint, model: string): readonly ProbeCall[] {
  const messages = [{ role: 'user', content: 'Say ok.' }];
  switch (dialect) {
    case 'anthropic':
      return [{ api: 'messages', target: '/v1/messages', body: { model, max_tokens: OUTPUT_TOKENS, messages } }];
    case 'openai':
      return [
        {
          api: 'responses',
          target: '/v1/responses',
          body: { model, max_output_tokens: OUTPUT_TOKENS, store: false, input: 'Say ok.' },
        },
        {
          api: 'chat',
          target: '/v1/chat/completions',
          body: { model, max_completion_tokens: OUTPUT_TOKENS, messages },
        },
      ];
    case 'gemini': {
      const contents = [{ role: 'user', parts: [{ text: 'Say ok.' }] }];
      const target = `/v1beta/models/${encodeURIComponent(model)}:generateContent`;
      const body = { contents, generationConfig: { maxOutputTokens: OUTPUT_TOKENS } };
      return [{ api: 'generate', target, body }];
    }
  }
}

function isAnswer(api: ModelApi, text: string): boolean {
  const meter = createUsageMeter(api, false);
  meter.push(text);
  const { isReadable, isSeen, error } = meter.end();
  return isReadable && isSeen && error === null;
}

function toWhy(fault: UpstreamFault, status: number): string {
  switch (fault) {
    case 'auth':
      return `the key is not accepted (${status}): check the key file`;
    case 'no_credit':
      return `the account of the key has no credit (${status})`;
    case 'rate_limited':
      return `the model's API limits the rate (${status}): try again later`;
    case 'overloaded':
      return `the model's API failed (${status}): try again later`;
    case 'silent':
      return "the model's API sent nothing: check the URL and the network";
    case 'cut':
      return "the connection to the model's API failed: check the URL and the network";
    case 'too_long':
    case 'bad_request':
      return `the model's API refused the call (${status}): check the URL and the name of the model`;
    case 'unreadable':
      return `the answer is not one of a model (${status}): check the URL`;
    default:
      return assertNever(fault);
  }
}
