import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  InvalidIdError,
  parseDeliveryId,
  parsePullRequestKey,
  parseRunId,
  parseSessionId,
  parseSha,
  toPullRequestKey,
  toRunId,
} from '../../../src/core/model/ids.ts';

const GUID = '0af0a3f0-1b9c-11ef-8b9a-1234567890ab';

describe('the parse functions of ids', () => {
  it.each([
    ['a SHA', parseSha, 'a'.repeat(40)],
    ['a delivery id', parseDeliveryId, GUID],
    ['a session id', parseSessionId, 'Session_1-b'],
    ['a run id', parseRunId, 'Run_1-b'],
    ['a pull-request key', parsePullRequestKey, '1234#7'],
  ])('take %s as it is', (_what, parse, text) => {
    expect(parse(text)).toBe(text);
  });

  it('take a GUID in any case, for one delivery', () => {
    expect(parseDeliveryId(GUID.toUpperCase())).toBe(GUID);
  });

  it.each([
    ['a short SHA', parseSha, 'abc123'],
    ['a SHA in capitals', parseSha, 'A'.repeat(40)],
    ['an option in place of a SHA', parseSha, '--upload-pack=x'],
    ['no GUID', parseDeliveryId, '1795812437636'],
    ['a session id that leaves its folder', parseSessionId, '../x'],
    ['an empty session id', parseSessionId, ''],
    ['a run id that leaves its folder', parseRunId, '../x'],
    ['a run id that is too long for a folder', parseRunId, 'x'.repeat(65)],
    ['a key of number zero', parsePullRequestKey, '1#0'],
    ['a key with a sign', parsePullRequestKey, '-1#2'],
    ['a key of a name', parsePullRequestKey, 'acme/widget#2'],
  ])('refuse %s', (_what, parse, text) => {
    expect(() => parse(text)).toThrow(InvalidIdError);
  });

  it('name the run of a fixup as its session', () => {
    expect(toRunId(parseSessionId('session-1'))).toBe('session-1');
  });

  it('say what was wrong, cut', () => {
    expect(() => parseSha('x'.repeat(500))).toThrow(`not a Sha: ${JSON.stringify('x'.repeat(80))}`);
  });

  it('make a key that they take', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2 ** 50 }),
        fc.integer({ min: 1, max: 10 ** 9 }),
        (repositoryId, number) => {
          expect(toPullRequestKey(repositoryId, number)).toBe(`${String(repositoryId)}#${String(number)}`);
        },
      ),
    );
  });
});
