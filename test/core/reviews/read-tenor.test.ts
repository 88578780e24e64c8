import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CLOSING_PHRASES, GOOD_EMOJI, GOOD_SHORTCODES, TENORS } from '../../../src/core/reviews/closing-phrases.ts';
import { readTenor } from '../../../src/core/reviews/read-tenor.ts';

const THANKS = [
  ...['thanks', 'Thanks!', 'THANKS!!!', 'thank you', 'Thank you so much 🙏', 'thx', 'ty!', 'Cheers', 'Thanks a lot :)'],
  ...['Thanks for fixing this!', 'Thanks for the quick fix 🎉', 'Done, thanks', 'done. thank you!', 'Fixed, thanks.'],
  ...[
    'nice catch',
    'Nice catch!',
    'Good catch, thanks',
    'great work',
    'Perfect.',
    'awesome 🚀',
    'much better now',
    'works now',
  ],
  ...[
    'ok',
    'OK.',
    'Okay',
    'got it',
    'I see, thanks',
    'ack',
    'no worries',
    'my bad',
    '+1',
    '👍',
    '👍🏽',
    '👍👍',
    '❤️',
    '🎉 🎉',
    '✅',
  ],
  ...[
    ':+1:',
    ':thumbsup: thanks',
    ':tada:',
    ':)',
    ';-)',
    '<3',
    '@ada thanks!',
    'thanks @ratchet[bot]',
    '**Thanks!**',
    '_thanks_',
  ],
  ...[
    '> Fixed in abc.\n\nthanks',
    'Thanks <!-- from my phone -->',
    '“Thanks”',
    'thanks…',
    'Thanks —',
    'ｔｈａｎｋｓ！',
  ],
  ...[
    'Danke!',
    'Vielen Dank',
    'Danke schön',
    'alles klar',
    'Merci beaucoup !',
    'parfait',
    "c'est fait",
    'C’est bon',
    'Muchas gracias',
  ],
  ...[
    '¡Gracias!',
    'perfecto',
    'Obrigado!',
    'valeu',
    'Grazie mille',
    'ottimo lavoro',
    'Dank je wel',
    'bedankt',
    'Dzięki!',
  ],
  ...[
    'Tack så mycket',
    'Mange takk',
    'kiitos',
    'Спасибо!',
    'спасибо большое',
    'Дякую',
    'teşekkürler',
    'cảm ơn',
    'terima kasih',
  ],
  ...[
    '谢谢！',
    '好的，谢谢',
    '没问题',
    'ありがとうございます！',
    '了解です。',
    '감사합니다',
    'धन्यवाद',
    'شكرا',
    'תודה רבה',
    'ευχαριστώ',
  ],
];

const APPROVAL = [
  ...[
    'LGTM',
    'lgtm!',
    'LGTM 👍',
    'Looks good to me',
    'looks good now, thanks!',
    'all good',
    'Approved.',
    'ship it',
    ':shipit: ship it',
  ],
  ...[
    "That's fine",
    'fine by me',
    'Sieht gut aus',
    'ça me va',
    'va bene',
    '看起来不错',
    '問題ありません',
    'good to merge',
  ],
];

const AGREEMENT = [
  'agreed',
  'Agreed, thanks!',
  'makes sense',
  'Fair enough 👍',
  'good point',
  'LGTM, makes sense',
  'Einverstanden',
  "d'accord",
  '同意',
];

const LEAVE = [
  ...[
    'leave it',
    'Leave it as it is.',
    'ok, leave it as is',
    'Agreed, keep it as it is. LGTM',
    'never mind',
    'nvm',
    "won't fix",
  ],
  ...['no change needed', 'not needed, thanks', 'false positive', 'lass es so', 'déjalo así', 'そのままで', '算了'],
];

/** Each of these asks for something, or may. */
const REQUESTS = [
  ...[
    '',
    ' \n',
    'thanks, but please also rename x',
    'LGTM once the test is added',
    '👍 please fix',
    'Thanks! One more thing: rename it',
  ],
  ...[
    'LGTM, just rename foo',
    'lgtm with nits',
    'ok, but why',
    'ok?',
    'Thanks?',
    'Done？',
    'fixed؟',
    'nice catch, can you add a test',
    'thanks in advance',
  ],
  ...[
    'please',
    'fix it now, thanks',
    'fix',
    'done, now do the same in b.ts',
    'good catch - same below',
    'not good',
    'not great',
    'no',
    'No thanks',
  ],
  ...[
    'nope',
    'not yet',
    'not done',
    'yes',
    'yes please',
    'go ahead',
    'still broken',
    'still red, thanks',
    'almost perfect',
    'good, except line 3',
  ],
  ...[
    '👎',
    '👀',
    '🤔',
    '😕',
    '❌',
    '👍👎',
    ':eyes:',
    ':-1:',
    '-1',
    ':(',
    '@ada',
    'cc @ada',
    '@ada ^',
    '> thanks',
    '> thanks\nplease rename',
  ],
  ...[
    '`thanks`',
    'thanks `x`',
    '```suggestion\n```',
    'Thanks\n```suggestion\nok\n```',
    'https://example.com thanks',
    'thanks [docs](x)',
    '![lgtm](a.gif)',
  ],
  ...[
    '/ratchet retry',
    'thanks #12',
    'todo:done',
    'nit: done',
    'approve after CI',
    'looks good if tests pass',
    'looks good to me but rename x',
  ],
  ...[
    'leave a comment',
    'keep it short',
    'leave it to me',
    'danke, aber bitte umbenennen',
    'merci de corriger',
    'gracias, pero cambia el nombre',
  ],
  ...[
    '谢谢，请改名',
    'ありがとうございますが、名前を変えてください',
    '감사합니다 하지만 이름을 바꿔 주세요',
    'спасибо, но переименуй',
    '...',
    '!!!',
    '1',
    'works except on Windows',
  ],
  ...[
    `${'thanks '.repeat(29)}x`,
    'thanks '.repeat(40),
    '~~rename it~~ thanks',
    'thanks & rename',
    'resolve',
    'merge conflict',
    'thanks\u00ADrename',
  ],
];

describe('the tenor of a comment', () => {
  it.each(THANKS)('%s: thanks', (body) => {
    expect(readTenor(body)).toBe('thanks');
  });

  it.each(APPROVAL)('%s: approval', (body) => {
    expect(readTenor(body)).toBe('approval');
  });

  it.each(AGREEMENT)('%s: agreement', (body) => {
    expect(readTenor(body)).toBe('agreement');
  });

  it.each(LEAVE)('%s: leave', (body) => {
    expect(readTenor(body)).toBe('leave');
  });

  it.each(REQUESTS)('%s: a request', (body) => {
    expect(readTenor(body)).toBeNull();
  });

  it('is read of a short text only, however long the quotation above it is not', () => {
    const quoted = (length: number): string => `> ${'x'.repeat(length)}\n\nthanks`;

    expect(readTenor(quoted(1990))).toBe('thanks');
    expect(readTenor(quoted(1991))).toBeNull();
    expect(readTenor('<!--'.repeat(20_000))).toBeNull();
  });

  it('is that of each listed phrase, however it is written', () => {
    for (const tenor of TENORS) {
      const [rank, phrases] = [TENORS.indexOf(tenor), CLOSING_PHRASES[tenor].flatMap((line) => line.split('|'))];
      for (const phrase of phrases) {
        expect(TENORS.indexOf(readTenor(`${phrase}!`) ?? 'thanks'), phrase).toBe(rank);
        expect(readTenor(` ${phrase}, 👍 `), phrase).toBe(tenor);
        expect(readTenor(`${phrase} rename`), phrase).toBeNull();
        expect(readTenor(`${phrase}?`), phrase).toBeNull();
      }
    }
  });

  it('lists no phrase as two kinds, and no sign twice', () => {
    const phrases = TENORS.flatMap((tenor) => [...new Set(CLOSING_PHRASES[tenor].flatMap((line) => line.split('|')))]);

    expect(phrases.filter((phrase, at) => phrases.indexOf(phrase) !== at)).toEqual([]);
    for (const emoji of GOOD_EMOJI) expect(readTenor(`${emoji}\uFE0F`), emoji).toBe('thanks');
    for (const name of GOOD_SHORTCODES.split('|')) expect(readTenor(`:${name}:`), name).toBe('thanks');
  });

  it('of a text with a word that is not listed is a request, wherever the word is', () => {
    const known = fc.constantFrom('thanks', 'lgtm', 'agreed', 'leave it', '👍', '!', '\n');
    const unknown = fc.constantFrom('rename', 'but', 'please', 'x', '👎', '?', '`', '#3', '重命名');
    fc.assert(
      fc.property(
        fc.array(known, { maxLength: 4 }),
        unknown,
        fc.array(known, { maxLength: 4 }),
        (before, word, after) => {
          expect(readTenor([...before, word, ...after].join(' '))).toBeNull();
        },
      ),
    );
  });
});
