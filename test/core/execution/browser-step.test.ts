import { describe, expect, it } from 'vitest';
import {
  findBrowserProblem,
  toActionText,
  toPageUrl,
  toScreenshotFile,
} from '../../../src/core/execution/browser-step.ts';
import type { BrowserAction } from '../../../src/core/model/browser-step.ts';

const OPEN: BrowserAction = { type: 'open', path: '/' };

function find(url: string, actions: readonly BrowserAction[]): string | null {
  return findBrowserProblem({ serve: { argv: ['serve'], url }, actions });
}

describe('a step in a browser (004.R3)', () => {
  it.each(['http://localhost:3000/', 'http://127.0.0.1:3000/app/', 'http://[::1]:3000', 'https://localhost'])(
    'may look at what its command serves at %s',
    (url) => {
      expect(find(url, [OPEN, { type: 'open', path: 'page?q=1#a' }])).toBeNull();
    },
  );

  it.each(['http://example.com/', 'http://127.0.0.2/', 'http://localhost.example.com/', 'http://169.254.169.254/'])(
    'may not look at %s',
    (url) => {
      expect(find(url, [OPEN])).toMatch(/must name localhost or 127\.0\.0\.1/u);
    },
  );

  it.each([
    '//example.com/',
    'http://example.com',
    'http://localhost:3001/',
    'file:///etc/passwd',
    'javascript:1',
    'http://[',
  ])('may not open %s', (path) => {
    expect(find('http://localhost:3000/', [OPEN, { type: 'open', path }])).toBe(
      `"open" must name a path below http://localhost:3000, not ${JSON.stringify(path)}`,
    );
  });

  it('opens a page first', () => {
    expect(find('http://localhost', [{ type: 'click', selector: 'a' }, OPEN])).toBe('the first action must be "open"');
    expect(find('http://localhost', [])).toBe('the first action must be "open"');
  });

  it('has no two screenshots of one name', () => {
    const shot: BrowserAction = { type: 'screenshot', name: 'a' };
    expect(find('http://localhost', [OPEN, shot, { type: 'screenshot', name: 'b' }])).toBeNull();
    expect(find('http://localhost', [OPEN, shot, shot])).toBe('two screenshots have the name a');
  });

  it('resolves a path below the URL that is served', () => {
    expect(toPageUrl('http://localhost:1/app/', 'x')).toBe('http://localhost:1/app/x');
    expect(toPageUrl('http://localhost:1/app/', '/x')).toBe('http://localhost:1/x');
  });

  it('names files of screenshots so that they stay in their folder and are told apart', () => {
    expect(toScreenshotFile(3, 'home')).toBe('3-home.png');
    expect(toScreenshotFile('a-b_c', 'home')).toBe('a-b_c-home.png');
    const names = ['../../x', '..\u{2f}.._x', 'x'.repeat(200), 'x'.repeat(199)].map((id) =>
      toScreenshotFile(id, 'home'),
    );
    expect(new Set(names).size).toBe(4);
    for (const name of names) expect(name).toMatch(/^[\w-]{1,60}\.png$/u);
  });

  it('tells each action in one short line', () => {
    const actions: readonly BrowserAction[] = [
      OPEN,
      { type: 'click', selector: 'a' },
      { type: 'fill', selector: '#secret', value: 'not shown' },
      { type: 'expect', selector: 'h1', text: 'Hi' },
      { type: 'screenshot', name: 'home' },
    ];
    expect(actions.map(toActionText)).toEqual([
      'open /',
      'click a',
      'fill #secret',
      'expect "Hi" in h1',
      'screenshot home',
    ]);
    expect(toActionText({ type: 'click', selector: 'x'.repeat(500) })).toHaveLength(207);
  });
});
