import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { it } from 'vitest';
import { findBrowser } from '../../src/adapters/browser/find-browser.ts';
import { DECISION_PAGES, TEXT_PAGES } from './pages.ts';
import { type Page, toHtml } from './to-html.ts';

/** `npm run photographs`: every text that people read, as pictures in reports/photographs. */
const FOLDER = 'reports/photographs';
const WIDTHS = { wide: 1100, narrow: 390 };
const PAGES_A_PICTURE = 6;

it('photographs what people read', async () => {
  const pages: Page[] = [];
  for (const [, read] of DECISION_PAGES) pages.push(...(await read()));
  pages.push(...TEXT_PAGES);
  await mkdir(FOLDER, { recursive: true });
  await writeFile(join(FOLDER, 'index.html'), toHtml(pages));
  const executablePath = await findBrowser(null);
  if (executablePath === null) throw new Error('there is no Chromium: install the package "chromium"');
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const [name, width] of Object.entries(WIDTHS)) {
        const page = await browser.newPage({ colorScheme, viewport: { width, height: 800 } });
        for (let first = 0; first < pages.length; first += PAGES_A_PICTURE) {
          await page.setContent(toHtml(pages.slice(first, first + PAGES_A_PICTURE)));
          const number = String(first / PAGES_A_PICTURE).padStart(2, '0');
          await page.screenshot({ path: join(FOLDER, `${colorScheme}-${name}-${number}.png`), fullPage: true });
        }
        await page.close();
      }
    }
  } finally {
    await browser.close();
  }
});
