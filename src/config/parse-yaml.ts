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
import { findNearValue } from './near-value.ts';
import { describeUnknownKey } from './unknown-key.ts';

/** Maximum size of a file in bytes. A larger one is refused without parsing. */
export const MAX_YAML_BYTES = 65_536;

const MAX_PROBLEMS = 20;
const DEEP = 'Maximum call stack size exceeded';
const ALIAS = 'YAML aliases are not taken: write it out here';

/** A problem in a file. `line` and `column` start at 1. */
export interface FileProblem {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** The result of parsing a file. */
export type YamlParse<Value> =
  | { readonly kind: 'ok'; readonly value: Value }
  | { readonly kind: 'invalid'; readonly problems: readonly FileProblem[] };

type Invalid = Extract<YamlParse<never>, { kind: 'invalid' }>;

/**
 * Parses a YAML 1.2 mapping with a schema. An empty file is an empty mapping. A file with any fault returns only its
 * problems, each with its place. Never throws.
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

/** A problem in the file that a variable names, as one line. */
export function toPlaced(variable: string, path: string, { line, column, message }: FileProblem): string {
  return `${variable}: ${path}, line ${String(line)}, column ${String(column)}: ${message}`;
}

/** Finds the place of the key at `path`, or of its nearest existing parent. */
export function findPlace(text: string, path: readonly string[]): Pick<FileProblem, 'line' | 'column'> {
  const lines = new LineCounter();
  const read = readDocument(text, lines);
  return read.kind === 'read' ? toPlaceOf(path, { document: read.document, lines }) : { line: 1, column: 1 };
}

type Read = { readonly kind: 'read'; readonly document: Document.Parsed; readonly value: unknown } | Invalid;

/**
 * Parses the text to plain data. Refuses all aliases: they are not needed, and nested ones can expand without limit.
 * Knows only the tags of plain data: the result of others (`!!set`) would look like an empty mapping.
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

/** Finds aliases, and the key `__proto__`, which would vanish in the conversion to plain data. */
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

/** Returns a problem with a suggestion for each unknown key; for other issues, the message with its path. */
function toProblems(issue: z.core.$ZodIssue, source: Source): readonly FileProblem[] {
  const inner = issue.code === 'invalid_union' ? findMeantIssues(issue) : [];
  if (inner.length > 0) return inner.flatMap((found) => toProblems(found, source));
  const where = issue.path.length === 0 ? 'the file' : `\`${issue.path.map(String).join('.')}\``;
  if (issue.code !== 'unrecognized_keys') {
    const message = `${where}: ${toFirstLine(issue.message)}${toNearText(issue, source)}`;
    return [{ ...toPlaceOf(issue.path, source), message }];
  }
  return issue.keys.map((key) => ({
    ...toPlaceOf([...issue.path, key], source),
    message: describeUnknownKey(source.schema, issue.path, key),
  }));
}

/** `; write 1800`, or nothing if no right value is near. */
function toNearText(issue: z.core.$ZodIssue, { document }: Source): string {
  const expected = {
    kind: issue.code === 'invalid_type' ? issue.expected : issue.code,
    values: issue.code === 'invalid_value' ? issue.values.filter((value) => typeof value === 'string') : [],
  };
  const near = findNearValue(String(issue.path.at(-1)), document.getIn(issue.path), expected);
  return near === null ? '' : `; write ${near}`;
}

/** Returns the issues of a union's mapping, if a mapping was given. */
function findMeantIssues(issue: z.core.$ZodIssueInvalidUnion): readonly z.core.$ZodIssue[] {
  const meant = issue.errors.find((issues) =>
    issues.some(({ code, path }) => code === 'unrecognized_keys' || code === 'custom' || typeof path[0] === 'string'),
  );
  return (meant ?? []).map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }));
}

/** The place of the key at `path`, or of its nearest existing parent. */
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
