import {
  type Document,
  isMap,
  isNode,
  isScalar,
  LineCounter,
  type Node,
  parseDocument,
  visit,
  type YAMLError,
} from 'yaml';
import type { z } from 'zod';
import { describeFault } from './describe-fault.ts';
import { describeUnknownKey } from './unknown-key.ts';

/** A larger file is refused unread. In bytes. */
export const MAX_YAML_BYTES = 65_536;

const MAX_PROBLEMS = 20;
const DEEP = 'Maximum call stack size exceeded';
const ALIAS = 'YAML aliases are not taken: write it out here';

/** One thing that is wrong with a file; `line` and `column` start at 1. */
export interface FileProblem {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** What a file says. */
export type YamlParse<Value> =
  | { readonly kind: 'ok'; readonly value: Value }
  | { readonly kind: 'invalid'; readonly problems: readonly FileProblem[] };

type Invalid = Extract<YamlParse<never>, { kind: 'invalid' }>;

/**
 * Reads a mapping of YAML 1.2 by its schema; a file that says nothing is an empty mapping. A file with any fault gives its
 * problems, each with its place, and never half of what it says. Never throws, whatever the text is.
 */
export function parseYaml<Schema extends z.ZodType>(text: string, schema: Schema): YamlParse<z.output<Schema>> {
  if (new TextEncoder().encode(text).length > MAX_YAML_BYTES) {
    return invalid([{ line: 1, column: 1, message: `the file is larger than ${MAX_YAML_BYTES} bytes` }]);
  }
  if (text.includes('\u0000')) return invalid([{ line: 1, column: 1, message: 'the file cannot be read as text' }]);
  const lines = new LineCounter();
  const read = readDocument(text, lines);
  if (read.kind === 'invalid') return read;
  const parsed = schema.safeParse(read.value ?? {}, { error: describeFault });
  if (parsed.success) return { kind: 'ok', value: parsed.data };
  return invalid(parsed.error.issues.flatMap((issue) => toProblems(issue, { document: read.document, lines, schema })));
}

/** Where the key at `path` stands in a file that was read, or the nearest part above it that the file has. */
export function findPlace(text: string, path: readonly string[]): Pick<FileProblem, 'line' | 'column'> {
  const lines = new LineCounter();
  const read = readDocument(text, lines);
  return read.kind === 'read' ? toPlaceOf(path, { document: read.document, lines }) : { line: 1, column: 1 };
}

type Read = { readonly kind: 'read'; readonly document: Document.Parsed; readonly value: unknown } | Invalid;

/**
 * Aliases are refused altogether: nothing here needs them, and nested ones grow without end. Of tags only those of plain data are
 * known: what the others make (`!!set`) would pass for an empty mapping.
 */
function readDocument(text: string, lines: LineCounter): Read {
  try {
    const document = parseDocument(text, {
      lineCounter: lines,
      uniqueKeys: true,
      version: '1.2',
      merge: false,
      resolveKnownTags: false,
      logLevel: 'error',
    });
    const faults = [...document.errors, ...document.warnings];
    const problems = faults.map((fault) => ({ ...toPlace(lines, fault.pos[0]), message: toFaultOfYaml(fault) }));
    const refused = problems.length === 0 ? findRefusedNodes(document, lines) : problems;
    return refused.length === 0
      ? { kind: 'read', document, value: document.toJS({ maxAliasCount: 0 }) }
      : invalid(refused);
  } catch {
    return invalid([{ line: 1, column: 1, message: 'the file cannot be read as plain data' }]);
  }
}

function toFaultOfYaml({ code, message }: Pick<YAMLError, 'code' | 'message'>): string {
  return code === 'MULTIPLE_DOCS' ? 'the file holds more than one document' : toFirstLine(message);
}

/** Aliases, and the one key that would vanish on the way to plain data. */
function findRefusedNodes(document: Document.Parsed, lines: LineCounter): readonly FileProblem[] {
  const problems: FileProblem[] = [];
  const refuse = (node: Node, message: string): void => {
    problems.push({ ...toPlace(lines, node.range?.[0] ?? 0), message });
  };
  visit(document, {
    Alias: (_key, alias) => refuse(alias, ALIAS),
    Pair: (_key, { key }) => {
      if (isScalar(key) && key.value === '__proto__') refuse(key, 'unknown key "__proto__"');
    },
  });
  return problems;
}

function invalid(problems: readonly FileProblem[]): Invalid {
  return {
    kind: 'invalid',
    problems: [...problems].sort((a, b) => a.line - b.line || a.column - b.column).slice(0, MAX_PROBLEMS),
  };
}

interface Source {
  readonly document: Document.Parsed;
  readonly lines: LineCounter;
  readonly schema: z.ZodType;
}

/** One problem for each unknown key, with the key it might be; else the message with the path it is about. */
function toProblems(issue: z.core.$ZodIssue, source: Source): readonly FileProblem[] {
  const inner = issue.code === 'invalid_union' ? findMeantIssues(issue) : [];
  if (inner.length > 0) return inner.flatMap((found) => toProblems(found, source));
  const where = issue.path.length === 0 ? 'the file' : `\`${issue.path.map(String).join('.')}\``;
  if (issue.code !== 'unrecognized_keys') {
    return [{ ...toPlaceOf(issue.path, source), message: `${where}: ${toFirstLine(issue.message)}` }];
  }
  return issue.keys.map((key) => ({
    ...toPlaceOf([...issue.path, key], source),
    message: describeUnknownKey(source.schema, issue.path, key),
  }));
}

/** Where one of several shapes is a mapping, and a mapping was given: what is wrong with its keys. */
function findMeantIssues(issue: z.core.$ZodIssueInvalidUnion): readonly z.core.$ZodIssue[] {
  const meant = issue.errors.find((issues) =>
    issues.some(({ code, path }) => code === 'unrecognized_keys' || code === 'custom' || typeof path[0] === 'string'),
  );
  return (meant ?? []).map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }));
}

/** Place of the key at `path`, or of the nearest part above it that the document has. */
function toPlaceOf(
  path: readonly PropertyKey[],
  { document, lines }: Omit<Source, 'schema'>,
): Pick<FileProblem, 'line' | 'column'> {
  for (let length = path.length; length > 0; length -= 1) {
    const parent = document.getIn(path.slice(0, length - 1), true);
    const last = path[length - 1];
    const key = isMap(parent)
      ? parent.items.find((item) => isNode(item.key) && String(item.key) === String(last))?.key
      : null;
    const node = key ?? document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return toPlace(lines, node.range[0]);
  }
  return { line: 1, column: 1 };
}

function toPlace(lines: LineCounter, offset: number): Pick<FileProblem, 'line' | 'column'> {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(1, line), column: Math.max(1, col) };
}

function toFirstLine(message: string): string {
  if (message.startsWith(DEEP)) return 'the file is nested too deeply';
  return (message.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:?$/u, '').slice(0, 300);
}
