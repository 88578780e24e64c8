import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addedLines, findSecrets } from '../../../src/core/judge/find-secrets.ts';
import { createRedactor, createSteppedRedactor, REDACTED } from '../../../src/core/redact/create-redactor.ts';
import { findExact } from '../../../src/core/redact/find-exact.ts';
import { toSecretVariants } from '../../../src/core/redact/secret-variants.ts';
import { toPlainText } from '../../../src/core/text/escape.ts';
import { toCpuMs } from '../../support/cpu-time.ts';

const SECRET = 'hunter2/+"é&=correct-horse';

/** The 2026 form of an installation token: App id, then a JWT. Put together here so that no scanner takes it for a real one. */
const LONG_TOKEN = ['ghs', `123456_eyJhbGciOiJSUzI1NiJ9.${'eyJpc3MiOiIx'.repeat(30)}.${'a-B_c'.repeat(30)}`].join('_');

const ENCODINGS: readonly (readonly [string, (text: string) => string])[] = [
  ['as it is', (text) => text],
  ['JSON-escaped', (text) => JSON.stringify({ text })],
  ['URL-encoded', (text) => encodeURIComponent(text)],
  ['hexadecimal', (text) => Buffer.from(text).toString('hex')],
  ['upper-case hexadecimal', (text) => Buffer.from(text).toString('hex').toUpperCase()],
  ['base64', (text) => Buffer.from(text).toString('base64')],
  ['base64 at the second place', (text) => Buffer.from(`x${text}yz`).toString('base64')],
  ['base64 at the third place', (text) => Buffer.from(`xy${text}z`).toString('base64')],
  ['base64url', (text) => Buffer.from(text).toString('base64url')],
  ['reversed', (text) => Array.from(text).reverse().join('')],
  ['reversed base64', (text) => Array.from(Buffer.from(text).toString('base64')).reverse().join('')],
];

describe('createRedactor', () => {
  it.each([
    ['my_live*secret_value#1', 'of ours'],
    ['ghs_16C7e42F292c6912E7710c838347Ae178B4a', 'of a known shape'],
    ['a@live`secret$with[marks]', 'full of marks'],
  ])('takes %s out of prose that was escaped for Markdown (T54)', (secret) => {
    const text = `before \\ ${toPlainText(secret, 1_000)} after_words \\_`;

    expect(createRedactor(['my_live*secret_value#1', 'a@live`secret$with[marks]'])(text)).toBe(
      `before \\ ${REDACTED} after_words \\_`,
    );
  });

  it('ends where a secret is a part of what stands in its place', () => {
    expect(createRedactor(['redacted-secret', 'redacted'])('a \\_ redacted')).toBe(`a \\_ ${REDACTED}`);
  });

  it.each(ENCODINGS)('takes a live secret out %s', (_how, encode) => {
    const redacted = createRedactor([SECRET])(`before ${encode(SECRET)} after`);

    expect(redacted).toContain(REDACTED);
    expect(redacted).toMatch(/^before .* after$/u);
    for (const variant of toSecretVariants(SECRET)) expect(redacted).not.toContain(variant);
  });

  it.each(ENCODINGS)('takes it out %s, split by line breaks anywhere', (_how, encode) => {
    const redact = createRedactor([SECRET]);
    const written = encode(SECRET);
    for (let at = 1; at < written.length; at += 1) {
      for (const lineBreak of ['\n', '\r\n']) {
        expect(redact(`a\n${written.slice(0, at)}${lineBreak}${written.slice(at)}\nb`)).toContain(REDACTED);
      }
    }
  });

  it('leaves a text without secrets as it is', () => {
    const text = 'nothing\nto see\r\nhere';

    expect(createRedactor([SECRET])(text)).toBe(text);
    expect(createRedactor([])(text)).toBe(text);
  });

  it('takes out secrets side by side and one inside the other', () => {
    const redact = createRedactor(['secret-one', 'secret-one-and-more', 'secret-two']);

    expect(redact('a secret-one-and-moresecret-two b')).toBe(`a ${REDACTED} b`);
    expect(redact('secret-one secret-two')).toBe(`${REDACTED} ${REDACTED}`);
  });

  it('ignores values that are too short to be secrets', () => {
    expect(createRedactor(['', 'abc', '      '])('abc')).toBe('abc');
  });

  it('takes a secret out of any surroundings, in any encoding (T54)', () => {
    const anySecret = fc
      .string({ minLength: 12, maxLength: 40, unit: 'binary' })
      .filter((text) => text.trim().length >= 12);
    fc.assert(
      fc.property(
        anySecret,
        fc.constantFrom(...ENCODINGS),
        fc.string(),
        fc.string(),
        (secret, [, encode], before, after) => {
          const value = secret.trim().replaceAll(/[\r\n]/gu, '');
          if (value.length < 12 || value.trim() !== value) return;
          const redacted = createRedactor([value])(`${before}${encode(value)}${after}`);

          expect(redacted).toContain(REDACTED);
        },
      ),
      { numRuns: 500 },
    );
  });

  describe('in a text that is longer than a window', () => {
    const filler = 'a line of a log\n';
    const TOKEN = ['ghp', '16C7e42F292c6912E7710c838347Ae178B4a'].join('_');

    it.each([TOKEN, SECRET])('takes %s out wherever a window begins or ends', (secret) => {
      const redact = createRedactor([SECRET]);
      for (const near of [49_152, 65_536, 98_304]) {
        for (const shift of [-secret.length, -1 - secret.length / 2, -1, 0, 1]) {
          const before = filler.repeat(20_000).slice(0, near + Math.floor(shift) - 1);
          expect(redact(`${before} ${secret} ${filler.repeat(9_000)}`)).toBe(
            `${before} ${REDACTED} ${filler.repeat(9_000)}`,
          );
        }
      }
    });

    it('takes out a key that is longer than a window, and nothing behind it', () => {
      const key = ['-----BEGIN RSA PRIVATE', ` KEY-----\n${'QUJD\n'.repeat(40_000)}-----END RSA PRIVATE KEY-----`].join(
        '',
      );

      expect(createRedactor([])(`${filler}${key}\n${filler}`)).toBe(`${filler}${REDACTED}\n${filler}`);
    });

    it('takes out a key without an end to the end of the text', () => {
      const key = ['-----BEGIN RSA PRIVATE', ` KEY-----\n${'QUJD\n'.repeat(40_000)}`].join('');

      expect(createRedactor([])(`${filler}${key}`)).toBe(`${filler}${REDACTED}`);
    });

    it('takes out a token that is longer than a window up to its last character', () => {
      const text = `${filler}${TOKEN}${'a1B2'.repeat(40_000)}`;

      expect(createRedactor([])(`${text} and more`)).toBe(`${filler}${REDACTED} and more`);
      expect(createRedactor([])(text)).toBe(`${filler}${REDACTED}`);
    });

    it('does it step by step', () => {
      const steps = createSteppedRedactor([SECRET])(`${SECRET}${filler.repeat(20_000)}${SECRET}`);
      let count = 0;
      for (let step = steps.next(); ; step = steps.next()) {
        count += 1;
        if (step.done !== true) continue;
        expect(step.value).toBe(`${REDACTED}${filler.repeat(20_000)}${REDACTED}`);
        break;
      }
      expect(count).toBeGreaterThan(5);
    });
  });

  it.each([
    ['backslashes', '\\'],
    ['escapes', '\\_'],
    ['percent signs', '%25'],
    ['line breaks', '\n'],
    ['carriage returns', '\r\n'],
    ['word joiners', '\u2060'],
    ['letters', 'a'],
    ['digits', '0'],
    ['dashes', '-'],
    ['underscores', '_'],
    ['dots', '.'],
    ['base64', 'QUJDREVGR0g'],
    ['starts of a JWT', 'eyJ'],
    ['starts of a GitHub token', 'ghp_'],
    ['starts of a key', '-----BEGIN PRIVATE KEY-----'],
    ['starts of an address', 'https://'],
    ['halves of an address', 'http://a:'],
    ['addresses', 'https://user:pass@host.example/'],
    ['starts of a model key', 'sk-'],
    ['starts of a mail key', `SG.a.${'w'.repeat(257)}.`],
    ['starts of a chat token', 'xoxb-'],
    ['starts of a database address', 'mongodb://'],
  ])('takes a time that grows with the length of a text of %s, and no faster', (_what, part) => {
    const redact = createRedactor([SECRET]);
    const measure = (length: number, times: number): number => {
      const text = part.repeat(Math.ceil(length / part.length)).slice(0, length);
      const redactAll = (): void => {
        for (let time = 0; time < times; time += 1) redact(text);
      };
      return Math.min(...Array.from({ length: 3 }, () => toCpuMs(redactAll)));
    };
    measure(20_000, 1);

    // The same length in one piece and in eight: a search that tries all pairs of places would take eight times as long for the
    // one, however often it is tried. Eight, since some kernels count the time of a thread in steps of 4 ms.
    let ratio = Number.POSITIVE_INFINITY;
    for (let attempt = 0; attempt < 8 && ratio >= 4; attempt += 1) {
      ratio = Math.min(ratio, measure(240_000, 1) / (measure(30_000, 8) + 8));
    }
    expect(ratio).toBeLessThan(4);
  });

  it('changes nothing the second time', () => {
    const redact = createRedactor([SECRET]);
    const once = redact(`x ${SECRET} ${LONG_TOKEN} y`);

    expect(redact(once)).toBe(once);
  });
});

const SHAPES: readonly (readonly [string, string])[] = [
  ['GitHub token', `ghp_${'a1B2'.repeat(9)}`],
  ['GitHub token', LONG_TOKEN],
  ['GitHub token', `github_pat_${'a1B2'.repeat(20)}`],
  ['AWS access key', `AKIA${'ABCD1234'.repeat(2)}`],
  ['model API key', `sk-ant-${'api03-Ab1'.repeat(4)}`],
  ['Google API key', `AIza${'Sy-a1B_'.repeat(5)}`],
  ['npm token', `npm_${'a1B2'.repeat(9)}`],
  ['Slack token', ['xoxb', '1234567890', 'abcdefghijkl'].join('-')],
  ['Stripe key', ['sk', 'live', 'a1B2c3D4e5F6g7H8i9J0'].join('_')],
  ['JWT', ['eyJhbGciOiJIUzI1', 'eyJzdWIiOiIxMjM0', 'abcdefghijkl'].join('.')],
  ['private key', '-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----'],
  ['private key', '-----BEGIN PRIVATE KEY-----\nMIIE and the rest is cut'],
];

describe('what looks like a secret', () => {
  it.each(SHAPES)('is redacted and found: %s', (name, secret) => {
    expect(createRedactor([])(`a ${secret}`)).toBe(`a ${REDACTED}`);
    expect(findSecrets(`a ${secret}`, [])).toContain(name);
  });

  it.each([
    ['a CSS class', 'sk-circle-fade-dot-animation'],
    ['a commit', 'a'.repeat(40)],
    ['a public key', '-----BEGIN PUBLIC KEY-----'],
    ['a short prefix', 'ghp_abc'],
  ])('is not %s', (_what, text) => {
    expect(createRedactor([])(text)).toBe(text);
    expect(findSecrets(text, [])).toEqual([]);
  });
});

/** Put together here so that no scanner takes them for real ones. */
const PRESET_SHAPES: readonly (readonly [string, string])[] = [
  ['sendgrid', ['SG', 'a'.repeat(22), 'b'.repeat(43)].join('.')],
  ['huggingface', ['hf', 'aBcDeFgHiJkLmNoPqRsTuVwXyZaBcDeFgH'].join('_')],
  ['hashicorp-vault', ['hvs', 'aB3dEf9hJk'.repeat(10)].join('.')],
  ['gitlab', ['glpat', 'aB3_dEf9hJkLmN2pQ0aa'].join('-')],
  ['figma', ['figd', 'aB3dEf9hJkLm'.repeat(4).slice(0, 40)].join('_')],
];

describe('what the preset knows', () => {
  it.each(PRESET_SHAPES)('is redacted and found: %s', (name, secret) => {
    expect(createRedactor([])(`a ${secret} b`)).toBe(`a ${REDACTED} b`);
    expect(findSecrets(`a ${secret} b`, [])).toEqual([name]);
  });

  it('is found below a comment that tells scanners to look away', () => {
    const secret = PRESET_SHAPES[3]?.[1] ?? '';
    const text = `/* secretlint-disable */\n// secretlint-disable-next-line\n${secret}`;

    expect(findSecrets(text, [])).toEqual(['gitlab']);
    expect(createRedactor([])(text)).not.toContain(secret);
  });

  it.each(['https://user:passw0rd1@example.com/a', 'postgres://admin:s3cretpw@db.example.com:5432/x'])(
    'a password in an address is redacted, and refuses no change: %s',
    (address) => {
      const redacted = createRedactor([])(`before ${address} after`);

      expect(redacted).toMatch(/^before \[redacted\]\S* after$/u);
      expect(findSecrets(address, [])).toEqual([]);
    },
  );
});

describe('findSecrets', () => {
  it('names a live secret in any encoding, once, and never shows it', () => {
    const text = `${Buffer.from(SECRET).toString('base64')} ${SECRET} ghp_${'a'.repeat(36)} ghp_${'b'.repeat(36)}`;

    expect(findSecrets(text, [SECRET])).toEqual(['live secret', 'GitHub token']);
  });

  it('looks at added lines only', () => {
    const token = `ghp_${'a'.repeat(36)}`;
    const patch = ['diff --git a/a b/a', '@@ -1,2 +1,2 @@', `-${token}`, ' same', '+other'].join('\n');

    expect(findSecrets(addedLines(patch), [])).toEqual([]);
    expect(addedLines(patch)).toBe('other');
  });
});

describe('findExact', () => {
  it('finds nothing without needles, and merges what overlaps', () => {
    expect(findExact('abc', [])).toEqual([]);
    expect(findExact('abcdef', ['abcd', 'cdef', 'b'])).toEqual([{ start: 0, end: 6 }]);
  });

  it('gives places in the text with its line breaks', () => {
    expect(findExact('\nx\nab\r\ncd\n', ['abcd'])).toEqual([{ start: 3, end: 9 }]);
    expect(findExact('ab\ncd', ['cd'])).toEqual([{ start: 3, end: 5 }]);
  });
});

describe('a text that is made to keep the redactor busy', () => {
  it.each([
    ['the start of a model key, again and again', 'sk-'],
    ['the start of a JWT, again and again', '-eyJaaaaaaaaaaaa'],
    ['the header of a JWT, again and again', 'eyJaaaaaaaaaa.'],
    ['the start of a private key, again and again', '-----BEGIN PRIVATE KEY-----'],
    ['the start of a GitHub token, again and again', 'gha_'],
  ])('%s: 1 MiB takes moments, not minutes', (_what, unit) => {
    const text = unit.repeat(Math.ceil(1024 ** 2 / unit.length));

    const cpuMs = toCpuMs(() => {
      createRedactor([SECRET])(text);
      findSecrets(text, [SECRET]);
    });

    // With a look-ahead over the whole run at each start it was minutes.
    expect(cpuMs).toBeLessThan(30_000);
  });

  it('is still redacted where the token stands in a longer run', () => {
    const jwt = ['eyJhbGciOiJIUzI1', 'eyJzdWIiOiIxMjM0', 'abcdefghijkl'].join('.');

    expect(createRedactor([])(`sk-sk-${'Ab1'.repeat(10)} x-${jwt} (${jwt})`)).toBe(
      `${REDACTED} ${REDACTED} (${REDACTED})`,
    );
  });
});
