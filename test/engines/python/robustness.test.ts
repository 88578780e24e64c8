import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PROGRAM_ENGINES } from '../../../src/engines/program/program-engines.ts';
import { PYTHON_ENGINES } from '../../../src/engines/python/python-engines.ts';
import { anInput } from '../generic/parse-input.ts';
import { readRecordings } from '../support/recording.ts';

const ENGINES = [...PYTHON_ENGINES, ...PROGRAM_ENGINES];
const TEXTS = ENGINES.flatMap(({ id }) => readRecordings(id)).flatMap(({ stdout, stderr, reports }) => [
  stdout,
  stderr,
  ...Object.values(reports).filter((text) => text !== null),
]);

describe('parsers of tools of Python and of programs', () => {
  it.each(ENGINES)('never throws, whatever $id wrote, or some other tool in its place', ({ parse, output }) => {
    const anyText = fc.oneof(
      fc.string(),
      fc.json(),
      fc.constantFrom('[]', '{}', 'null', '[null]', '{"comments":null}', '{"Issues":[{}]}'),
      fc.tuple(fc.constantFrom(...TEXTS), fc.nat(4000)).map(([text, length]) => text.slice(0, length)),
    );

    fc.assert(
      fc.property(anyText, fc.string(), fc.integer(), (text, stderr, exitCode) => {
        const reports = Object.fromEntries((output.reports ?? []).map((name) => [name, text]));
        const payload = parse(anInput(text, { reports, stderr, exitCode, root: '/workspace' }));
        expect(['parsed', 'empty', 'missing', 'invalid']).toContain(payload.kind);
      }),
      { numRuns: 60 },
    );
  });

  it.each(ENGINES)('tells of $id a report that is not there from an empty one', ({ parse, output }) => {
    const toInput = (text: string | null): ReturnType<typeof anInput> =>
      anInput(text, { reports: Object.fromEntries((output.reports ?? []).map((name) => [name, text])) });

    expect(parse(toInput(null))).toEqual({ kind: 'missing' });
    expect(parse(toInput(' \n\t'))).toEqual({ kind: 'empty' });
  });

  it.each(ENGINES)('C2: a line that $id does not write makes all of it invalid', ({ parse, output }) => {
    const text = 'Segmentation fault (core dumped)\n';
    const reports = Object.fromEntries((output.reports ?? []).map((name) => [name, text]));

    expect(parse(anInput(text, { reports }))).toMatchObject({ kind: 'invalid' });
  });
});
