import { sha256 } from '../hash/sha256.ts';
import type { BrowserAction, BrowserStep } from '../model/browser-step.ts';
import { cutText } from '../text/cut-text.ts';

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);
const MAX_SHOWN = 200;
const MAX_ID_LENGTH = 40;

/** Why the step cannot be carried out as it is; null: it can. Nothing but what the step itself serves can be reached. */
export function findBrowserProblem({ serve, actions }: BrowserStep): string | null {
  const { hostname, origin } = new URL(serve.url);
  if (!LOOPBACK.has(hostname)) return `"serve.url" must name localhost or 127.0.0.1, where the command serves`;
  if (actions[0]?.type !== 'open') return 'the first action must be "open"';
  for (const action of actions) {
    if (action.type === 'open' && toPage(serve.url, action.path)?.origin !== origin) {
      return `"open" must name a path below ${origin}, not ${JSON.stringify(cut(action.path))}`;
    }
  }
  return findRepeated(actions.flatMap((action) => (action.type === 'screenshot' ? [action.name] : [])));
}

function findRepeated(names: readonly string[]): string | null {
  const repeated = names.find((name, index) => names.indexOf(name) < index);
  return repeated === undefined ? null : `two screenshots have the name ${repeated}`;
}

/** null: not a URL. */
function toPage(url: string, path: string): URL | null {
  return URL.canParse(path, url) ? new URL(path, url) : null;
}

/** The page that an `open` leads to. Only for a step without a problem. */
export function toPageUrl(url: string, path: string): string {
  return new URL(path, url).href;
}

/** The name of the file of a screenshot. The id of a step may be any text. */
export function toScreenshotFile(stepId: string | number, name: string): string {
  const id = String(stepId);
  const plain = id.replaceAll(/[^\w-]/gu, '_').slice(0, MAX_ID_LENGTH);
  return `${plain === id ? id : `${plain}-${sha256(id).slice(0, 8)}`}-${name}.png`;
}

/** What people read about an action. */
export function toActionText(action: BrowserAction): string {
  switch (action.type) {
    case 'open':
      return `open ${cut(action.path)}`;
    case 'click':
      return `click ${cut(action.selector)}`;
    case 'fill':
      return `fill ${cut(action.selector)}`;
    case 'expect':
      return `expect ${JSON.stringify(cut(action.text))} in ${cut(action.selector)}`;
    case 'screenshot':
      return `screenshot ${action.name}`;
  }
}

function cut(text: string): string {
  return cutText(text, MAX_SHOWN);
}
