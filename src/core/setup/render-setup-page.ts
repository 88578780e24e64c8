import { WANTED_EVENTS, WANTED_PERMISSIONS } from '../doctor/wanted-access.ts';
import type { EpochMs } from '../model/ids.ts';
import type { RegisteredApp } from '../model/registered-app.ts';
import { escapeHtml } from '../text/escape-html.ts';
import { toUtcMinute } from '../text/words.ts';
import type { SetupTrouble } from './setup-trouble.ts';
import type { SetupView } from './setup-view.ts';

/** The only style of the pages. Their policy names it by its hash. */
export const SETUP_STYLE = [
  ':root{color-scheme:light dark}',
  'body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem}',
  'table{border-collapse:collapse;width:100%}',
  'th,td{text-align:left;vertical-align:top;padding:.3rem .6rem .3rem 0;border-bottom:1px solid #8886}',
  'code{overflow-wrap:anywhere}',
  'label{display:block;margin:.8rem 0 .2rem}',
  'input{font:inherit;width:100%;box-sizing:border-box;padding:.4rem}',
  'button{font:inherit;margin-top:1rem;padding:.5rem 1rem}',
  '.note{border-left:.25rem solid #c80;padding-left:.8rem}',
].join('');

/** The page that registers the App. `state` comes back with GitHub's answer. */
export function renderSetupForm(
  view: SetupView,
  { state, endsAt }: { readonly state: string; readonly endsAt: EpochMs },
): string {
  const { choice } = view;
  return toPage('Register Ratchet as a GitHub App', [
    '<p>Ratchet acts on GitHub as a GitHub App of your own. GitHub makes the App, and this server stores its id, private key and webhook secret.</p>',
    `<p>This page works until ${toUtcMinute(endsAt)}, in this browser only.</p>`,
    '<h2>1. Owner and address</h2>',
    '<form action="/setup" method="get">',
    toInput(
      'organization',
      'Organization that will own the App (leave empty for your own account)',
      choice.organization,
    ),
    toNote(view.organizationFault),
    toInput('webhook', 'Address to which GitHub sends webhooks', choice.webhookUrl),
    toNote(toHookNote(view)),
    '<button type="submit">Apply</button>',
    '</form>',
    '<h2>2. What the App may do</h2>',
    '<p>The App is private: only its owner can install it.</p>',
    toTable(
      ['Permission', 'Level', 'Ratchet uses it to'],
      WANTED_PERMISSIONS.map(({ name, level, why }) => [name, level, why]),
    ),
    toTable(
      ['Event', 'It reports'],
      WANTED_EVENTS.map(({ name, why }) => [name, why]),
    ),
    '<h2>3. Register it</h2>',
    ...renderRegistration(view, state),
  ]);
}

function toHookNote({ hook }: SetupView): string | null {
  return hook.kind === 'usable' ? hook.warning : hook.why;
}

function renderRegistration({ registration }: SetupView, state: string): readonly string[] {
  if (registration === null) return ['<p class="note">Correct the fields above first, and apply them.</p>'];
  const { manifest, action } = registration;
  return [
    `<p>GitHub will send webhooks to ${toCode(manifest.hook_attributes.url)}, and your browser back to ${toCode(manifest.redirect_url)}. If this page has another address in your browser, let the proxy in between pass on the header <code>Host</code>.</p>`,
    `<p>You can change the name of the App on GitHub's page. It must be unique.</p>`,
    `<form action="${escapeHtml(`${action}?state=${encodeURIComponent(state)}`)}" method="post">`,
    `<input type="hidden" name="manifest" value="${escapeHtml(JSON.stringify(manifest))}">`,
    '<button type="submit">Register on GitHub</button>',
    '</form>',
  ];
}

/** The last page. `goesOn`: the server starts to work now. */
export function renderStoredApp({ name, pageUrl }: Pick<RegisteredApp, 'name' | 'pageUrl'>, goesOn: boolean): string {
  return toPage('The App is registered', [
    `<p>This server has stored the App <strong>${escapeHtml(name)}</strong>. ${goesOn ? 'Ratchet starts now.' : 'The terminal says how to start Ratchet.'} This page is gone.</p>`,
    '<ol>',
    `<li><a rel="noreferrer" href="${escapeHtml(`${pageUrl}/installations/new`)}">Install the App</a> on the repositories it should work on.</li>`,
    '<li>Comment <code>/ratchet enable</code> on a pull request.</li>',
    '</ol>',
  ]);
}

/** A page that says what went wrong and what to do. */
export function renderSetupTrouble({ title, lines }: SetupTrouble): string {
  return toPage(
    title,
    lines.map((line) => `<p>${escapeHtml(line)}</p>`),
  );
}

function toPage(title: string, lines: readonly string[]): string {
  return [
    '<!DOCTYPE html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width,initial-scale=1">',
    `<title>${escapeHtml(title)}</title>`,
    `<style>${SETUP_STYLE}</style>`,
    '</head>',
    '<body>',
    `<h1>${escapeHtml(title)}</h1>`,
    ...lines.filter((line) => line !== ''),
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

function toInput(name: string, label: string, value: string): string {
  return `<label for="${name}">${label}</label><input id="${name}" name="${name}" value="${escapeHtml(value)}" autocomplete="off">`;
}

function toNote(text: string | null): string {
  return text === null ? '' : `<p class="note">${escapeHtml(text)}</p>`;
}

function toCode(text: string): string {
  return `<code>${escapeHtml(text)}</code>`;
}

function toTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const toRow = (cells: readonly string[], tag: string): string =>
    `<tr>${cells.map((cell) => `<${tag}>${escapeHtml(cell)}</${tag}>`).join('')}</tr>`;
  return `<table>${toRow(head, 'th')}${rows.map((row) => toRow(row, 'td')).join('')}</table>`;
}
