import { type JsonObject, parseJsonObject } from './parse-json-object.ts';

/** A string of JSON, a comment, or a comma before a closing bracket. */
const TOKEN = /"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\/|,(?=(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*[}\]])/gu;

/** The object that a text of JSON with comments and trailing commas is, as in `tsconfig.json`; null if it is none. */
export function parseJsoncObject(text: string): JsonObject | null {
  return parseJsonObject(
    text.replace(/^\uFEFF/u, '').replaceAll(TOKEN, (token) => (token.startsWith('"') ? token : '')),
  );
}
