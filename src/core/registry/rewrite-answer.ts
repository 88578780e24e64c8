import { parseJsonObject } from '../json/parse-json-object.ts';
import { type RegistryKind, type RegistryRoots, toOrigins } from './registry-roots.ts';
import { PATHS, type Rewrite } from './route-request.ts';

/** Where an answer comes from, and where its files are to be read. */
export interface AnswerPlace {
  readonly roots: RegistryRoots;
  /** Address of the answer, after redirects. */
  readonly url: string;
  /** Address of the proxy as the site sees it, without a trailing slash. */
  readonly proxy: string;
}

/** The value of `tarball`, as a literal of JSON. In a text inside of JSON the quotes would be escaped. */
const TARBALL = /("tarball"\s*:\s*)("(?:[^"\\]|\\.)*")/gu;
const LINK = /<a\s[^<>]*>/giu;
const HREF = /(\shref\s*=\s*)("[^"]*"|'[^']*')/iu;

/**
 * Leads the addresses of files in an answer through the proxy. An address at a host that is not the registry's stays, and cannot
 * be reached. null: the answer is not what it should be.
 */
export function rewriteAnswer(rewrite: Rewrite, text: string, place: AnswerPlace): string | null {
  switch (rewrite) {
    case 'npm':
      return text.replace(TARBALL, (_all, key: string, literal: string) => `${key}${toTarball(literal, place)}`);
    case 'pypi':
      return text.trimStart().startsWith('{') ? rewriteProjectJson(text, place) : rewriteProjectPage(text, place);
    case 'cargo':
      return parseJsonObject(text) === null ? null : JSON.stringify({ dl: `${place.proxy}${PATHS.cargo}dl` });
  }
}

/** The address of a crate's file by the `dl` of the index's `config.json`. null: the text has none, or one elsewhere. */
export function toCrateUrl(
  configText: string,
  crate: { readonly name: string; readonly version: string },
  roots: RegistryRoots,
): string | null {
  const dl = parseJsonObject(configText)?.['dl'];
  if (typeof dl !== 'string' || dl.includes('{sha256-checksum}')) return null;
  const { name, version } = crate;
  const values = { crate: name, version, prefix: toPrefix(name), lowerprefix: toPrefix(name.toLowerCase()) };
  const isTemplate = Object.keys(values).some((key) => dl.includes(`{${key}}`));
  const filled = Object.entries(values).reduce((url, [key, value]) => url.replaceAll(`{${key}}`, value), dl);
  const url = URL.parse(isTemplate ? filled : `${dl}/${name}/${version}/download`);
  return url !== null && toOrigins('cargo', roots).includes(url.origin) ? url.href : null;
}

/** The folder of a crate in an index. */
function toPrefix(name: string): string {
  if (name.length <= 2) return String(name.length);
  return name.length === 3 ? `3/${name.slice(0, 1)}` : `${name.slice(0, 2)}/${name.slice(2, 4)}`;
}

function toTarball(literal: string, { roots, proxy }: AnswerPlace): string {
  const url = URL.parse(toText(literal));
  if (url === null) return literal;
  if (url.href.startsWith(roots.npm)) return JSON.stringify(`${proxy}/${url.href.slice(roots.npm.length)}`);
  return JSON.stringify(toFile('npm', url, { roots, proxy }) ?? url.href);
}

/** The text of a literal; empty if it is none. */
function toText(literal: string): string {
  const text = parseJsonObject(`{"text":${literal}}`)?.['text'];
  return typeof text === 'string' ? text : '';
}

function rewriteProjectJson(text: string, place: AnswerPlace): string | null {
  const project = parseJsonObject(text);
  const files = project?.['files'];
  if (!Array.isArray(files)) return null;
  const rewritten = files.map((file: unknown) => {
    if (typeof file !== 'object' || file === null || !('url' in file) || typeof file.url !== 'string') return file;
    return { ...file, url: toProjectFile(file.url, place) };
  });
  return JSON.stringify({ ...project, files: rewritten });
}

function rewriteProjectPage(text: string, place: AnswerPlace): string {
  const toHref = (_all: string, before: string, quoted: string): string => {
    const href = quoted.slice(1, -1).replaceAll('&amp;', '&');
    return `${before}"${toProjectFile(href, place).replaceAll('&', '&amp;').replaceAll('"', '%22')}"`;
  };
  return text.replace(LINK, (link) => link.replace(HREF, toHref));
}

/** Addresses may be relative to the page, and end in the hash of the file. */
function toProjectFile(address: string, place: AnswerPlace): string {
  const url = URL.parse(address, place.url);
  return url === null ? address : (toFile('pypi', url, place) ?? url.href);
}

function toFile(kind: RegistryKind, url: URL, { roots, proxy }: Pick<AnswerPlace, 'roots' | 'proxy'>): string | null {
  if (!toOrigins(kind, roots).includes(url.origin)) return null;
  return `${proxy}${PATHS.files}${kind}/${url.host}${url.pathname}${url.hash}`;
}
