import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';

/** Something that people read on GitHub. */
export interface Page {
  readonly name: string;
  /** null: a comment. */
  readonly title: string | null;
  /** null: in progress, or a comment. */
  readonly conclusion: string | null;
  readonly markdown: string;
  readonly buttons: readonly string[];
}

/** The Markdown as GitHub shows it. GitHub makes comments' line breaks visible; a check run's are spaces. */
export function renderMarkdown(markdown: string): string {
  return micromark(markdown, { allowDangerousHtml: true, extensions: [gfm()], htmlExtensions: [gfmHtml()] });
}

const STYLE = readFileSync(createRequire(import.meta.url).resolve('github-markdown-css/github-markdown.css'), 'utf8');

const ICONS: Readonly<Record<string, readonly [sign: string, color: string]>> = {
  success: ['✓', '#1a7f37'],
  failure: ['✗', '#cf222e'],
  action_required: ['!', '#cf222e'],
  neutral: ['■', '#59636e'],
};

/** A page with GitHub's Markdown style; the frame around it only resembles GitHub's. */
export function toHtml(pages: readonly Page[]): string {
  return `<!doctype html><meta charset="utf-8"><meta name="color-scheme" content="light dark"><style>${STYLE}
body{margin:0;background:light-dark(#fff,#0d1117)}
.page{box-sizing:border-box;max-width:1012px;padding:24px;margin:0 auto}
.head{font:600 16px/24px -apple-system,"Segoe UI","Noto Sans",Helvetica,Arial,sans-serif;color:light-dark(#1f2328,#f0f6fc);
border-bottom:1px solid light-dark(#d1d9e0,#3d444d);padding-bottom:12px;margin-bottom:16px}
.name{font-size:12px;font-weight:400;color:light-dark(#59636e,#9198a1)}
.button{display:inline-block;font:500 12px/20px -apple-system,"Segoe UI","Noto Sans",Helvetica,Arial,sans-serif;padding:3px 12px;
margin:16px 8px 0 0;border:1px solid light-dark(#d1d9e0,#3d444d);border-radius:6px;background:light-dark(#f6f8fa,#212830);
color:light-dark(#25292e,#f0f6fc)}</style>
${pages.map(toSection).join('\n')}`;
}

function toSection({ name, title, conclusion, markdown, buttons }: Page): string {
  const [sign, color] = ICONS[conclusion ?? ''] ?? ['●', '#9a6700'];
  const head = title === null ? '' : `<span style="color:${color}">${sign}</span> ${escape(title)}`;
  return `<section class="page" id="${escape(name)}"><div class="head">${head}<div class="name">${escape(name)}</div></div>
<article class="markdown-body">${renderMarkdown(markdown)}</article>${buttons
    .map((label) => `<span class="button">${escape(label)}</span>`)
    .join('')}</section>`;
}

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
