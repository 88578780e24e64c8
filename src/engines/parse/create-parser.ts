import type { z } from 'zod';
import type { ParseInput, Parser, Payload } from '../../core/model/engine.ts';
import { readJson } from './read-json.ts';
import { type ReadLine, readLines } from './read-lines.ts';

/** Creates a parser. `read` gets the text only if there is one and it is not blank. */
export function createTextParser(read: (text: string, input: ParseInput) => Payload): Parser {
  return (input) => {
    if (input.text === null) return { kind: 'missing' };
    return /\S/u.test(input.text) ? read(input.text, input) : { kind: 'empty' };
  };
}

/** Creates a parser of one JSON document. `name` says what it is if it cannot be read. */
export function createJsonParser<Schema extends z.ZodType>(
  name: string,
  schema: Schema,
  read: (value: z.infer<Schema>, input: ParseInput) => Payload,
): Parser {
  return createTextParser((text, input) => {
    const reading = readJson(text, schema);
    return reading.kind === 'ok' ? read(reading.value, input) : { kind: 'invalid', why: `${name}: ${reading.why}` };
  });
}

/** Creates a parser of lines (see `readLines`). */
export function createLinesParser<Value>(
  tool: string,
  readLine: ReadLine<Value>,
  read: (values: readonly Value[], input: ParseInput) => Payload,
): Parser {
  return createTextParser((text, input) => {
    const reading = readLines(text, tool, readLine);
    return reading.kind === 'ok' ? read(reading.value, input) : reading;
  });
}
