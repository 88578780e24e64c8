import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { authorize } from '../../../src/core/commands/authorize.ts';
import {
  COMMANDS,
  describeUnknown,
  findCommand,
  findNearestCommand,
} from '../../../src/core/commands/command-names.ts';
import { findNearest } from '../../../src/core/commands/find-nearest.ts';
import { MAX_COMMANDS, MAX_COMMENT_LENGTH, parseCommands } from '../../../src/core/commands/parse-commands.ts';
import type { Command, CommandName } from '../../../src/core/model/event.ts';
import type { Permission } from '../../../src/core/model/pull-request.ts';
import { aPerson } from '../../support/builders.ts';
import { toCpuMs } from '../../support/cpu-time.ts';

const ENABLE = { name: 'enable', args: [] };
const SLUG = { slug: 'ratchet-bot' };

/** The commands of a comment that are carried out, without the lines that only get an answer. */
function listCarriedOut(body: string, options?: Parameters<typeof parseCommands>[1]): readonly Command[] {
  return parseCommands(body, options).filter((command) => 'args' in command);
}

describe('parseCommands', () => {
  it.each(COMMANDS.map(({ name }) => name))('knows %s', (name) => {
    expect(parseCommands(`/ratchet ${name}`)).toEqual([{ name, args: [] }]);
  });

  it.each([
    ['alone', '/ratchet enable'],
    ['in any case', '/Ratchet ENABLE'],
    ['addressed by mention', '@ratchet-bot enable'],
    ['addressed in any case', '@Ratchet-Bot enable'],
    ['between other lines', 'please\n/ratchet enable\nthanks'],
    ['with CRLF', 'please\r\n/ratchet enable\r\nthanks'],
    ['with lone CR', 'please\r/ratchet enable'],
    ['with a tab', '/ratchet\tenable\t'],
    ['after three spaces', '   /ratchet enable'],
    ['after three spaces inside a paragraph', 'please\n   /ratchet enable'],
    ['after a hard break', 'please  \n/ratchet enable'],
    ['after a backslash break', 'please\\\n/ratchet enable'],
    ['after code in the line before', 'run\n`x`\n/ratchet enable'],
    ['after a heading', '# Title\n/ratchet enable'],
    ['after a quote and an empty line', '> quoted\n\n/ratchet enable'],
    ['after a closed code block', '```\nx\n```\n/ratchet enable'],
    ['after a closed comment', '<!-- x -->\n\n/ratchet enable'],
    ['after closed HTML', '<div>x</div>\n\n/ratchet enable'],
    ['after an empty element', 'a <br> b <img src="x>y"> <br/>\n/ratchet enable'],
    ['after a stray end tag', 'a </b>\n/ratchet enable'],
    ['inside emphasis, which hides nothing', '*please\n/ratchet enable\nthanks*'],
  ])('reads a command %s', (_where, body) => {
    expect(parseCommands(body, SLUG)).toEqual([ENABLE]);
  });

  /** T8: somebody else's words, examples, and things that people do not see. */
  const DISGUISES: readonly (readonly [string, string])[] = [
    ['in the middle of a line', 'please /ratchet enable'],
    ['in a fenced block', '```\n/ratchet enable\n```'],
    ['in a fenced block with a language', '```sh\n/ratchet enable\n```'],
    ['in a block of tildes', '~~~\n/ratchet enable\n~~~'],
    ['in a block that never closes', '```\n/ratchet enable'],
    ['in a longer fence', '````\n```\n/ratchet enable\n```\n````'],
    ['in indented code', '    /ratchet enable'],
    ['in code indented by a tab', '\t/ratchet enable'],
    ['far indented in a paragraph', 'please\n    /ratchet enable'],
    ['in inline code', '`/ratchet enable`'],
    ['in inline code over two lines', '`a\n/ratchet enable`'],
    ['in a quote', '> /ratchet enable'],
    ['in a lazy quote', '> quoted\n/ratchet enable'],
    ['in a nested quote', '> > /ratchet enable'],
    ['in a GitHub alert', '> [!NOTE]\n> /ratchet enable'],
    ['in a list', '- /ratchet enable'],
    ['in a numbered list', '1. /ratchet enable'],
    ['in a lazy list', '- item\n/ratchet enable'],
    ['in an HTML comment', '<!-- /ratchet enable -->'],
    ['in an HTML comment over lines', '<!--\n/ratchet enable\n-->'],
    ['in an HTML comment with empty lines', '<!--\n\n/ratchet enable\n\n-->'],
    ['in an HTML comment in a paragraph', 'a <!--\n/ratchet enable\n-->'],
    ['in a comment that never closes', '<!--\n\n/ratchet enable'],
    ['in an HTML block', '<div>\n/ratchet enable\n</div>'],
    ['in an HTML element around paragraphs', '<blockquote>\n\n/ratchet enable\n\n</blockquote>'],
    ['in an HTML element that never closes', '<details>\n\n/ratchet enable'],
    ['in a nested HTML element', '<div>\n<b>\n\n</b>\n\n/ratchet enable\n\n</div>'],
    ['in inline HTML', 'a <code>\n/ratchet enable\n</code>'],
    ['in a pre element', '<pre>\n/ratchet enable\n</pre>'],
    ['in a heading', '# /ratchet enable'],
    ['in an underlined heading', '/ratchet enable\n==='],
    ['in the text of a link', '[a\n/ratchet enable](https://example.com)'],
    ['in the title of a link', '[a](https://example.com "x\n/ratchet enable\n")'],
    ['in the text of an image', '![a\n/ratchet enable](https://example.com)'],
    ['in a link definition', '[a]:\n/ratchet\n"enable"'],
    ['escaped', '\\/ratchet enable'],
    ['as an entity', '&#47;ratchet enable'],
    ['with a full-width slash', '／ratchet enable'],
    ['with letters that look alike', '/r\u0430tchet enable'],
    ['after a line separator', 'please\u2028/ratchet enable'],
    ['with a longer name', '/ratchets enable'],
    ['with a mention of another App', '@ratchet-bot2 enable'],
    ['with a mention of an account', '@ratchet-bot[bot] enable'],
    ['as a path', '/ratchet/enable'],
  ];
  it.each(DISGUISES)('reads no command %s', (_where, body) => {
    expect(listCarriedOut(body, SLUG)).toEqual([]);
  });

  it('has more than thirty disguises to test with', () => {
    expect(DISGUISES.length).toBeGreaterThan(30);
  });

  it('reads no mention without a name of its own', () => {
    expect(parseCommands('@ratchet-bot enable')).toEqual([]);
    expect(parseCommands('@ratchet-bot enable', { slug: null })).toEqual([]);
    expect(parseCommands('@axb enable', { slug: 'a.b' })).toEqual([]);
  });

  it('keeps several commands in order, with their arguments', () => {
    expect(parseCommands('/ratchet disable\n/ratchet check src/  `a b`\n\ntext\n\n/ratchet enable now')).toEqual([
      { name: 'disable', args: [] },
      { name: 'check', args: ['src/', '`a', 'b`'] },
      { name: 'enable', args: ['now'] },
    ]);
  });

  it('tells an unknown name and the nearest known one', () => {
    expect(parseCommands('/ratchet enabel\n/ratchet dance\n/ratchet')).toEqual([
      { name: 'unknown', written: 'enabel', nearest: 'enable' },
      { name: 'unknown', written: 'dance', nearest: null },
      { name: 'unknown', written: '', nearest: null },
    ]);
  });

  it('takes no letter for its look-alike', () => {
    // The Kelvin sign and the long s, which case folding turns into k and s.
    expect(parseCommands('/ratchet chec\u212A\n/ratchet \u017Ftatus')).toEqual([
      { name: 'unknown', written: 'chec\u212A', nearest: 'check' },
      { name: 'unknown', written: '\u017Ftatus', nearest: 'status' },
    ]);
    expect(parseCommands('@\u017Fkip enable\n@s\u212Aip enable', { slug: 'skip' })).toEqual([]);
  });

  it('bounds words, arguments, commands and the comment', () => {
    const [word] = parseCommands(`/ratchet ${'x'.repeat(5000)}`);
    const [many] = parseCommands(`/ratchet check ${'a '.repeat(500)}`);

    expect(word).toMatchObject({ written: 'x'.repeat(200) });
    expect(many).toMatchObject({ args: Array.from({ length: 20 }, () => 'a') });
    expect(listCarriedOut('/ratchet help\n'.repeat(50))).toHaveLength(MAX_COMMANDS);
    expect(parseCommands(`${'x'.repeat(MAX_COMMENT_LENGTH)}\n/ratchet enable`)).toEqual([]);
  });

  it.each([
    ['brackets', '['.repeat(60_000)],
    ['tildes', '~a'.repeat(32_000)],
    ['few tildes', '~a'.repeat(1000)],
    ['a wide table', `${'a|'.repeat(2500)}\n${'-|'.repeat(2500)}`],
    ['a long table', `a|b\n-|-\n${'1|2\n'.repeat(900)}`],
    ['footnotes', '[^a]: x\n'.repeat(490)],
    ['addressed lines', '/ratchet enable\n'.repeat(1900)],
    ['addressed lines in elements', '<b>\n/ratchet enable\n\n'.repeat(450)],
    ['attributions', 'On 2026-11-28 10:00 x@y wrote:\n> a\n'.repeat(400)],
    ['headers', 'From: a\n'.repeat(1900)],
    ['marks before an address', `${'* - > '.repeat(10_000)}/ratchet enable`],
    ['formulas', '$a '.repeat(20_000)],
    ['emphasis', '_a*'.repeat(20_000)],
    ['links', '[a]('.repeat(16_000)],
    ['declarations', 'a <!X '.repeat(10_000)],
    ['nested quotes', '> '.repeat(30_000)],
    ['nested lists', `${'- '.repeat(20)}a\n`.repeat(1400)],
    ['nested numbered lists', `${'1. '.repeat(90)}a\n`.repeat(200)],
    ['lines', 'a\n'.repeat(30_000)],
    ['fences in one line', '``` '.repeat(16_000)],
    ['code of one blank', ' `'.repeat(32_000)],
    ['backticks', Array.from({ length: 350 }, (_, length) => '`'.repeat(length)).join(' ')],
  ])('is done in time with %s', (_what, hostile) => {
    const cpuMs = toCpuMs(() => void parseCommands(`/ratchet enable\n\n${hostile}`));

    expect(cpuMs).toBeLessThan(5000);
  });

  it('never throws, and takes no name from outside the list', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '/ratchet ',
        'enable',
        '\n',
        '```',
        '> ',
        '<!--',
        '-->',
        '<b>',
        '</b>',
        '    ',
        '`',
        '@ratchet-bot ',
        '[',
        '](',
        '\r\n',
        '- ',
      ),
      fc.string(),
    );
    const names = new Set<string>([...COMMANDS.map(({ name }) => name), 'unknown', 'unread']);
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const commands = parseCommands(pieces.join(''), SLUG);

        expect(commands.every(({ name }) => names.has(name))).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('what is read of a comment', () => {
  const asked = [{ name: 'enable', args: [] }];
  const TOO_MUCH = 'the comment is too long or too nested to be read safely';

  it.each([
    ['lines', '\n'.repeat(1999), '\n'.repeat(2000)],
    ['brackets', `${'['.repeat(1000)}\n\n`, `${'['.repeat(1001)}\n\n`],
    ['tildes', `${'~ '.repeat(1000)}\n\n`, `${'~ '.repeat(1001)}\n\n`],
    ['pipes', `${'|'.repeat(5000)}\n\n`, `${'|'.repeat(5001)}\n\n`],
    ['nested marks', `${'> > > > >\n'.repeat(50)}\n`, `${'> > > > >\n'.repeat(51)}\n`],
    ['numbered marks', `${'12. 12. 12.\n'.repeat(100)}\n`, `${'12. 12. 12.\n'.repeat(101)}\n`],
  ])('may hold so many %s and no more', (_what, most, tooMany) => {
    expect(parseCommands(`${most}/ratchet enable`)).toEqual(asked);
    expect(parseCommands(`${tooMany}/ratchet enable`)).toEqual([
      expect.objectContaining({ name: 'unread', why: TOO_MUCH }),
    ]);
    expect(listCarriedOut(`${tooMany}/ratchet stop`)).toEqual([{ name: 'stop', args: [] }]);
  });

  it('counts marks only where a line begins', () => {
    expect(parseCommands(`${'x > > > > > > > >\n\n'.repeat(60)}/ratchet enable`)).toEqual(asked);
  });

  it('holds one command more, where a later line holds Ratchet back', () => {
    const lines = [...Array.from({ length: 11 }, () => '/ratchet help'), '/ratchet stop', '/ratchet pause'];

    expect(parseCommands(lines.join('\n')).slice(MAX_COMMANDS)).toEqual([
      { name: 'stop', args: [] },
      { name: 'unread', line: '/ratchet help', why: 'only the first 10 lines for Ratchet in a comment are read' },
    ]);
  });

  it('looks at 200 addressed lines, most of which may be examples', () => {
    const examples = (count: number): string => `\`\`\`\n${'/ratchet stop\n'.repeat(count)}\`\`\`\n`;

    expect(parseCommands(`${examples(199)}/ratchet enable`)).toEqual(asked);
    expect(parseCommands(`${examples(200)}/ratchet enable`)).toEqual([]);
  });

  it('gives the arguments as they were meant', () => {
    expect(parseCommands('/ratchet check —timeout 60 `src/a` “b” \u2018c\u2019 please')).toEqual([
      { name: 'check', args: ['--timeout', '60', 'src/a', 'b', 'c'] },
    ]);
    expect(parseCommands('/ratchet check "d" –timeout=5 a–b')).toEqual([
      { name: 'check', args: ['d', '--timeout=5', 'a–b'] },
    ]);
  });

  it('takes any number of blanks between words', () => {
    expect(parseCommands('/ratchet  \t check   src \t test  ')).toEqual([{ name: 'check', args: ['src', 'test'] }]);
  });

  it('finds a command on the last line, with a line end and without', () => {
    expect(parseCommands('x\n/ratchet enable')).toEqual(asked);
    expect(parseCommands('x\n/ratchet enable\n')).toEqual(asked);
  });

  it('finds none behind other text of its line', () => {
    expect(parseCommands('<b>x</b> /ratchet enable')).toEqual([]);
    expect(parseCommands('`x` /ratchet enable')).toEqual([]);
  });

  it('calls a name with other characters unknown, not the part of it that is one', () => {
    expect(parseCommands('/ratchet 1enable')).toEqual([{ name: 'unknown', written: '1enable', nearest: 'enable' }]);
  });
});

describe('describeUnknown', () => {
  it.each([
    ['', null, 'no command is named'],
    ['dance', null, 'there is no command "dance"'],
    ['enabel', 'enable', 'there is no command "enabel"; did you mean "enable"?'],
  ] as const)('of %j near %s: %s', (written, nearest, why) => {
    expect(describeUnknown({ name: 'unknown', written, nearest })).toBe(why);
  });
});

describe('findNearest of what is hardly a word', () => {
  it('finds nothing near an empty word, however far one may be', () => {
    expect(findNearest('', ['a', 'bc'], 5)).toBeNull();
  });

  it('reads words of 64 characters and no longer ones', () => {
    const known = ['x'.repeat(64)];

    expect(findNearest('x'.repeat(64), known, 1)).toBe(known[0]);
    expect(findNearest('x'.repeat(65), known, 1)).toBeNull();
  });

  it('keeps the first of equally near ones', () => {
    expect(findNearest('ab', ['ax', 'ay'], 1)).toBe('ax');
    expect(findNearest('ab', ['xy', 'ab', 'ax'], 2)).toBe('ab');
  });
});

describe('findNearest', () => {
  it.each([
    ['enabel', 'enable'],
    ['stauts', 'status'],
    ['hepl', 'help'],
    ['ENABL', 'enable'],
    ['undoo', 'undo'],
    ['xyzzy', null],
    ['', null],
    ['e'.repeat(100), null],
  ])('takes %s for %s', (written, expected) => {
    expect(findNearestCommand(written)).toBe(expected);
  });

  it('takes the first of equally near names, and an empty name for its length', () => {
    expect(findNearest('ab', ['aa', 'bb'], 2)).toBe('aa');
    expect(findNearest('ab', [''], 2)).toBe('');
  });

  it('takes all that follows rebaseline for its reason, at most 500 characters of it', () => {
    const words = Array.from({ length: 100 }, (_, nth) => `word${String(nth)}`).join(' ');

    expect(parseCommands('/ratchet rebaseline  the rule   is new')).toEqual([
      { name: 'rebaseline', args: ['the rule is new'] },
    ]);
    expect(parseCommands('/ratchet rebaseline')).toEqual([{ name: 'rebaseline', args: [] }]);
    expect(parseCommands(`/ratchet rebaseline ${words}`)).toEqual([
      { name: 'rebaseline', args: [words.slice(0, 500)] },
    ]);
  });

  it('finds a command in any case and no other word', () => {
    expect(findCommand('HELP')?.name).toBe('help');
    expect(findCommand('toString')).toBeNull();
  });
});

/** T7: what each role may do. `author` is the author of the pull request without write permission. */
const MAY: Readonly<Record<CommandName, readonly ('none' | 'read' | 'author')[]>> = {
  enable: [],
  disable: [],
  retry: [],
  resume: [],
  check: [],
  rebaseline: [],
  undo: [],
  accept: [],
  answer: [],
  pause: ['author'],
  stop: ['author'],
  status: ['none', 'read', 'author'],
  why: ['none', 'read', 'author'],
  help: ['none', 'read', 'author'],
};
const NAMES = COMMANDS.map(({ name }) => name);

describe('authorize', () => {
  const may = (command: Command, permission: Permission, isPrAuthor = false): boolean =>
    authorize(command, { permission, isPrAuthor, actor: aPerson() }).kind === 'allowed';

  it.each(NAMES)('%s: writers and admins may', (name) => {
    expect(may({ name, args: [] }, 'write')).toBe(true);
    expect(may({ name, args: [] }, 'admin')).toBe(true);
  });

  it.each(NAMES)('%s: others only as the table says', (name) => {
    expect(may({ name, args: [] }, 'none')).toBe(MAY[name].includes('none'));
    expect(may({ name, args: [] }, 'read')).toBe(MAY[name].includes('read'));
    expect(may({ name, args: [] }, 'read', true)).toBe(MAY[name].includes('author'));
    expect(may({ name, args: [] }, 'none', true)).toBe(MAY[name].includes('author'));
  });

  it('answers an unknown name to everyone', () => {
    expect(may({ name: 'unknown', written: 'x', nearest: null }, 'none')).toBe(true);
  });

  it.each([...NAMES])('%s: no bot, whatever its permission or name (T9)', (name) => {
    const actor = aPerson({ kind: 'bot', login: 'dependabot[bot]' });

    expect(authorize({ name, args: [] }, { permission: 'admin', isPrAuthor: true, actor })).toEqual({
      kind: 'refused',
      why: 'bot',
    });
  });

  it('says why it refuses', () => {
    expect(authorize({ name: 'enable', args: [] }, { permission: 'read', isPrAuthor: true, actor: aPerson() })).toEqual(
      {
        kind: 'refused',
        why: 'needs_write',
      },
    );
  });
});

describe('a comment with a run of backticks that no person writes', () => {
  it('holds no command: its code spans cannot be told in reasonable time', () => {
    expect(listCarriedOut(`/ratchet enable\n\n${'`'.repeat(41)}`)).toEqual([]);
    expect(parseCommands(`/ratchet enable\n\n${'`'.repeat(40)}`)).toEqual([{ name: 'enable', args: [] }]);
  });
});
