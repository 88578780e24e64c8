import { describe, expect, it } from 'vitest';
import { createLog, type LogOptions } from '../../../src/adapters/log/create-log.ts';
import { createLogContext } from '../../../src/adapters/log/create-log-context.ts';
import { createRedactor } from '../../../src/core/redact/create-redactor.ts';
import type { Log } from '../../../src/ports/log.ts';

const SECRET = 'webhook-secret-0123456789abcdef';
const AN_INSTANT: unknown = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/);
const THIS_FILE: unknown = expect.stringContaining('create-log.test.ts');

/** A log, and the lines that it wrote, each parsed. */
function openLog(level: LogOptions['level'] = 'debug'): {
  readonly log: Log;
  readonly lines: () => readonly unknown[];
} {
  const written: string[] = [];
  const destination = { write: (text: string) => void written.push(text) };
  const log = createLog({ level, destination, redact: createRedactor([SECRET]) });
  return { log, lines: () => written.map((text): unknown => JSON.parse(text)) };
}

describe('the log', () => {
  it('writes one JSON object a line: level, instant, fields, message', () => {
    const { log, lines } = openLog();

    log.info({ key: '10#7', attempts: 2, isDone: true, headSha: null }, 'action determined');

    expect(lines()).toEqual([
      {
        level: 30,
        time: AN_INSTANT,
        key: '10#7',
        attempts: 2,
        isDone: true,
        headSha: null,
        msg: 'action determined',
      },
    ]);
  });

  it.each([
    ['debug', ['debug', 'info', 'warn', 'error']],
    ['warn', ['warn', 'error']],
    ['silent', []],
  ] as const)('at level %s writes %j', (level, written) => {
    const { log, lines } = openLog(level);

    for (const method of ['debug', 'info', 'warn', 'error'] as const) log[method]({}, method);

    expect(lines()).toMatchObject(written.map((msg) => ({ msg })));
  });

  it('says nothing about a field that is undefined', () => {
    const { log, lines } = openLog();

    log.info({ headSha: undefined }, 'looked');

    expect(lines()[0]).not.toHaveProperty('headSha');
  });

  it('carries the fields of a child on each of its lines; its parent does not', () => {
    const { log, lines } = openLog();

    const child = log.child({ queue: 'evaluate' }).child({ key: '10#7' });
    child.info({ count: 1 }, 'first');
    child.warn({ key: '10#8' }, 'second');
    log.info({}, 'third');

    expect(lines()).toMatchObject([
      { queue: 'evaluate', key: '10#7', count: 1 },
      { queue: 'evaluate', key: '10#8' },
      { msg: 'third' },
    ]);
    expect(lines()[2]).not.toHaveProperty('queue');
  });
});

describe('a secret (T54)', () => {
  it.each([
    ['a field', (log: Log) => log.info({ url: `https://x:${SECRET}@host` }, 'called')],
    ['a field of a child', (log: Log) => log.child({ url: SECRET }).info({}, 'called')],
    ['the message of an error', (log: Log) => log.error({ error: new Error(`refused ${SECRET}`) }, 'failed')],
    [
      'the cause of an error',
      (log: Log) => log.error({ error: new Error('no', { cause: new Error(SECRET) }) }, 'failed'),
    ],
    ['its base64 form', (log: Log) => log.info({ header: Buffer.from(SECRET).toString('base64') }, 'called')],
    ['a token that was never ours', (log: Log) => log.info({ text: `ghs_${'a1B2'.repeat(9)}` }, 'called')],
  ])('in %s is not written', (_where, write) => {
    const { log, lines } = openLog();

    write(log);

    const text = JSON.stringify(lines());
    expect(lines()).toHaveLength(1);
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain(Buffer.from(SECRET).toString('base64'));
    expect(text).not.toContain('a1B2a1B2');
  });

  it('that stands across the cut of a long text is not written in half', () => {
    const { log, lines } = openLog();

    log.info({ text: `${'x'.repeat(3_990)}${SECRET}` }, 'called');

    expect(JSON.stringify(lines())).not.toContain(SECRET.slice(0, 10));
  });
});

describe('what a line is about', () => {
  it('is added to it, from what runs and from its own fields, which win', async () => {
    const written: string[] = [];
    const destination = { write: (text: string) => void written.push(text) };
    const context = createLogContext();
    const log = createLog({
      ...{ level: 'info', destination, redact: createRedactor([SECRET]) },
      describe: (fields) => ({ ...context.current(), ...fields, owner: `of ${String(fields['key'])} ${SECRET}` }),
    });
    await Promise.all(
      ['1#1', '2#2'].map((key) =>
        context.run({ key, run: key }, async () => {
          await new Promise((resolve) => setImmediate(resolve));
          log.info({ key: `${key}0` }, 'working');
        }),
      ),
    );
    log.info({}, 'outside');
    log.debug({}, 'below the level');

    expect(written.map((text): unknown => JSON.parse(text))).toMatchObject([
      { key: '1#10', run: '1#1', owner: 'of 1#10 [redacted]' },
      { key: '2#20', run: '2#2', owner: 'of 2#20 [redacted]' },
      { msg: 'outside' },
    ]);
    expect(written[2]).not.toContain('run');
    expect(written.join('')).not.toContain(SECRET);
  });
});

describe('an error', () => {
  it.each(['error', 'err'])('in the field `%s` is written with its type, code, message and stack', (name) => {
    const { log, lines } = openLog();

    log.error({ [name]: Object.assign(new TypeError('full'), { code: 'ENOSPC' }) }, 'failed');

    expect(lines()).toMatchObject([
      { [name]: { type: 'TypeError', code: 'ENOSPC', message: 'full', stack: THIS_FILE } },
    ]);
  });

  it('is written with its type, message and stack', () => {
    const { log, lines } = openLog();

    log.error({ error: new TypeError('not a function') }, 'failed');

    expect(lines()).toMatchObject([{ error: { type: 'TypeError', message: 'not a function', stack: THIS_FILE } }]);
  });

  it('brings nothing else along: what hangs on it may be a whole request', () => {
    const { log, lines } = openLog();
    const error = Object.assign(new Error('failed'), { request: { headers: { authorization: 'token' } } });

    log.error({ error }, 'failed');

    expect(JSON.stringify(lines())).not.toContain('authorization');
  });
});

describe('a long text', () => {
  it('is cut: one line never floods the log', () => {
    const { log, lines } = openLog();

    log.info({ text: 'x'.repeat(100_000), error: new Error('y'.repeat(100_000)) }, 'called');

    expect(JSON.stringify(lines()).length).toBeLessThan(14_000);
  });
});
