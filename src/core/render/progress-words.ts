import { toUsedText } from '../agents/use-text.ts';
import type { AgentProgress } from '../model/agent-progress.ts';
import { toInlineCode, toOneLine } from '../text/escape.ts';

const DOING_WORDS: Readonly<Record<NonNullable<AgentProgress['doing']>['what'], string>> = {
  thinking: 'is thinking',
  reading: 'is reading',
  editing: 'is editing',
  running: 'is running',
};

/** One sentence about the agent of a working session. What it does, it says itself. */
export function toProgressText({ agent, model, doing, ...used }: AgentProgress): string {
  const detail = doing === null || toOneLine(doing.detail) === '' ? '' : ` ${toInlineCode(doing.detail)}`;
  const does = doing === null ? 'has started' : `${DOING_WORDS[doing.what]}${detail}`;
  const called = model === null ? '' : `; so far ${toUsedText(used)} of the model ${toInlineCode(model)}`;
  return `The agent ${toInlineCode(agent)} ${does}${called}.`;
}
