import { type JsonObject, parseJsonObject } from '../json/parse-json-object.ts';
import type { TokenUse } from '../model/model-use.ts';
import type { ModelApi } from './model-route.ts';
import { type AnswerPart, readAnswerPart } from './read-usage.ts';
import { createSseEvents } from './sse-events.ts';
import { NO_TOKENS } from './token-price.ts';

/** What an answer said so far. */
export interface Metered {
  readonly tokens: TokenUse;
  /** Whether it said anything about tokens. */
  readonly isSeen: boolean;
  /** Whether it came to its end. */
  readonly isComplete: boolean;
  /** Whether all of it could be read so far. */
  readonly isReadable: boolean;
  /** The error that it reported; null: none. */
  readonly error: JsonObject | null;
}

/** Reads the use of one answer while it passes. */
export interface UsageMeter {
  /** Takes the next text of the answer. Returns whether more is known now. */
  readonly push: (text: string) => boolean;
  /** Call at the end of the answer. */
  readonly end: () => Metered;
  readonly metered: () => Metered;
}

/** The longest event of a stream that is parsed, in characters. */
const MAX_EVENT = 1_048_576;
/** The longest answer without a stream that is parsed, in characters. */
const MAX_ANSWER = 16_777_216;

/** The only events that matter here: most others are parts of the text. */
const MATTERS =
  /"(?:usage|usageMetadata)":\s*\{|"error":\s*[{"]|"(?:finish_reason|finishReason|blockReason)":\s*"|message_stop|"response\.\w+"|"type":\s*"error"/;
/** The beginning of a last event that was too long to be parsed. */
const LAST_BEGINS = /^\{\s*"type":\s*"(?:message_stop|response\.(?:completed|incomplete))"/;

/** A meter for an answer as events (`isStream`) or as one JSON text. Its memory is bounded. */
export function createUsageMeter(api: ModelApi, isStream: boolean): UsageMeter {
  let metered: Metered = { tokens: NO_TOKENS, isSeen: false, isComplete: false, isReadable: true, error: null };
  const events = createSseEvents(MAX_EVENT);
  let answer = '';
  let lastData = '';

  function take(part: AnswerPart): boolean {
    const isNews = part.tokens !== null || part.error !== null || (part.isLast && !metered.isComplete);
    metered = {
      tokens: part.tokens === null ? metered.tokens : toLargest(metered.tokens, part.tokens),
      isSeen: metered.isSeen || part.tokens !== null,
      isComplete: metered.isComplete || part.isLast,
      isReadable: metered.isReadable,
      error: metered.error ?? part.error,
    };
    return isNews;
  }

  function takeEvent(data: string, isCut: boolean): boolean {
    if (data === '[DONE]' || (isCut && LAST_BEGINS.test(data)))
      return take({ tokens: null, isLast: true, error: null });
    lastData = isCut ? '' : data;
    if (isCut || !MATTERS.test(data)) return false;
    const event = parseJsonObject(data);
    return event !== null && take(readAnswerPart(api, event));
  }

  return {
    push: (text) => {
      if (!isStream) {
        if (answer.length <= MAX_ANSWER) answer += text;
        return false;
      }
      let isNews = false;
      for (const { data, isCut } of events.push(text)) isNews = takeEvent(data, isCut) || isNews;
      return isNews;
    },
    end: () => {
      if (isStream) {
        // The end of the stream ends its last event, too.
        for (const { data, isCut } of events.push('\n\n')) takeEvent(data, isCut);
        const isBroken = !metered.isComplete && lastData !== '' && parseJsonObject(lastData) === null;
        return isBroken ? { ...metered, isReadable: false } : metered;
      }
      if (answer.length > MAX_ANSWER) return { ...metered, isComplete: true };
      const parsed = parseJsonObject(answer);
      answer = '';
      if (parsed === null) return { ...metered, isReadable: false };
      take({ ...readAnswerPart(api, parsed), isLast: true });
      return metered;
    },
    metered: () => metered,
  };
}

/** Streams repeat their counts, growing. */
function toLargest(left: TokenUse, right: TokenUse): TokenUse {
  return {
    input: Math.max(left.input, right.input),
    cached: Math.max(left.cached, right.cached),
    written: Math.max(left.written, right.written),
    output: Math.max(left.output, right.output),
  };
}
