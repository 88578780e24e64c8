import { describe, expect, it } from 'vitest';
import { DECISION_PAGES, TEXT_PAGES } from './pages.ts';
import { type Page, renderMarkdown } from './to-html.ts';

/** Markdown that was meant and is shown as it was written. */
const LEFT_OVER = /\*\*|`|\]\(|^#{1,6} |\|\s*-{3,}|<\/?(?:details|summary)/mu;

function expectShown({ name, markdown }: Page): void {
  const html = renderMarkdown(markdown);
  const prose = html
    .replaceAll(/<pre>.*?<\/pre>/gsu, '')
    .replaceAll(/<code>.*?<\/code>/gsu, '')
    .replaceAll(/<[^>]*>/gu, '');
  const text = prose.replaceAll('&lt;', '<').replaceAll('&gt;', '>');
  expect({ name, leftOver: LEFT_OVER.exec(text)?.[0] }).toEqual({ name, leftOver: undefined });
  for (const tag of ['details', 'summary', 'table', 'blockquote'])
    expect({ name, tag, open: count(html, `<${tag}`) }).toEqual({ name, tag, open: count(html, `</${tag}>`) });
}

const count = (text: string, part: string): number => text.split(part).length - 1;

describe('what people read, as GitHub shows it', () => {
  it('finds Markdown that is not rendered', () => {
    const broken = '<details><summary>Log</summary>\n**not bold**\n</details>\n\nText ** here';

    expect(() => {
      expectShown({ name: 'broken', title: null, conclusion: null, markdown: broken, buttons: [] });
    }).toThrow(/leftOver/u);
  });

  it.each(DECISION_PAGES)('is whole for the decision %s', async (_code, read) => {
    for (const page of await read()) expectShown(page);
  });

  it.each(TEXT_PAGES.map((page) => [page.name, page] as const))('is whole for %s', (_name, page) => {
    expectShown(page);
  });
});
