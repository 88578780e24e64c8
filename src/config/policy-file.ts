import { type Document, isMap, isNode, LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';
import { MAX_NAME_GLOB_LENGTH } from '../core/ci/check-name-glob.ts';
import { findNearest } from '../core/commands/find-nearest.ts';
import { MAX_PATH_GLOB_LENGTH } from '../core/judge/path-globs.ts';
import { DEFAULT_POLICY } from '../core/model/default-policy.ts';
import type { Policy } from '../core/model/policy.ts';

/** A larger policy file is refused unread. In bytes. */
export const MAX_POLICY_BYTES = 65_536;

const MAX_ENTRIES = 100;
const MAX_PROBLEMS = 20;
const DEEP = 'Maximum call stack size exceeded';

const seconds = z.int().min(0).max(86_400);
/** Down to three seconds: for a repository whose tests take no longer, and for trying things out. */
const minutes = z.number().min(0.05).max(360);
const globs = (maxLength: number) => z.array(z.string().min(1).max(maxLength)).max(MAX_ENTRIES);

const command = z.string().trim().min(1).max(4096);
const commands = (minCount: number) =>
  z
    .union(
      [command, z.array(command).min(minCount).max(MAX_ENTRIES)],
      'expected a command, or a list of commands, as text',
    )
    .transform((given) => (typeof given === 'string' ? [given] : given));

const { ci, changes } = DEFAULT_POLICY;

/** `.github/ratchet.yml`: what is left out stands at `DEFAULT_POLICY`, an unknown key is an error. */
export const PolicyFile = z.strictObject({
  version: z.literal(1).default(1),
  maxAttempts: z.int().min(0).max(20).default(DEFAULT_POLICY.maxAttempts),
  maxLaunchesPerDay: z.int().min(0).max(200).default(DEFAULT_POLICY.maxLaunchesPerDay),
  ci: z
    .strictObject({
      settleSeconds: seconds.default(ci.settleSeconds),
      staleTimeoutSeconds: seconds.default(ci.staleTimeoutSeconds),
      timeoutSeconds: z.int().min(60).max(604_800).default(ci.timeoutSeconds),
      required: z.array(z.string().min(1).max(256)).min(1).max(MAX_ENTRIES).nullable().default(null),
      ignore: globs(MAX_NAME_GLOB_LENGTH).default([]),
    })
    .prefault({}),
  setup: commands(0).default([]),
  validate: commands(1).nullable().default(null),
  sessionTimeoutMinutes: minutes.default(DEFAULT_POLICY.sessionTimeoutMinutes),
  validateTimeoutMinutes: minutes.default(DEFAULT_POLICY.validateTimeoutMinutes),
  changes: z
    .strictObject({
      allowedPaths: globs(MAX_PATH_GLOB_LENGTH).min(1).nullable().default(null),
      protectedPaths: globs(MAX_PATH_GLOB_LENGTH).default([]),
      maxFiles: z.int().min(1).max(10_000).default(changes.maxFiles),
      maxLines: z.int().min(1).max(1_000_000).default(changes.maxLines),
      maxBytes: z.int().min(1).max(10_485_760).default(changes.maxBytes),
    })
    .prefault({}),
});

/** One thing that is wrong with a policy file; `line` and `column` start at 1. */
export interface PolicyProblem {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** What a policy file says. */
export type PolicyParse =
  | { readonly kind: 'ok'; readonly policy: Policy }
  | { readonly kind: 'invalid'; readonly problems: readonly PolicyProblem[] };

/**
 * Reads `.github/ratchet.yml` over the defaults; no file and an empty one give the defaults. A file with any fault gives its
 * problems, each with its place, and never half a policy. Never throws, whatever the text is.
 */
export function parsePolicy(text: string | null): PolicyParse {
  if (text === null || text.trim() === '') return { kind: 'ok', policy: DEFAULT_POLICY };
  if (new TextEncoder().encode(text).length > MAX_POLICY_BYTES) {
    return invalid([{ line: 1, column: 1, message: `the file is larger than ${MAX_POLICY_BYTES} bytes` }]);
  }
  const lines = new LineCounter();
  const read = readDocument(text, lines);
  if (read.kind === 'invalid') return read;
  if (read.value === null) return { kind: 'ok', policy: DEFAULT_POLICY };
  const parsed = PolicyFile.safeParse(read.value);
  if (parsed.success) return toPolicy(parsed.data);
  return invalid(parsed.error.issues.flatMap((issue) => toProblems(issue, read.document, lines)));
}

type Read =
  | { readonly kind: 'read'; readonly document: Document.Parsed; readonly value: unknown }
  | Extract<PolicyParse, { kind: 'invalid' }>;

/** `maxAliasCount: 0` refuses aliases altogether: nothing here needs them, and nested ones grow without end. */
function readDocument(text: string, lines: LineCounter): Read {
  try {
    const document = parseDocument(text, {
      lineCounter: lines,
      uniqueKeys: true,
      version: '1.2',
      merge: false,
      logLevel: 'error',
    });
    const faults = [...document.errors, ...document.warnings];
    if (faults.length === 0) return { kind: 'read', document, value: document.toJS({ maxAliasCount: 0 }) };
    return invalid(faults.map(({ pos, message }) => ({ ...toPlace(lines, pos[0]), message: toFirstLine(message) })));
  } catch {
    return invalid([{ line: 1, column: 1, message: 'the file uses YAML aliases, or cannot be read as plain data' }]);
  }
}

function invalid(problems: readonly PolicyProblem[]): Extract<PolicyParse, { kind: 'invalid' }> {
  return {
    kind: 'invalid',
    problems: [...problems].sort((a, b) => a.line - b.line || a.column - b.column).slice(0, MAX_PROBLEMS),
  };
}

function toPolicy(file: z.output<typeof PolicyFile>): PolicyParse {
  const { maxAttempts, maxLaunchesPerDay, setup, validate, sessionTimeoutMinutes, validateTimeoutMinutes } = file;
  const policy = {
    maxAttempts,
    maxLaunchesPerDay,
    ci: file.ci,
    setup,
    validate,
    sessionTimeoutMinutes,
    validateTimeoutMinutes,
    changes: file.changes,
  };
  return { kind: 'ok', policy };
}

type Path = readonly PropertyKey[];

/** One problem for each unknown key, with the key it might be; else the message with the path it is about. */
function toProblems(issue: z.core.$ZodIssue, document: Document.Parsed, lines: LineCounter): readonly PolicyProblem[] {
  const where = issue.path.length === 0 ? 'the file' : `\`${issue.path.map(String).join('.')}\``;
  if (issue.code !== 'unrecognized_keys') {
    return [{ ...toPlaceOf(document, issue.path, lines), message: `${where}: ${toFirstLine(issue.message)}` }];
  }
  const known = toKnownKeys(issue.path);
  return issue.keys.map((key) => {
    const nearest = findNearest(key, known, Math.max(1, Math.floor(key.length / 3)));
    const hint = nearest === null ? `known keys are ${known.join(', ')}` : `did you mean \`${nearest}\`?`;
    const name = [...issue.path.map(String), key.slice(0, 80)].join('.');
    return {
      ...toPlaceOf(document, [...issue.path, key], lines),
      message: `unknown key ${JSON.stringify(name)}; ${hint}`,
    };
  });
}

function toKnownKeys(path: Path): readonly string[] {
  if (path[0] === 'ci') return Object.keys(PolicyFile.shape.ci.unwrap().shape);
  if (path[0] === 'changes') return Object.keys(PolicyFile.shape.changes.unwrap().shape);
  return Object.keys(PolicyFile.shape);
}

/** Place of the key at `path`, or of the nearest part above it that the document has. */
function toPlaceOf(
  document: Document.Parsed,
  path: Path,
  lines: LineCounter,
): { readonly line: number; readonly column: number } {
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

function toPlace(lines: LineCounter, offset: number): { readonly line: number; readonly column: number } {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(1, line), column: Math.max(1, col) };
}

function toFirstLine(message: string): string {
  if (message.startsWith(DEEP)) return 'the file is nested too deeply';
  return (message.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:?$/u, '').slice(0, 300);
}
