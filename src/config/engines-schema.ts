import { z } from 'zod';
import {
  type DeclaredEngine,
  ENGINE_KINDS,
  type EngineKind,
  type EngineSettings,
  GENERIC_FORMATS,
  type GenericFormat,
  OUTPUTS,
  TARGET_MODES,
} from '../core/model/engine.ts';
import { SEVERITIES } from '../core/model/finding.ts';
import { MAX_ENGINE_SECONDS } from '../core/model/policy.ts';
import type { EnginesLayer } from '../core/policy/merge-engines.ts';
import { findVariableFault } from './engine-variables.ts';
import { PathGlob } from './path-glob.ts';

const MAX_ENGINES = 50;
const MAX_ENTRIES = 100;
const MAX_ARGUMENT_LENGTH = 4096;
const ID = /^[a-z0-9]+(?:-[a-z0-9]+)*$/u;
const MAX_ID_LENGTH = 50;
const REPORT = '{report}';
const TARGETS = '{targets}';

const path = z.string().min(1).max(1024);
const argument = z
  .string()
  .max(MAX_ARGUMENT_LENGTH)
  .refine((text) => !text.includes('\u0000'), 'an argument holds no NUL');
const codes = (description: string): z.ZodExactOptional<z.ZodArray<z.ZodInt>> =>
  z.array(z.int().min(0).max(255)).max(256).meta({ description }).exactOptional();

function key<Schema extends z.ZodType>(schema: Schema, description: string): z.ZodExactOptional<Schema> {
  return schema.meta({ description }).exactOptional();
}

const variables = z.record(z.string().max(64), z.string().max(MAX_ARGUMENT_LENGTH)).superRefine((given, context) => {
  for (const name of Object.keys(given).slice(0, MAX_ENTRIES)) {
    const message = findVariableFault(name);
    if (message !== null) context.addIssue({ code: 'custom', path: [name], message });
  }
  if (Object.keys(given).length > MAX_ENTRIES) context.addIssue({ code: 'custom', message: 'too many variables' });
});

/** The settings of one engine. */
const Entry = z
  .strictObject({
    enabled: key(z.boolean(), 'false: it does not run, and is listed as skipped.'),
    paths: key(z.array(path).max(1000), 'What it looks at; left out: everything. An empty list is an error.'),
    config: key(path, 'Its configuration file; left out: it finds its own.'),
    args: key(z.array(argument).max(MAX_ENTRIES), 'Further arguments, in this order.'),
    env: key(variables, 'Variables to set for it.'),
    profile: key(z.string().min(1).max(100), 'Any text; runs of different profiles are not compared.'),
    cwd: key(path, 'Folder that it runs in.'),
    exitCodes: key(
      z.strictObject({
        success: codes('Nothing is wrong.'),
        diagnostic: codes('It ran, and found something.'),
        toolFailure: codes('It did not do its work, whatever it wrote.'),
      }),
      'What its exit codes mean; each list replaces the built-in one, and no code may be in two.',
    ),
    timeoutSeconds: key(z.int().min(1).max(MAX_ENGINE_SECONDS), 'How long one run may take.'),
    required: key(z.boolean(), 'The check fails where it cannot run.'),
    command: key(
      z.array(argument, 'expected a list: a program and its arguments; no shell runs it').min(1).max(MAX_ENTRIES),
      'A tool of your own: program and arguments, run without a shell. `{report}` is the path to write to, `{targets}` alone becomes the paths to look at.',
    ),
    format: key(z.enum(GENERIC_FORMATS), 'What the command writes. With `command` only.'),
    kind: key(z.enum(ENGINE_KINDS), 'What the command looks for. With `command` only; left out: as `format` says.'),
    globs: key(
      z.array(PathGlob).min(1).max(MAX_ENTRIES),
      'Files that concern the command. With `command` only; left out: all.',
    ),
    targets: key(
      z.enum(TARGET_MODES),
      'What `{targets}` becomes. With `command` only; left out: files where it is in the command, else the project.',
    ),
    from: key(
      z.enum(OUTPUTS),
      'Where the command writes. With `command` only; left out: a file where `{report}` is in it, else stdout.',
    ),
    matcher: key(path, 'File of the problem matcher. With `format: matcher` only.'),
  })
  .superRefine((given, context) => {
    for (const [name, message] of findFaults(given)) context.addIssue({ code: 'custom', path: [name], message });
  });

type Given = z.output<typeof Entry>;
type Fault = readonly [key: keyof Given, message: string];

const DECLARING = ['format', 'kind', 'globs', 'targets', 'from', 'matcher'] as const;

function findFaults(given: Given): readonly Fault[] {
  if (given.command === undefined)
    return DECLARING.filter((name) => given[name] !== undefined).map((name) => [name, 'only beside `command`']);
  if (given.format === undefined) return [['command', '`format` must say what it writes']];
  return [...findMatcherFaults(given), ...findKindFaults(given, given.format), ...findCommandFaults(given)];
}

function findMatcherFaults({ format, matcher }: Given): readonly Fault[] {
  if (format === 'matcher') return matcher === undefined ? [['format', '`matcher` must name its file']] : [];
  return matcher === undefined ? [] : [['matcher', 'only with `format: matcher`']];
}

function findKindFaults({ kind }: Given, format: GenericFormat): readonly Fault[] {
  if (kind === undefined) return [];
  const isOfCoverage = KIND_OF_FORMAT[format] === 'coverage';
  return isOfCoverage === (kind === 'coverage') ? [] : [['kind', `cannot be ${kind} where the format is ${format}`]];
}

function findCommandFaults({ command = [], from, targets }: Given): readonly Fault[] {
  const [program, ...rest] = command;
  const hasTargets = rest.includes(TARGETS);
  const hasReport = rest.some((text) => text.includes(REPORT));
  return [
    ...(program?.trim() === '' ? ([['command', 'names no program']] as const) : []),
    ...(from === 'file' && !hasReport ? ([['from', '`{report}` must be in the command']] as const) : []),
    ...(from !== undefined && from !== 'file' && hasReport
      ? ([['from', 'must be file where `{report}` is in the command']] as const)
      : []),
    ...(targets !== undefined && (targets === 'project') === hasTargets
      ? ([['targets', hasTargets ? 'not needed for the whole project' : '`{targets}` must be in the command']] as const)
      : []),
  ];
}

const KIND_OF_FORMAT: Readonly<Record<GenericFormat, EngineKind>> = {
  sarif: 'lint',
  matcher: 'lint',
  jsonl: 'lint',
  junit: 'test',
  lcov: 'coverage',
  istanbul: 'coverage',
};

function toSettings(given: Given): Partial<EngineSettings> {
  const { command, format, kind, globs, targets, from, matcher, ...settings } = given;
  if (command === undefined || format === undefined) return settings;
  const declared: DeclaredEngine = {
    command,
    format,
    kind: kind ?? KIND_OF_FORMAT[format],
    globs: globs ?? ['**/*'],
    targetMode: targets ?? (command.includes(TARGETS) ? 'files' : 'project'),
    from: from ?? (command.some((text) => text.includes(REPORT)) ? 'file' : 'stdout'),
    matcher: matcher ?? null,
    matcherText: null,
  };
  return { ...settings, declared };
}

const Engine = z
  .union([z.boolean(), z.null(), Entry], 'expected true, false, or the settings of the engine')
  .transform((given) => (typeof given === 'boolean' || given === null ? { enabled: given ?? true } : toSettings(given)))
  .meta({ description: 'true: it runs; false: it does not; or what it is set to.' });

const Engines = z
  .strictObject({
    auto: key(z.boolean(), 'Run also the known tools that the repository shows to use.'),
    failLevel: key(z.enum(SEVERITIES), 'New findings of at least this severity fail the check; left out: medium.'),
  })
  .catchall(Engine)
  .superRefine((given, context) => {
    const ids = Object.keys(given).filter((name) => name !== 'auto' && name !== 'failLevel');
    if (ids.length > MAX_ENGINES) context.addIssue({ code: 'custom', message: 'there are too many engines' });
    for (const id of ids.slice(0, MAX_ENGINES)) {
      const message = 'an engine has a name of lower case letters, digits and hyphens, of at most 50 characters';
      if (!ID.test(id) || id.length > MAX_ID_LENGTH) context.addIssue({ code: 'custom', path: [id], message });
    }
  })
  .transform(
    ({ auto, failLevel, ...engines }): EnginesLayer => ({
      ...(auto === undefined ? {} : { auto }),
      ...(failLevel === undefined ? {} : { failLevel }),
      engines,
    }),
  );

/** `engines` of a policy file: `auto`, off, or a mapping of engines by name with `auto` and `failLevel`. */
export const EnginesSetting = z
  .union(
    [z.literal('auto'), z.literal('off'), z.literal(false), z.null(), Engines],
    'expected auto, off, or engines by name',
  )
  .transform((given): EnginesLayer | null => {
    if (given === 'auto') return { auto: true };
    return given === 'off' || given === false ? null : given;
  });
