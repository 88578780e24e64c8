/**
 * The program of a `browser_act`. It runs inside the place, which has no network but its own loopback: it starts the command that
 * serves, and drives the browser.
 *
 *   node browser-program.mjs < TASK
 *
 * TASK is a `BrowserTask` as JSON. It prints `BrowserReport`s, one on each line, and exits at the last; the place ends what it leaves.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { connect } from 'node:net';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { chromium, type Page } from 'playwright-core';
import { toActionText, toPageUrl } from '../../core/execution/browser-step.ts';
import type { BrowserAction, BrowserReport, BrowserTask } from '../../core/model/browser-step.ts';
import { parseBrowserTask } from '../../schemas/browser-task.ts';

/** There is no user namespace left for Chromium's own sandbox: ours is around it. */
const ARGS = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'];
const MAX_SAID_BYTES = 4096;
const MAX_PAGE_ERRORS = 20;
const POLL_MS = 100;
const CONNECT_MS = 1000;
/** How long one action may wait. */
const ACTION_MS = 30_000;

let said = '';
const say = (chunk: Buffer | string): void => {
  said = (said + chunk.toString()).slice(-MAX_SAID_BYTES);
};

const report = (line: BrowserReport): void => {
  process.stdout.write(`${JSON.stringify(line)}\n`);
};

const task = parseBrowserTask(JSON.parse(await text(process.stdin)));
const until = Date.now() + task.timeoutMs;
const left = (): number => Math.max(1, until - Date.now());
const leftForAction = (): number => Math.min(ACTION_MS, left());
const problem = await work(task);
process.stdout.write(`${JSON.stringify({ type: 'end', problem, said } satisfies BrowserReport)}\n`, () =>
  process.exit(0),
);

async function work({ serve, actions, browser: executablePath }: BrowserTask): Promise<string | null> {
  const server = spawn(serve.argv[0] ?? '', serve.argv.slice(1), { stdio: ['ignore', 'pipe', 'pipe'] });
  server.stdout.on('data', say);
  server.stderr.on('data', say);
  const ended = awaitEnd(server);
  try {
    const unreachable = await Promise.race([waitForServer(new URL(serve.url)), ended]);
    if (unreachable !== null) return unreachable;
    const browser = await chromium.launch({ executablePath, args: ARGS, timeout: left() });
    const page = await browser.newPage({ acceptDownloads: false });
    watchPage(page);
    return await Promise.race([carryOut(page, actions, serve.url), ended]);
  } catch (error) {
    return toText(error);
  }
}

async function awaitEnd(server: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    server.on('error', (error) => resolve(`the command that serves could not be started: ${error.message}`));
    server.on('exit', (code, signal) => resolve(`the command that serves ended (${String(code ?? signal)})`));
  });
}

/** null: it answers. */
async function waitForServer({ hostname, port, protocol }: URL): Promise<string | null> {
  // The place has no hosts file.
  const hosts = hostname === 'localhost' ? ['127.0.0.1', '::1'] : [hostname.replace(/^\[|\]$/gu, '')];
  const usual = protocol === 'https:' ? 443 : 80;
  const number = port === '' ? usual : Number(port);
  while (left() > 1) {
    for (const host of hosts) if (await canConnect(host, number)) return null;
    await pause();
  }
  return `nothing serves at port ${number}`;
}

async function canConnect(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: CONNECT_MS });
    const done = (is: boolean): void => {
      socket.destroy();
      resolve(is);
    };
    socket.once('connect', () => done(true));
    socket.once('error', () => done(false));
    socket.once('timeout', () => done(false));
  });
}

function watchPage(page: Page): void {
  let errors = 0;
  page.on('pageerror', (error) => {
    errors += 1;
    if (errors <= MAX_PAGE_ERRORS) report({ type: 'did', what: `the page threw: ${toText(error)}` });
  });
}

/** null: all of them could be carried out. */
async function carryOut(page: Page, actions: readonly BrowserAction[], url: string): Promise<string | null> {
  for (const action of actions) {
    page.setDefaultTimeout(leftForAction());
    try {
      const why = await act(page, action, url);
      if (why !== null) return `${toActionText(action)}: ${why}`;
    } catch (error) {
      return `${toActionText(action)}: ${toText(error)}`;
    }
    report({ type: 'did', what: toActionText(action) });
  }
  return null;
}

async function act(page: Page, action: BrowserAction, url: string): Promise<string | null> {
  switch (action.type) {
    case 'open': {
      const answer = await page.goto(toPageUrl(url, action.path), { timeout: leftForAction() });
      return answer === null || answer.ok() ? null : `the server answered with ${answer.status()}`;
    }
    case 'click':
      await page.locator(action.selector).click();
      return null;
    case 'fill':
      await page.locator(action.selector).fill(action.value);
      return null;
    case 'expect':
      return expectText(page, action);
    case 'screenshot': {
      const png = await page.screenshot({ timeout: leftForAction() });
      report({ type: 'screenshot', name: action.name, png: png.toString('base64') });
      return null;
    }
  }
}

/** Waits until one of the elements has the text. */
async function expectText(
  page: Page,
  { selector, text: wanted }: Extract<BrowserAction, { readonly type: 'expect' }>,
): Promise<string | null> {
  let seen: readonly string[] = [];
  const end = Date.now() + leftForAction();
  while (Date.now() < end) {
    seen = await page.locator(selector).allInnerTexts();
    if (seen.some((each) => each.includes(wanted))) return null;
    await pause();
  }
  return seen.length === 0 ? 'there is no such element' : `it has ${JSON.stringify(seen.join(' ').slice(0, 200))}`;
}

async function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, POLL_MS));
}

/** Playwright adds a log of what it tried, and colours. */
function toText(error: unknown): string {
  const [first = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  return first;
}
