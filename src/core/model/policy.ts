import { ENGINE_KINDS, type ExitCodes, GENERIC_FORMATS, OUTPUTS, TARGET_MODES } from './engine.ts';
import { SEVERITIES } from './finding.ts';

/** A file that a command can regenerate (a lockfile), so that a conflict in it needs no agent. */
export interface Regenerable {
  /** Glob of the file's path. */
  readonly path: string;
  /** Shell command, run in the file's folder, without network. */
  readonly command: string;
}

/** The value type of each kind of key; `config/` has a schema for each kind. */
interface Kinds {
  readonly switch: boolean;
  readonly number: number;
  /** One of the `values` of its declaration, least first. */
  readonly choice: string;
  readonly label: string;
  /** A label that begins with "ratchet". */
  readonly ownLabel: string;
  readonly checkNames: readonly string[];
  /** Globs of check names. */
  readonly nameGlobs: readonly string[];
  /** Globs of logins. */
  readonly logins: readonly string[];
  /** Exact host names in lower case. */
  readonly hosts: readonly string[];
  readonly pathGlobs: readonly string[];
  /** Shell commands; the file may have a single one as a string. */
  readonly commands: readonly string[];
  readonly regenerables: readonly Regenerable[];
  readonly engines: EnginesPolicy;
  readonly text: string;
  readonly path: string;
  readonly paths: readonly string[];
  readonly arguments: readonly string[];
  /** A program and its arguments. */
  readonly program: readonly string[];
  /** Variables of the environment by name. */
  readonly variables: Readonly<Record<string, string>>;
  readonly exitCodes: Partial<ExitCodes>;
  readonly codes: readonly number[];
}
type Kind = keyof Kinds;

/** Inclusive bounds of a number. */
export interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly isWhole: boolean;
}

type SettingOf<Name extends Kind> = {
  readonly kind: Name;
  /** The value may be null; `unset`: a file cannot write the null, which means that no layer sets the key. */
  readonly nullable?: true | 'unset';
  /** Each layer adds to the list, instead of replacing it. */
  readonly grows?: true;
  /** The value if no layer sets the key. */
  readonly default: Kinds[Name] | null;
  /** Its description in docs/policy.md, one line. */
  readonly doc: string;
  /** The ceilings that an operator may set: any value of the key, only this value, or these numbers. */
  readonly ceiling?:
    | 'any'
    | { readonly only: string | boolean | null }
    | { readonly each: Readonly<Record<string, Bounds>> };
  /** Its name in `DecisionPolicy`. With `is`, the decision gets only whether the key has this value. */
  readonly decision?: string | { readonly name: string; readonly is: string };
} & (Name extends 'number' ? Bounds : unknown) &
  (Name extends 'choice' ? { readonly values: readonly string[] } : unknown);

/** The declaration of one key. */
export type Setting = { readonly [Name in Kind]: SettingOf<Name> }[Kind];

/** The declaration of a group of keys. */
export interface Section {
  readonly doc: string;
  readonly keys: Declared;
}

/** Declarations by key. */
export interface Declared {
  readonly [key: string]: Setting | Section;
}

/** Maximum time limit of one run of an engine. */
export const MAX_ENGINE_SECONDS = 3600;
const ENGINE_SECONDS = { min: 1, max: MAX_ENGINE_SECONDS, isWhole: true } as const;
/** The minimum is three seconds, for repositories with short tests and for experiments. */
const MINUTES = { min: 0.05, max: 360, isWhole: false } as const;
/** The operator can force a switch off, but not on. */
const OFF = { only: false } as const;

const whole = (min: number, max: number) => keyOf({ kind: 'number', min, max, isWhole: true });
const seconds = whole(0, 86_400);
const minutes = keyOf({ kind: 'number', ...MINUTES });
const plain = <const Name extends Kind>(kind: Name) => keyOf({ kind });
const unset = <const Form extends object>(form: Form, doc: string) =>
  keyOf({ ...form, nullable: 'unset' })({ default: null }, doc);
const orNull = <const Name extends Kind>(kind: Name) => keyOf({ kind, nullable: true });
const budgetOf = (bounds: Bounds) => keyOf({ kind: 'number', nullable: true, ...bounds });
const toggle = plain('switch');
const nameGlobs = plain('nameGlobs');
const logins = plain('logins');
const section = <const Keys extends object>(doc: string, keys: Keys) => ({ doc, keys });
const choice = <const Values extends readonly string[]>(values: Values) => keyOf({ kind: 'choice', values });

/**
 * Every key of a policy, in the order of the file. Types, defaults, the schemas of the policy file and the operator's ceilings,
 * the clamping, `DecisionPolicy` and the table in docs/policy.md are derived from this declaration.
 */
export const POLICY_KEYS = {
  mode: choice(['observe', 'suggest', 'push'])(
    { default: 'push', ceiling: 'any', decision: 'mode' },
    'What Ratchet does with what it decides: only tell, offer a patch on the check run, or push.',
  ),
  maxAttempts: whole(0, 20)(
    { default: 3, ceiling: 'any', decision: 'maxAttempts' },
    'Pushing fixups, each counted, before a person is asked.',
  ),
  maxLaunchesPerDay: whole(0, 200)(
    { default: 20, ceiling: 'any', decision: 'maxLaunchesPerDay' },
    'Fixups launched within 24 hours, pushed or not, before a person is asked.',
  ),
  ci: section('What counts as the verdict of CI, and what is done about red.', {
    settleSeconds: seconds(
      { default: 60 },
      'A head younger than this is not called green, and its silence means nothing.',
    ),
    staleTimeoutSeconds: seconds(
      { default: 300, decision: 'staleCiTimeoutSeconds' },
      'After a push of Ratchet, or an update of the branch: how long CI may take to start.',
    ),
    timeoutSeconds: whole(60, 604_800)(
      { default: 21_600, decision: 'ciTimeoutSeconds' },
      'How long CI may run before a person is asked.',
    ),
    required: orNull('checkNames')({ default: null }, 'Names of the checks that alone count; null: all of them.'),
    ignore: nameGlobs({ default: [] }, 'Names of checks that never count; `*`, `?` and `{a,b}` are special.'),
    rerunFlaky: toggle(
      { default: true, ceiling: OFF },
      'Run failed jobs again, once, where they look flaky or the infrastructure failed, before an agent is launched.',
    ),
    fixRedOnBase: toggle(
      { default: false, ceiling: OFF, decision: 'fixRedOnBase' },
      'Launch an agent also where every red job is red on the merge base too.',
    ),
    stopOnSameFailure: toggle(
      { default: false, decision: 'stopOnSameFailure' },
      'Ask a person when a fixup was pushed and CI then failed in exactly the same way.',
    ),
  }),
  merge: section('What is done about the base branch.', {
    resolveConflicts: toggle(
      { default: true, ceiling: OFF, decision: 'resolveConflicts' },
      'Resolve conflicts with the base branch.',
    ),
    updateBranch: toggle(
      { default: true, ceiling: OFF, decision: 'updateBranch' },
      "Merge the base branch into a head that the base's rules demand to be up to date.",
    ),
    regenerate: plain('regenerables')(
      { default: [] },
      'Files that a command makes anew, so that a conflict in them needs no agent. The first entry whose path matches counts. A lockfile without an entry is brought up to date by its package manager where `install.detect` and `install.registries` are on.',
    ),
  }),
  reviews: section('What is done about review comments.', {
    fix: toggle({ default: true, ceiling: OFF, decision: 'fixReviews' }, 'Work on review comments.'),
    quietSeconds: seconds(
      { default: 60, decision: 'reviewQuietSeconds' },
      'How old the newest comment must be before a fixup starts, so that a burst of comments is one fixup.',
    ),
    allowBots: logins(
      { default: [] },
      'Logins (globs) of bots whose threads and reviews count, with or without `[bot]`.',
    ),
    ignore: logins(
      { default: [] },
      'Logins (globs) of people and bots whose threads and reviews never count; one that ends in `[bot]` is of bots alone.',
    ),
    resolveThreads: toggle({ default: true, ceiling: OFF }, 'Resolve a thread that was fixed and pushed.'),
  }),
  fix: choice(['ci', 'engines'])(
    { default: 'ci', ceiling: { only: 'ci' }, decision: { name: 'fixEngines', is: 'engines' } },
    'Whether only what CI reports is fixed, or also the new findings of the engines (`engines`), once CI is not red.',
  ),
  drafts: choice(['work', 'hold'])(
    { default: 'work', decision: { name: 'holdDrafts', is: 'hold' } },
    'Whether a draft is worked on.',
  ),
  autoMerge: choice(['hold', 'disarm'])(
    { default: 'hold', ceiling: { only: 'hold' }, decision: { name: 'disarmAutoMerge', is: 'disarm' } },
    'Where auto-merge could merge a push that nobody reviewed: hold for a person, or turn auto-merge off first.',
  ),
  labels: section('Labels that people steer Ratchet with.', {
    enable: orNull('ownLabel')(
      { default: null, ceiling: { only: null } },
      'Label that enables Ratchet when somebody with write permission adds it, and disables it when taken off; begins with "ratchet"; null: none.',
    ),
    hold: orNull('label')({ default: 'ratchet:hold' }, 'Label that holds Ratchet while it is there; null: none.'),
  }),
  comment: choice(['on-action', 'never'])(
    { default: 'on-action' },
    'One comment, edited in place, where a person must act.',
  ),
  setup: plain('commands')(
    { default: [] },
    'Shell commands that prepare dependencies, in a phase of their own, with no network but what `install` allows, 15 minutes for each; kept by lockfile.',
  ),
  install: section('What the phase of `setup` may read, and what is installed where the policy names no `setup`.', {
    detect: toggle(
      { default: true, ceiling: OFF },
      'Where `setup` is empty, install what the lockfiles at the root name; see below.',
    ),
    registries: toggle(
      { default: true, ceiling: OFF },
      "Commands may read packages of npm, PyPI, Go and cargo, through Ratchet's proxy.",
    ),
    scripts: toggle({ default: false, ceiling: OFF }, 'Code of packages may run while they are installed.'),
    hosts: plain('hosts')(
      { default: [] },
      'Exact names of further hosts that commands may connect to, at port 443; only those that the operator lists too.',
    ),
  }),
  validate: orNull('commands')(
    { default: null },
    "Shell commands that must exit 0 before anything is pushed; null: the repository's own test command is looked for.",
  ),
  agent: section('Which agent works, and what one fixup may cost.', {
    name: orNull('text')({ default: null }, "Name of one of the operator's agents; null: the operator's first."),
    model: orNull('text')(
      { default: null },
      'One of the models that the operator configured for the agent; null: the first of them.',
    ),
    budget: section("What one fixup may use of a model, within the operator's own budgets.", {
      usd: budgetOf({ min: 0, max: 10_000, isWhole: false })(
        { default: null, ceiling: 'any' },
        'USD; null: as much as the operator allows.',
      ),
      calls: budgetOf({ min: 0, max: 100_000, isWhole: true })(
        { default: null, ceiling: 'any' },
        'Calls to the model; null: as many as the operator allows.',
      ),
      tokens: budgetOf({ min: 0, max: 1_000_000_000, isWhole: true })(
        { default: null, ceiling: 'any' },
        'Tokens of all kinds together; null: as many as the operator allows.',
      ),
    }),
  }),
  sessionTimeoutMinutes: minutes({ default: 30, ceiling: 'any' }, 'How long the agent may work.'),
  validateTimeoutMinutes: minutes(
    { default: 10, ceiling: 'any' },
    'How long all validation commands may take together.',
  ),
  changes: section('What one fixup may change.', {
    allowedPaths: orNull('pathGlobs')(
      { default: null },
      'Globs that the agent may change; null: every tracked path but the protected ones.',
    ),
    protectedPaths: plain('pathGlobs')(
      { default: [], grows: true },
      'Globs that the agent may not change, beside the built-in ones and those of the layers below.',
    ),
    tests: choice(['hold', 'judge'])(
      { default: 'judge', ceiling: { only: 'hold' } },
      'What becomes of a change to tests: `judge` lets those pass that take nothing away, `hold` lets every one of them wait for a person.',
    ),
    maxFiles: whole(1, 10_000)({ default: 100, ceiling: 'any' }, 'Most files.'),
    maxLines: whole(1, 1_000_000)({ default: 1000, ceiling: 'any' }, 'Most inserted and deleted lines together.'),
    maxBytes: whole(1, 10_485_760)({ default: 1_048_576, ceiling: 'any' }, 'Most bytes of new content.'),
  }),
  tasks: section('How the findings of a repository are worked off (`ratchet run`).', {
    maxWorkers: whole(1, 16)({ default: 2, ceiling: 'any' }, 'Tools that run at the same time.'),
    maxAgentWorkers: whole(1, 16)({ default: 2, ceiling: 'any' }, 'Agents that work at the same time.'),
    maxTasks: whole(1, 500)(
      { default: 50, ceiling: 'any' },
      'Tasks of one run; what is left is named, and not worked on.',
    ),
    retries: whole(0, 10)({ default: 2, ceiling: 'any' }, 'Attempts at a task after the first one.'),
    systemicRetries: whole(0, 10)(
      { default: 3, ceiling: 'any' },
      'The same for a task about one cause of the faults of many files.',
    ),
    systemicFiles: whole(2, 1000)(
      { default: 2 },
      'Files whose faults have one signature before they become one task, which their other tasks wait for.',
    ),
    maxMinutes: keyOf({ kind: 'number', ...MINUTES, max: 10_080 })(
      { default: 720, ceiling: 'any' },
      'How long a run may take. Nothing more is started then, and the run ends with its report.',
    ),
    checkpointTasks: whole(1, 1000)({ default: 5 }, 'Tasks that succeed before everything is collected again.'),
    checkpointMinutes: minutes({ default: 30 }, 'The same by time; whichever comes first.'),
    coverageBelow: whole(0, 100)({ default: 80 }, 'A file whose covered percentage is below this is a gap to close.'),
    coverageDelta: whole(1, 100)(
      { default: 5 },
      'Percentage points that the coverage of such a file must grow by, or up to 100 %.',
    ),
    quarantine: toggle(
      { default: false, ceiling: OFF },
      'A test that nobody could repair may be proposed for quarantine. A person must accept it.',
    ),
    quarantineOwner: orNull('text')({ default: null }, 'Who owns quarantined tests, by name; null: nobody is named.'),
    quarantineDays: whole(1, 365)({ default: 14 }, 'When a quarantine expires.'),
    gitStrategy: choice(['clone'])(
      { default: 'clone' },
      'Each task works in a private clone. Worktrees would share configuration and refs with each other.',
    ),
  }),
  engines: orNull('engines')(
    {
      default: null,
      ceiling: { each: { timeoutSeconds: ENGINE_SECONDS, totalMinutes: MINUTES } },
    },
    'Linters, type checkers and tests that Ratchet runs itself, told by the check run "Ratchet / quality": auto, or by name; null: none.',
  ),
} as const;

/** The settings of all engines. */
export const ENGINES_KEYS = {
  auto: toggle({ default: false }, 'Run also the known tools that the repository shows to use.'),
  failLevel: choice(SEVERITIES)({ default: 'medium' }, 'New findings of at least this severity fail the check.'),
} as const;

/** The settings of the projects of all engines, under the key `projects`. */
export const PROJECTS_KEYS = {
  add: plain('paths')(
    { default: [] },
    'Folders that are projects although nothing configures an engine there, of each engine that is used and has files in them.',
  ),
  exclude: plain('pathGlobs')(
    { default: [] },
    'Folders that are no projects of their own; their files belong to the project around them, if there is one.',
  ),
} as const;

/** The settings of one engine, in the order of the documentation. null and empty values mean the catalogue's default. */
export const ENGINE_KEYS = {
  enabled: toggle({ default: true }, 'false: it does not run, and is listed as skipped.'),
  paths: unset(
    { kind: 'paths' },
    'What it looks at; left out: everything. An empty list is an error and switches the engine off.',
  ),
  config: unset({ kind: 'path' }, 'Its configuration file; left out: it finds its own.'),
  args: plain('arguments')({ default: [] }, 'Further arguments, in this order.'),
  env: plain('variables')({ default: {} }, 'Variables to set for it.'),
  profile: unset({ kind: 'text' }, 'Any text; runs of different profiles are not compared.'),
  cwd: unset({ kind: 'path' }, 'Folder that it runs in, as one project.'),
  projects: unset(
    { kind: 'paths' },
    'Its projects: it runs in each of these folders. Left out: the folders whose configuration it would take itself.',
  ),
  exitCodes: plain('exitCodes')(
    { default: {} },
    'What its exit codes mean; each list replaces the built-in one, and no code may be in two.',
  ),
  ignoreExit: plain('codes')(
    { default: [] },
    'Exit codes that mean that all is well where nothing was found; `exitCodes` comes first.',
  ),
  timeoutSeconds: unset({ kind: 'number', ...ENGINE_SECONDS }, 'How long one run may take.'),
  required: toggle({ default: false }, 'The check fails where it cannot run.'),
} as const;

/** What the policy says of a tool that Ratchet does not know, beside `ENGINE_KEYS`. The defaults follow from each other. */
export const DECLARATION_KEYS = {
  command: unset(
    { kind: 'program' },
    'A tool of your own: program and arguments, run without a shell. `{report}` is the path to write to, `{targets}` alone becomes the paths to look at.',
  ),
  format: unset({ kind: 'choice', values: GENERIC_FORMATS }, 'What the command writes. With `command` only.'),
  kind: unset(
    { kind: 'choice', values: ENGINE_KINDS },
    'What the command looks for. With `command` only; left out: as `format` says.',
  ),
  globs: unset({ kind: 'pathGlobs' }, 'Files that concern the command. With `command` only; left out: all.'),
  targets: unset(
    { kind: 'choice', values: TARGET_MODES },
    'What `{targets}` becomes. With `command` only; left out: files where it is in the command, else the project.',
  ),
  from: unset(
    { kind: 'choice', values: OUTPUTS },
    'Where the command writes. With `command` only; left out: a file where `{report}` is in it, else stdout.',
  ),
  matcher: unset({ kind: 'path' }, 'File of the problem matcher. With `format: matcher` only.'),
  emptyMeansClean: unset(
    { kind: 'switch' },
    'true: a command that ends well and writes nothing has found nothing. With `format: jsonl` or `matcher` only; left out: it has failed.',
  ),
  fix: unset(
    { kind: 'program' },
    'Its fixer, for `ratchet check --fix`: a command that changes the files in `{targets}`, and exits with 0 or 1. With `command` only.',
  ),
} as const;

/** Returns a function that declares one key of this kind from its default, further properties and its description. */
function keyOf<const Form extends object>(form: Form) {
  return <const More extends { readonly default: unknown }>(
    more: More,
    doc: string,
  ): Form & More & { readonly doc: string } => ({ ...form, ...more, doc });
}

type OrNull<One> = One extends { readonly nullable: true | 'unset' } ? null : never;

/** The value type of a key or section. */
export type ValueOf<One> = One extends { readonly keys: infer Keys }
  ? { readonly [Name in keyof Keys]: ValueOf<Keys[Name]> }
  : One extends { readonly values: readonly (infer Value)[] }
    ? Value
    : One extends { readonly kind: infer Name extends Kind }
      ? Kinds[Name] | OrNull<One>
      : never;

/**
 * The settings of one repository. `.github/ratchet.yml` on the pull request's base branch overrides the organisation's file,
 * which overrides the defaults. The operator's ceilings limit the result.
 */
export type Policy = { readonly [Name in keyof typeof POLICY_KEYS]: ValueOf<(typeof POLICY_KEYS)[Name]> };

/** What Ratchet does with its decisions: only report, offer a patch, or push. */
export type Mode = Policy['mode'];

type Values<Keys> = { readonly [Name in keyof Keys]: ValueOf<Keys[Name]> };

/** A tool of the repository: a command that writes a generic format. */
export interface DeclaredEngine
  extends Omit<
    { readonly [Name in keyof typeof DECLARATION_KEYS]: NonNullable<ValueOf<(typeof DECLARATION_KEYS)[Name]>> },
    'matcher' | 'fix'
  > {
  /** Path of the problem matcher's definition in the repository; only for the format `matcher`. */
  readonly matcher: string | null;
  /** Text of that file; null until it is read. */
  readonly matcherText: string | null;
  /** The command of its fixer; null: it has none. */
  readonly fix: readonly string[] | null;
}

/** The policy's settings of one engine. */
export interface EngineSettings extends Values<typeof ENGINE_KEYS> {
  /** Set for the repository's own engine. */
  readonly declared: DeclaredEngine | null;
}

/** The engines section of a policy. */
export interface EnginesPolicy extends Values<typeof ENGINES_KEYS> {
  readonly engines: Readonly<Record<string, EngineSettings>>;
  /** Left out if no file sets it. */
  readonly projects?: Values<typeof PROJECTS_KEYS>;
}
