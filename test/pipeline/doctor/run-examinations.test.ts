import { describe, expect, it } from 'vitest';
import { good } from '../../../src/core/doctor/doctor-check.ts';
import { ConfigError } from '../../../src/core/model/errors.ts';
import { reportDiagnosis } from '../../../src/pipeline/doctor/report-diagnosis.ts';
import { type Examination, runExaminations } from '../../../src/pipeline/doctor/run-examinations.ts';
import { recordingLog } from '../../support/store.ts';

const NOW = new AbortController();
NOW.abort();

const DEPS = {
  redact: (text: string) => text.replaceAll('precious', '[redacted]'),
  // Odd limits pass at once.
  newDeadline: (ms: number) => (ms % 2 === 1 ? NOW.signal : new AbortController().signal),
};

function anExamination(change: Partial<Examination>): Examination {
  return {
    ...{ name: 'part', timeoutMs: 2000, ifUnknown: { state: 'warn', fix: 'try again' } },
    examine: async () => [good('part', 'fine')],
    ...change,
  };
}

describe('runExaminations', () => {
  it('keeps the order, whatever takes longer', async () => {
    const slow = Promise.withResolvers<string>();
    const running = runExaminations(DEPS, [
      anExamination({ examine: async () => [good('first', await slow.promise)] }),
      anExamination({ examine: async () => [good('second', ''), good('third', '')] }),
    ]);
    slow.resolve('');

    expect((await running).map(({ name }) => name)).toEqual(['first', 'second', 'third']);
  });

  it.each<readonly [string, Partial<Examination>, string]>([
    [
      'that throws',
      { examine: async () => Promise.reject(new Error('out of precious order')) },
      'out of [redacted] order',
    ],
    [
      'that throws at once',
      {
        examine: () => {
          throw new Error('odd');
        },
      },
      'odd',
    ],
    ['with problems', { examine: async () => Promise.reject(new ConfigError(['one', 'two'])) }, 'one; two'],
    ['that says nothing', { examine: async () => [] }, 'nothing was checked'],
    [
      'that does not heed its deadline',
      { timeoutMs: 3001, examine: async () => new Promise(() => undefined) },
      'no answer within 3 s',
    ],
  ])('calls a check %s not fine', async (_what, change, detail) => {
    const [check, ...others] = await runExaminations(DEPS, [
      anExamination(change),
      anExamination({ ...change, ifUnknown: { state: 'fail', fix: 'repair it' } }),
      anExamination({}),
    ]);

    expect(check).toEqual({ name: 'part', state: 'warn', detail, fix: 'try again' });
    expect(others).toEqual([{ name: 'part', state: 'fail', detail, fix: 'repair it' }, good('part', 'fine')]);
  });

  it('waits no longer than the deadline for what does not heed it', async () => {
    const deadline = new AbortController();
    const examine = async (): Promise<never> => {
      deadline.abort();
      return new Promise(() => undefined);
    };
    const running = runExaminations({ ...DEPS, newDeadline: () => deadline.signal }, [anExamination({ examine })]);

    expect(await running).toMatchObject([{ state: 'warn', detail: 'no answer within 2 s' }]);
  });

  it('passes the deadline on', async () => {
    const [check] = await runExaminations(DEPS, [
      anExamination({ examine: async (signal) => [good('part', String(signal.aborted))] }),
    ]);

    expect(check?.detail).toBe('false');
  });

  it('takes secrets out of what is found', async () => {
    const check = { name: 'part', state: 'warn', detail: 'a precious word', fix: 'hide precious' } as const;

    expect(await runExaminations(DEPS, [anExamination({ examine: async () => [check] })])).toEqual([
      { ...check, detail: 'a [redacted] word', fix: 'hide [redacted]' },
    ]);
  });
});

describe('reportDiagnosis', () => {
  it('logs what is not well, and counts', () => {
    const { log, lines } = recordingLog();
    const failure = { name: 'app', state: 'fail', detail: '401', fix: 'check the key' } as const;
    reportDiagnosis(log, [good('git', '2.39'), failure]);

    expect(lines).toMatchObject([
      { level: 'warn', fields: { check: 'app', state: 'fail', detail: '401', fix: 'check the key' } },
      { level: 'info', fields: { ok: 1, warn: 0, fail: 1 } },
    ]);
  });
});
