import { describe, expect, it } from 'vitest';
import { refuse } from '../../src/web/refusal.ts';
import { ADMIN_MESSAGES, createRefusalLog, DELIVERY_MESSAGES } from '../../src/web/refusal-log.ts';
import { createMemoryLog } from '../webhooks/edge-fixture.ts';

const refused = { refusal: refuse('SIGNATURE_WRONG'), bytes: 10, remoteAddress: '127.0.0.1' };

describe('createRefusalLog', () => {
  it('tells the first refusals of a window one by one and the rest as a sum', () => {
    const log = createMemoryLog();
    let now = 0;
    const logRefusal = createRefusalLog(
      log,
      { now: () => now },
      { windowMs: 1000, linesPerWindow: 2 },
      DELIVERY_MESSAGES,
    );

    for (let count = 0; count < 1000; count += 1) logRefusal(refused);
    now = 1000;
    logRefusal(refused);

    expect(log.lines.map(({ message }) => message)).toEqual([
      'delivery refused',
      'delivery refused',
      'more deliveries refused',
      'delivery refused',
    ]);
    expect(log.lines[0]?.fields).toEqual({
      status: 401,
      code: 'SIGNATURE_WRONG',
      detail: null,
      bytes: 10,
      remoteAddress: '127.0.0.1',
    });
    expect(log.lines[2]?.fields).toEqual({ refusals: 998, bytes: 9980 });
  });

  it('names what was refused', () => {
    const log = createMemoryLog();
    const logRefusal = createRefusalLog(log, { now: () => 0 }, { windowMs: 1000, linesPerWindow: 1 }, ADMIN_MESSAGES);

    logRefusal(refused);

    expect(log.lines.map(({ message }) => message)).toEqual(['admin call refused']);
  });

  it('begins a new window when the clock jumps back (F19)', () => {
    const log = createMemoryLog();
    let now = 1_000_000;
    const logRefusal = createRefusalLog(
      log,
      { now: () => now },
      { windowMs: 1000, linesPerWindow: 1 },
      DELIVERY_MESSAGES,
    );

    logRefusal(refused);
    now = 0;
    logRefusal(refused);

    expect(log.lines).toHaveLength(2);
  });
});
