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
    'What Ratchet does with a decision: only report it, offer a patch on the check run, or push.',
  ),
  maxAttempts: whole(0, 20)(
    { default: 3, ceiling: 'any', decision: 'maxAttempts' },
    'Fixups that may push before a person must act.',
  ),
  maxLaunchesPerDay: whole(0, 200)(
    { default: 20, ceiling: 'any', decision: 'maxLaunchesPerDay' },
    'Fixups that may start within 24 hours, pushed or not, before a person must act.',
  ),
  ci: section('What counts for the verdict of CI, and what Ratchet does if CI is red.', {
    settleSeconds: seconds(
      { default: 60 },
      'A head younger than this is not green yet, and missing results do not prove that there is no CI.',
    ),
    staleTimeoutSeconds: seconds(
      { default: 300, decision: 'staleCiTimeoutSeconds' },
      'How long CI may take to start after a push of Ratchet or an update of the branch.',
    ),
    timeoutSeconds: whole(60, 604_800)(
      { default: 21_600, decision: 'ciTimeoutSeconds' },
      'How long CI may run before a person must act.',
    ),
    required: orNull('checkNames')({ default: null }, 'Names of the only checks that count; null: all checks.'),
    ignore: nameGlobs({ default: [] }, 'Names of checks that never count; `*`, `?` and `{a,b}` are wildcards.'),
    rerunFlaky: toggle(
      { default: true, ceiling: OFF },
      'Re-run failed jobs once before an agent is launched, if they look flaky or the infrastructure failed.',
    ),
    fixRedOnBase: toggle(
      { default: false, ceiling: OFF, decision: 'fixRedOnBase' },
      'Launch an agent even if every red job is also red on the merge base.',
    ),
    stopOnSameFailure: toggle(
      { default: false, decision: 'stopOnSameFailure' },
      'A person must act if CI fails after a pushed fixup exactly as before.',
    ),
  }),
  merge: section('What Ratchet does about the base branch.', {
    resolveConflicts: toggle(
      { default: true, ceiling: OFF, decision: 'resolveConflicts' },
      'Resolve conflicts with the base branch.',
    ),
    updateBranch: toggle(
      { default: true, ceiling: OFF, decision: 'updateBranch' },
      'Merge the base branch into the head if the rules of the base branch require an up-to-date head.',
    ),
    regenerate: plain('regenerables')(
      { default: [] },
      'Files that a command regenerates, so a conflict in them needs no agent. The first entry whose path matches counts. If `install.detect` and `install.registries` are on, the package manager updates a lockfile without an entry.',
    ),
  }),
  reviews: section('What Ratchet does about review comments.', {
    fix: toggle({ default: true, ceiling: OFF, decision: 'fixReviews' }, 'Work on review comments.'),
    quietSeconds: seconds(
      { default: 60, decision: 'reviewQuietSeconds' },
      'How old the newest comment must be before a fixup starts, so several comments become one fixup.',
    ),
    allowBots: logins(
      { default: [] },
      'Logins (globs) of bots whose threads and reviews count, with or without `[bot]`.',
    ),
    ignore: logins(
      { default: [] },
      'Logins (globs) of people and bots whose threads and reviews never count; a login that ends in `[bot]` matches only bots.',
    ),
    resolveThreads: toggle({ default: true, ceiling: OFF }, 'Resolve a thread when its fix was pushed.'),
  }),
  fix: choice(['ci', 'engines'])(
    { default: 'ci', ceiling: { only: 'ci' }, decision: { name: 'fixEngines', is: 'engines' } },
    'What Ratchet fixes: only what CI reports (`ci`), or also new findings of the engines when CI is not red (`engines`).',
  ),
  drafts: choice(['work', 'hold'])(
    { default: 'work', decision: { name: 'holdDrafts', is: 'hold' } },
    'Whether Ratchet works on drafts.',
  ),
  autoMerge: choice(['hold', 'disarm'])(
    { default: 'hold', ceiling: { only: 'hold' }, decision: { name: 'disarmAutoMerge', is: 'disarm' } },
    'If auto-merge could merge a push without a review: hold for a person, or turn auto-merge off first.',
  ),
  labels: section('Labels with which people control Ratchet.', {
    enable: orNull('ownLabel')(
      { default: null, ceiling: { only: null } },
      'Label that enables Ratchet when a person with write permission adds it, and disables Ratchet when such a person removes it. It must begin with "ratchet"; null: none.',
    ),
    hold: orNull('label')({ default: 'ratchet:hold' }, 'Label that holds Ratchet while it is there; null: none.'),
  }),
  comment: choice(['on-action', 'never'])(
    { default: 'on-action' },
    'One comment, edited in place, if a person must act.',
  ),
  setup: plain('commands')(
    { default: [] },
    'Shell commands that prepare dependencies, in a separate phase. Their only network is what `install` allows. Each may take 15 minutes. The result is kept per lockfile.',
  ),
  install: section('What `setup` may read, and what Ratchet installs if the policy has no `setup`.', {
    detect: toggle(
      { default: true, ceiling: OFF },
      'If `setup` is empty, install what the lockfiles at the root name; see below.',
    ),
    registries: toggle(
      { default: true, ceiling: OFF },
      "Commands may read packages of npm, PyPI, Go and cargo, through Ratchet's proxy.",
    ),
    scripts: toggle({ default: false, ceiling: OFF }, 'Code of packages may run during their installation.'),
    hosts: plain('hosts')(
      { default: [] },
      'Exact names of other hosts that commands may connect to on port 443. The operator must list them too.',
    ),
  }),
  validate: orNull('commands')(
    { default: null },
    "Shell commands that must exit with 0 before Ratchet pushes; null: Ratchet looks for the repository's own test command.",
  ),
  agent: section('Which agent works, and what one fixup may cost.', {
    name: orNull('text')({ default: null }, "Name of one of the operator's agents; null: the operator's first."),
    model: orNull('text')(
      { default: null },
      'One of the models that the operator configured for the agent; null: the first of them.',
    ),
    budget: section("What the agent of one fixup may spend, within the operator's budgets.", {
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
      minutes: budgetOf({ min: 0, max: 1440, isWhole: false })(
        { default: null, ceiling: 'any' },
        'Minutes that the agent may work; null: as many as the operator allows. `sessionTimeoutMinutes` applies beside it.',
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
      'Globs of paths that the agent may change; null: every tracked path except the protected ones.',
    ),
    protectedPaths: plain('pathGlobs')(
      { default: [], grows: true },
      'Globs of paths that the agent may not change, in addition to the built-in ones and those of the layers below.',
    ),
    tests: choice(['hold', 'judge'])(
      { default: 'judge', ceiling: { only: 'hold' } },
      'How changes to tests are treated: `judge` accepts those that remove nothing, `hold` makes all of them wait for a person.',
    ),
    maxFiles: whole(1, 10_000)({ default: 100, ceiling: 'any' }, 'Maximum number of files.'),
    maxLines: whole(1, 1_000_000)(
      { default: 1000, ceiling: 'any' },
      'Maximum number of inserted and deleted lines together.',
    ),
    maxBytes: whole(1, 10_485_760)({ default: 1_048_576, ceiling: 'any' }, 'Maximum number of bytes of new content.'),
  }),
  tasks: section('How `ratchet run` works through the findings of a repository.', {
    maxWorkers: whole(1, 16)({ default: 2, ceiling: 'any' }, 'Tools that run at the same time.'),
    maxAgentWorkers: whole(1, 16)({ default: 2, ceiling: 'any' }, 'Agents that work at the same time.'),
    maxTasks: whole(1, 500)(
      { default: 50, ceiling: 'any' },
      'Maximum number of tasks in a run. The report names the rest.',
    ),
    retries: whole(0, 10)({ default: 2, ceiling: 'any' }, 'Attempts at a task after the first one.'),
    systemicRetries: whole(0, 10)(
      { default: 3, ceiling: 'any' },
      'The same for a task about a cause in several files.',
    ),
    systemicFiles: whole(2, 1000)(
      { default: 2 },
      'Number of files with the same cause from which they become one task. Their other tasks wait for it.',
    ),
    maxMinutes: keyOf({ kind: 'number', ...MINUTES, max: 10_080 })(
      { default: 720, ceiling: 'any' },
      'How long a run may take. After that, nothing more starts, and the run ends with its report.',
    ),
    checkpointTasks: whole(1, 1000)({ default: 5 }, 'Number of successful tasks after which all engines run again.'),
    checkpointMinutes: minutes({ default: 30 }, 'The same in minutes; whichever comes first.'),
    coverageBelow: whole(0, 100)({ default: 80 }, 'A file is a coverage gap if less than this percentage is covered.'),
    coverageDelta: whole(1, 100)(
      { default: 5 },
      'Percentage points by which the coverage of such a file must grow, or up to 100 %.',
    ),
    quarantine: toggle(
      { default: false, ceiling: OFF },
      'Ratchet may propose a quarantine for a test that nobody could repair. A person must accept it.',
    ),
    quarantineOwner: orNull('text')({ default: null }, 'Name of the owner of quarantined tests; null: no owner.'),
    quarantineDays: whole(1, 365)({ default: 14 }, 'Days until a quarantine expires.'),
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
    'Linters, type checkers and tests that Ratchet runs itself and reports in the check run "Ratchet / quality": auto, or by name; null: none.',
  ),
} as const;

/** The settings of all engines. */
export const ENGINES_KEYS = {
  auto: toggle({ default: false }, 'Also run the known tools that the repository uses.'),
  failLevel: choice(SEVERITIES)({ default: 'medium' }, 'New findings of at least this severity fail the check.'),
} as const;

/** The settings of the projects of all engines, under the key `projects`. */
export const PROJECTS_KEYS = {
  add: plain('paths')(
    { default: [] },
    'Folders that are projects without a configuration there, for each used engine that has files in them.',
  ),
  exclude: plain('pathGlobs')(
    { default: [] },
    'Folders that are not projects. Their files belong to the project around them, if there is one.',
  ),
} as const;

/** The settings of one engine, in the order of the documentation. null and empty values mean the catalogue's default. */
export const ENGINE_KEYS = {
  enabled: toggle({ default: true }, 'false: the engine does not run, and is listed as skipped.'),
  paths: unset(
    { kind: 'paths' },
    'Paths to check; left out: everything. An empty list is an error and disables the engine.',
  ),
  config: unset({ kind: 'path' }, 'Configuration file; left out: the tool finds its own.'),
  args: plain('arguments')({ default: [] }, 'Additional arguments, in this order.'),
  env: plain('variables')({ default: {} }, 'Environment variables to set for it.'),
  profile: unset({ kind: 'text' }, 'Any text. Runs with different profiles are not compared.'),
  cwd: unset({ kind: 'path' }, 'Folder in which it runs, as one project.'),
  projects: unset(
    { kind: 'paths' },
    'Its projects: it runs in each of these folders. Left out: the folders whose configuration the tool itself would use.',
  ),
  exitCodes: plain('exitCodes')(
    { default: {} },
    'Meaning of its exit codes. Each list replaces the built-in one. A code can be in one list only.',
  ),
  ignoreExit: plain('codes')(
    { default: [] },
    'Exit codes that mean that all is well if there are no findings; `exitCodes` takes precedence.',
  ),
  timeoutSeconds: unset({ kind: 'number', ...ENGINE_SECONDS }, 'How long one run may take.'),
  required: toggle({ default: false }, 'The check fails if the engine cannot run.'),
} as const;

/** What the policy says of a tool that Ratchet does not know, beside `ENGINE_KEYS`. The defaults follow from each other. */
export const DECLARATION_KEYS = {
  command: unset(
    { kind: 'program' },
    'Your own tool: program and arguments, run without a shell. `{report}` becomes the path to write to. `{targets}`, as an argument of its own, becomes the paths to check.',
  ),
  format: unset({ kind: 'choice', values: GENERIC_FORMATS }, 'What the command writes. With `command` only.'),
  kind: unset(
    { kind: 'choice', values: ENGINE_KINDS },
    'Kind of the engine. With `command` only; left out: depends on `format`.',
  ),
  globs: unset({ kind: 'pathGlobs' }, 'Files that the command checks. With `command` only; left out: all.'),
  targets: unset(
    { kind: 'choice', values: TARGET_MODES },
    'What `{targets}` becomes. With `command` only; left out: files if it is in the command, else the project.',
  ),
  from: unset(
    { kind: 'choice', values: OUTPUTS },
    'Where the command writes. With `command` only; left out: a file if `{report}` is in the command, else stdout.',
  ),
  matcher: unset({ kind: 'path' }, 'File of the problem matcher. With `format: matcher` only.'),
  emptyMeansClean: unset(
    { kind: 'switch' },
    'true: a command that succeeds and writes nothing has found nothing. With `format: jsonl` or `matcher` only; left out: it has failed.',
  ),
  fix: unset(
    { kind: 'program' },
    'Fixer for `ratchet check --fix`: a command that changes the files in `{targets}` and exits with 0 or 1. With `command` only.',
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
