import type { ParseInput, Parser, Payload } from '../../../src/core/model/engine.ts';

/** What a parser reads, of a tool that ended well in the root `/repo`. */
export function anInput(text: string | null, set: Partial<ParseInput> = {}): ParseInput {
  return {
    text,
    reports: {},
    stderr: '',
    root: '/repo',
    cwd: '.',
    exitCode: 0,
    earlierExitCodes: [],
    version: null,
    ...set,
  };
}

/** What was parsed; a payload of another kind fails the test. */
export function parsed(
  parse: Parser,
  text: string,
  set: Partial<ParseInput> = {},
): Extract<Payload, { readonly kind: 'parsed' }> {
  const payload = parse(anInput(text, set));
  if (payload.kind !== 'parsed') throw new Error(`not parsed: ${JSON.stringify(payload)}`);
  return payload;
}
