import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Parser } from '../../../src/core/model/engine.ts';
import { parseIstanbul } from '../../../src/engines/generic/parse-istanbul.ts';
import { parseLcov } from '../../../src/engines/generic/parse-lcov.ts';
import { NODE_ENGINES } from '../../../src/engines/node/node-engines.ts';
import { toBoundedPayload, toFinding } from '../../../src/engines/parse/to-finding.ts';
import { anInput } from '../generic/parse-input.ts';
import { readRecording } from '../support/recording.ts';
import { containing } from './support.ts';

const PARSERS: readonly (readonly [name: string, parse: Parser])[] = [
  ...NODE_ENGINES.map(({ id, parse }) => [id, parse] as const),
  ['istanbul', parseIstanbul],
  ['lcov', parseLcov],
];
const { reports, stdout } = readRecording('vitest', 'findings');
const REAL = [...Object.values(reports), stdout, readRecording('pyright', 'findings').stdout].filter(
  (text) => text !== null,
);

describe('parsers of the tools of npm', () => {
  it.each(PARSERS)('never throws, whatever %s wrote', (_, parse) => {
    const anyText = fc.oneof(
      fc.string(),
      fc.json(),
      fc.constantFrom('[]', '{}', 'null', '[null]', '{"diagnostics":[]}', 'SF:a'),
      fc.tuple(fc.constantFrom(...REAL), fc.nat(4000)).map(([text, length]) => text.slice(0, length)),
    );

    fc.assert(
      fc.property(anyText, fc.string(), fc.integer(), (text, stderr, exitCode) => {
        const payload = parse(anInput(text, { stderr, exitCode, root: '/workspace' }));
        expect(['parsed', 'empty', 'invalid']).toContain(payload.kind);
      }),
      { numRuns: 60 },
    );
  });

  it.each(PARSERS)('tells of %s a report that is not there from an empty one', (_, parse) => {
    expect(parse(anInput(null))).toEqual({ kind: 'missing' });
    expect(parse(anInput(' \n\t'))).toEqual({ kind: 'empty' });
  });

  it('cuts more findings than anybody reads, and is partial then', () => {
    const findings = Array.from({ length: 25_001 }, (_, line) =>
      toFinding({ kind: 'lint', severity: 'low', message: 'm', path: 'a.js', line: line + 1 }),
    );

    expect(toBoundedPayload({ findings: findings.slice(1) })).toMatchObject({ partial: null });
    const cut = toBoundedPayload({ findings });
    expect(cut).toMatchObject({ partial: containing('25000') });
    expect(cut.kind === 'parsed' ? cut.findings : []).toHaveLength(25_000);
  });

  it('puts findings in the order of their places, whatever the tool does', () => {
    const findings = ['b.js', 'a.js'].map((path) => toFinding({ kind: 'lint', severity: 'low', message: 'm', path }));

    expect(toBoundedPayload({ findings })).toMatchObject({ findings: [{ path: 'a.js' }, { path: 'b.js' }] });
  });

  it.each([0, -1, 1.5, Number.NaN, 1e10, undefined, null])('has no position of %s', (line) => {
    expect(toFinding({ kind: 'lint', severity: 'low', message: 'm', line }).line).toBeNull();
  });

  it('cuts a message that nobody reads to its end', () => {
    expect(toFinding({ kind: 'lint', severity: 'low', message: 'm'.repeat(5000) }).message).toHaveLength(4096);
  });
});
