import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { extractResult, MAX_RESULT_CHARS } from '../../../src/core/agents/extract-result.ts';
import { toCpuMs } from '../../support/cpu-time.ts';

const RESULT = '{"schema_version":1,"run_id":"r","task_id":"t","status":"success","summary":"ok"}';

function nested(depth: number): string {
  return `${'{"a":'.repeat(depth - 1)}{}${'}'.repeat(depth - 1)}`;
}

function parseJson(text: string): unknown {
  return JSON.parse(text);
}

describe('extractResult (001.R36, R37, C15)', () => {
  it.each([
    ['the bare object', RESULT],
    ['a last newline', `${RESULT}\n`],
    ['log lines before it', `Reading files...\nDone (3 files).\n${RESULT}`],
    ['colour codes around it', `\u001b[31merror\u001b[0m \u001b[2K${RESULT}\u001b[0m`],
    ['a Markdown fence', `Here you are:\n\`\`\`json\n${RESULT}\n\`\`\`\n`],
    ['words after it', `${RESULT}\nBye.`],
    ['JSON log lines before it', `{"level":"info","msg":"start"}\n{"level":"info","task_id":"t"}\n${RESULT}`],
    ['a JSON array before it', `[1,2,{"schema_version":1,"task_id":"inside an array"}]\n${RESULT}`],
    ['stray braces before it', `function () { return {a: 1} } {{{ [[[x ${RESULT}`],
    ['an odd quote before it', `it's "unbalanced ${RESULT}`],
    ['a log prefix on its line', `[INFO] result: ${RESULT}`],
    ['carriage returns', `progress 10%\rprogress 100%\r\n${RESULT}\r\n`],
    ['a byte order mark', `\ufeff${RESULT}`],
    ['spaces and newlines inside', RESULT.replaceAll(',', ' ,\n\t ').replaceAll(':', ' : ')],
    ['a flood before it', `${'x'.repeat(200_000)}\n${RESULT}`],
    ['braces in strings', RESULT.replace('"ok"', '"a } { \\" } ] [ \\\\"').replace('"run_id":"r"', '"run_id":"r"')],
  ])('finds the result with %s', (_name, output) => {
    const extracted = extractResult(output);

    expect(extracted).toMatchObject({ kind: 'found', value: { schema_version: 1, run_id: 'r', task_id: 't' } });
  });

  it.each([
    ['nothing', '', 'no JSON object'],
    ['white space', ' \n\t\r\n', 'no JSON object'],
    ['words', 'I fixed the bug.', 'no JSON object'],
    ['a number', '42', 'no JSON object'],
    ['a string', '"success"', 'no JSON object'],
    ['null', 'null', 'no JSON object'],
    ['an array of a result', `[${RESULT}]`, 'no JSON object'],
    ['an array of many results', `[${RESULT},${RESULT}]`, 'no JSON object'],
    ['an empty array', '[]', 'no JSON object'],
    ['single quotes', RESULT.replaceAll('"', "'"), 'no JSON object'],
    ['keys without quotes', RESULT.replaceAll(/"(\w+)":/g, '$1:'), 'no JSON object'],
    ['a trailing comma', RESULT.replace(/}$/, ',}'), 'no JSON object'],
    ['a missing comma', RESULT.replace(',', ' '), 'no JSON object'],
    ['a missing colon', RESULT.replace(':', ' '), 'no JSON object'],
    ['a doubled colon', RESULT.replace(':', '::'), 'no JSON object'],
    ['a comment', RESULT.replace('{', '{/* c */'), 'no JSON object'],
    ['NaN', RESULT.replace(':1,', ':NaN,'), 'no JSON object'],
    ['Infinity', RESULT.replace(':1,', ':-Infinity,'), 'no JSON object'],
    ['a leading zero', RESULT.replace(':1,', ':01,'), 'no JSON object'],
    ['a plus sign', RESULT.replace(':1,', ':+1,'), 'no JSON object'],
    ['a hexadecimal number', RESULT.replace(':1,', ':0x1,'), 'no JSON object'],
    ['True of Python', RESULT.replace(':1,', ':True,'), 'no JSON object'],
    ['undefined', RESULT.replace(':1,', ':undefined,'), 'no JSON object'],
    ['a raw newline in a string', RESULT.replace('ok', 'o\nk'), 'no JSON object'],
    ['a NUL in a string', RESULT.replace('ok', 'o\0k'), 'no JSON object'],
    ['a bad escape', RESULT.replace('ok', '\\x41'), 'no JSON object'],
    ['a bad unicode escape', RESULT.replace('ok', '\\u00g0'), 'no JSON object'],
    ['colour codes inside', RESULT.replace(':1,', ':\u001b[32m1\u001b[0m,'), 'no JSON object'],
    ['a wrong closing bracket', RESULT.replace(/}$/, ']'), 'no JSON object'],
    ['a result as a string', JSON.stringify(RESULT), 'no JSON object'],
    ['an object cut off', RESULT.slice(0, -1), 'middle of a JSON value'],
    ['a string cut off', RESULT.slice(0, -4), 'middle of a JSON value'],
    ['an escape cut off', `${RESULT.slice(0, -3)}\\u00`, 'middle of a JSON value'],
    ['a literal cut off', '{"a":tru', 'middle of a JSON value'],
    ['a last brace alone', `${RESULT}\n{`, 'middle of a JSON value'],
    ['a result and a second one cut off', `${RESULT}\n${RESULT.slice(0, 40)}`, 'middle of a JSON value'],
    ['an array cut off around it', `[${RESULT}`, 'middle of a JSON value'],
    ['two results', `${RESULT}\n${RESULT}`, 'more than one result'],
    ['two results on one line', `${RESULT}${RESULT}`, 'more than one result'],
    ['a result before another object', `${RESULT}\n{"level":"info"}`, 'more than one result'],
    ['seventeen levels', nested(17), 'deeper than 16'],
    ['a deep value before a result', `${nested(40)}\n${RESULT}`, 'deeper than 16'],
    ['200,000 levels', `${'{"a":'.repeat(200_000)}1`, 'deeper than 16'],
    ['200,000 brackets', '['.repeat(200_000), 'deeper than 16'],
    ['an object beyond 64 KiB', `{"a":"${'x'.repeat(MAX_RESULT_CHARS)}"}`, 'no JSON object'],
  ])('refuses %s', (_name, output, why) => {
    const extracted = extractResult(output);

    expect(extracted.kind).toBe('invalid');
    expect(extracted.kind === 'invalid' && extracted.why).toContain(why);
  });

  it('accepts sixteen levels', () => {
    expect(extractResult(nested(16)).kind).toBe('found');
  });

  it('takes no harm from __proto__', () => {
    const extracted = extractResult('{"__proto__":{"status":"success"},"constructor":1}');

    expect(extracted.kind === 'found' && extracted.value['status']).toBeUndefined();
    expect(Object.hasOwn({}, 'status')).toBe(false);
  });

  it('lets the last of two equal keys win, as JSON.parse does', () => {
    expect(extractResult('{"a":1,"a":2}')).toEqual({ kind: 'found', value: { a: 2 } });
  });

  it.each([
    ['openings', '{"a":[1,'.repeat(8).concat('1,'.repeat(30_000), '?')],
    ['quotes', '{"'.repeat(32_000)],
    ['escapes', `{"${'\\"'.repeat(32_000)}`],
    ['siblings', `[${'{"a":[1]},'.repeat(6000)}?`],
    ['empty objects', '{}'.repeat(32_000)],
  ])('stays fast on many %s', (_name, output) => {
    expect(toCpuMs(() => void extractResult(output))).toBeLessThan(20_000);
  });

  it('never throws', () => {
    const pieces = fc.array(
      fc.constantFrom('{', '}', '[', ']', '"', '\\', ':', ',', '1', 'null', ' ', '\n', 'a', RESULT),
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          pieces.map((parts) => parts.join('')),
          fc.json(),
        ),
        (output) => {
          expect(['found', 'invalid']).toContain(extractResult(output).kind);
        },
      ),
    );
  });

  it('finds any object that JSON can write, behind any text without brackets', () => {
    const noise = fc.string().map((text) => text.replaceAll(/[{[]/g, ''));
    const object = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 8 }));
    fc.assert(
      fc.property(noise, object, (before, value) => {
        const json = JSON.stringify(value);

        expect(extractResult(`${before}\n${json}\n`)).toEqual({ kind: 'found', value: parseJson(json) });
      }),
    );
  });
});
