import type { AgentProgress } from '../model/agent-progress.ts';
import type { AgentUse, TokenUse } from '../model/model-use.ts';
import { toCountText, toMoneyText, toTimeText } from '../text/words.ts';

/** All tokens together. */
export function toTokenCount({ input, cached, written, output }: TokenUse): number {
  return input + cached + written + output;
}

/** What was used of a model: `12 calls, 34100 tokens, 0.42 USD`. */
export function toUsedText({ calls, tokens, microUsd }: Pick<AgentProgress, 'calls' | 'tokens' | 'microUsd'>): string {
  return [toCountText(calls, 'call'), toCountText(toTokenCount(tokens), 'token'), toMoneyText(microUsd)].join(', ');
}

/** What an agent used, by the gateway's count: `12 calls, 34100 tokens, 0.42 USD, 3 min`. Only the time if it called no model. */
export function toUseText({ model, durationMs, ...used }: AgentUse): string {
  const time = toTimeText(durationMs);
  return model === null && used.calls === 0 ? time : `${toUsedText(used)}, ${time}`;
}
