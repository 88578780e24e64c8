import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { type Browser, chromium } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { findBrowser } from '../../src/adapters/browser/find-browser.ts';
import { DECISION_PAGES, TEXT_PAGES } from './pages.ts';
import { type Page, toHtml } from './to-html.ts';

/** `npm run photographs`: every text that people read, as pictures in reports/photographs, and the picture of the README. */
const FOLDER = 'reports/photographs';
const WIDTHS = { wide: 1100, narrow: 390 };
const SCHEMES = ['light', 'dark'] as const;
const PAGES_A_PICTURE = 6;
const README_WIDTH = 860;

const checkRunSchema = z.object({
  conclusion: z.literal('success'),
  output: z.object({ title: z.string(), summary: z.string() }),
});

async function openBrowser(): Promise<Browser> {
  const executablePath = await findBrowser(null);
  if (executablePath === null) throw new Error('there is no Chromium: install the package "chromium"');
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  onTestFinished(() => browser.close());
  return browser;
}

/** Pictures of pages; `toPath` names the file of a color scheme. */
async function photograph(
  browser: Browser,
  pages: readonly Page[],
  width: number,
  toPath: (scheme: string) => string,
): Promise<void> {
  for (const colorScheme of SCHEMES) {
    const page = await browser.newPage({ colorScheme, viewport: { width, height: 100 } });
    await page.setContent(toHtml(pages));
    await page.screenshot({ path: toPath(colorScheme), fullPage: true });
    await page.close();
  }
}

it('photographs what people read', async () => {
  const pages: Page[] = [];
  for (const [, read] of DECISION_PAGES) pages.push(...(await read()));
  pages.push(...TEXT_PAGES);
  await mkdir(FOLDER, { recursive: true });
  await writeFile(join(FOLDER, 'index.html'), toHtml(pages));
  const browser = await openBrowser();
  for (const [name, width] of Object.entries(WIDTHS)) {
    for (let first = 0; first < pages.length; first += PAGES_A_PICTURE) {
      const number = String(first / PAGES_A_PICTURE).padStart(2, '0');
      await photograph(browser, pages.slice(first, first + PAGES_A_PICTURE), width, (scheme) =>
        join(FOLDER, `${scheme}-${name}-${number}.png`),
      );
    }
  }
});

it('photographs the check run of the demo for the README', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'ratchet-photograph-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'check-run.json');
  const { exitCode } = await execa(process.execPath, ['demo/demo.ts', '--save', file], { reject: false });
  expect(exitCode).toBe(0);
  const { conclusion, output } = checkRunSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  const page = { name: 'Ratchet', title: output.title, conclusion, markdown: output.summary, buttons: ['Undo', 'Why'] };
  await mkdir('docs/images', { recursive: true });
  await photograph(await openBrowser(), [page], README_WIDTH, (scheme) => `docs/images/check-run-${scheme}.png`);
});
