import type { Json, JsonObject } from '../json.ts';

/** Counts of tokens. Each token is counted once: `input` has neither `cached` nor `written` ones. */
export type TokenCount = {
  readonly input: number;
  readonly cached: number;
  readonly written: number;
  readonly output: number;
};

/** A tool that a call offers to the model. */
export type OfferedTool = {
  readonly name: string;
  readonly schema: JsonObject;
  /** Its input is a program that calls the other tools of the client, not JSON by the schema. */
  readonly takesProgram?: true;
};

/** A call to the model, independent of its dialect. */
export type ModelCall = {
  readonly model: string;
  readonly isStream: boolean;
  readonly tools: readonly OfferedTool[];
  /** Results of tools that the conversation holds so far. */
  readonly results: number;
  /** All of the conversation, as JSON text. */
  readonly text: string;
  /** The most tokens that the answer may have; null: the call does not say. */
  readonly maxOutput: number | null;
  /** The call wants JSON as its answer: a side call of a client. */
  readonly wantsJson: boolean;
};

/** What the model does next: it calls a tool, by arguments or by a program, or says something and ends its turn. */
export type ModelStep =
  | { readonly kind: 'tool'; readonly name: string; readonly args: JsonObject }
  | { readonly kind: 'program'; readonly name: string; readonly text: string }
  | { readonly kind: 'text'; readonly text: string };

/** An answer: `pieces` make up the text, or the arguments or the program of the tool. `number` makes ids unique within a conversation. */
export type ModelAnswer = {
  readonly step: ModelStep;
  readonly pieces: readonly string[];
  readonly use: TokenCount;
  readonly number: number;
};

/** One server-sent event; `event` is null where the dialect has no names; the text `[DONE]` is sent as it is. */
export type ServerEvent = { readonly event: string | null; readonly data: Json };

/** An error, as each provider sends it. */
export type ModelFailure = {
  readonly anthropic: { readonly http: number; readonly type: string; readonly message: string };
  readonly openai: { readonly http: number; readonly type: string; readonly code: string; readonly message: string };
  readonly gemini: {
    readonly http: number;
    readonly status: string;
    readonly message: string;
    /** The reason in its details, where it has some. */
    readonly reason?: string;
  };
};

/** A model API: how it is called and answers. */
export type ModelApi = {
  readonly name: 'messages' | 'responses' | 'chat' | 'generate';
  readonly parse: (body: JsonObject, path: string) => ModelCall;
  readonly toJson: (call: ModelCall, answer: ModelAnswer) => Json;
  /** The events of an answer in three parts; there is one event for each piece. */
  readonly toEvents: (
    call: ModelCall,
    answer: ModelAnswer,
  ) => {
    readonly start: readonly ServerEvent[];
    readonly piece: (text: string) => ServerEvent;
    readonly end: readonly ServerEvent[];
  };
  readonly toError: (failure: ModelFailure) => { readonly status: number; readonly body: Json };
  readonly toErrorEvent: (failure: ModelFailure) => ServerEvent;
};
