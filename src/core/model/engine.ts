import type { Coverage, Finding, ParsedFinding, TestResult } from './finding.ts';

/** Kinds of engines, by what they check. */
export const ENGINE_KINDS = ['lint', 'type', 'test', 'coverage', 'format'] as const;
export type EngineKind = (typeof ENGINE_KINDS)[number];

/** CURRENT uses the paths that a person requested, TARGET never does. Nothing else differs (000.R3). */
export const ENGINE_MODES = ['current', 'target'] as const;
export type EngineMode = (typeof ENGINE_MODES)[number];
export type ModeRequest = EngineMode | 'both';

/**
 * The targets that a tool accepts: `files` (folders are expanded to files), `paths` (files and folders as given), `packages`
 * (folders that contain its files), or only the whole `project` (targets are always `["."]`, so CURRENT and TARGET are equal).
 */
export const TARGET_MODES = ['files', 'paths', 'packages', 'project'] as const;
export type TargetMode = (typeof TARGET_MODES)[number];

/** The meaning of an exit, by its code and the number of findings alone (003.R1). */
export const EXIT_CATEGORIES = ['success', 'diagnostic', 'tool_failure', 'unknown'] as const;
export type ExitCategory = (typeof EXIT_CATEGORIES)[number];

/** Exit codes by meaning; each code is in at most one list. */
export interface ExitCodes {
  readonly success: readonly number[];
  readonly diagnostic: readonly number[];
  readonly toolFailure: readonly number[];
}

/** Exit codes of the versions in a semver range; null: of all other versions, and of an unknown version. */
export interface VersionedExitCodes {
  readonly versions: string | null;
  readonly codes: ExitCodes;
}

/**
 * Everything that Ratchet passes to an engine in one mode; plans are compared by it (000.R9, R10). An invocation is made from
 * the plan alone, so equal plans run equally.
 */
export interface EnginePlan {
  readonly engine: string;
  /** The project that the engine looks at: a folder, relative to the root; `.` is the root. */
  readonly project: string;
  readonly mode: EngineMode;
  /** Canonical: relative to the root, with `/`, no `./`, no duplicates, sorted. Not empty for an enabled engine. */
  readonly targets: readonly string[];
  /** Configuration file for the engine, relative to the root; null: the tool finds its own. */
  readonly configPath: string | null;
  /** Additional arguments, in the given order. */
  readonly args: readonly string[];
  readonly enabled: boolean;
  readonly profile: string | null;
  /** Variables that Ratchet sets for this engine. */
  readonly env: Readonly<Record<string, string>>;
  /** Working directory, relative to the root; `.` is the root. */
  readonly cwd: string;
  /** Folders of the engine's other projects below the targets, which this plan leaves out. Sorted. */
  readonly excludes: readonly string[];
  /** SHA-256 of the fields above, except the mode. */
  readonly hash: string;
  /**
   * Like `hash`, but over the canonical scope instead of the targets. It compares runs over different content, which may give
   * different targets for one scope.
   */
  readonly scopeHash: string;
  /**
   * Nobody set a scope, and the tool has its own notion of what to check. The command line then leaves the targets out; plans are
   * compared by the targets all the same (resolution S23).
   */
  readonly usesToolScope: boolean;
}

/** How a tool is started. */
export type Launcher =
  /** `script`: path below `node_modules/`. Not a name in `.bin`, because two packages may have a program of the same name. */
  | { readonly kind: 'node'; readonly script: string }
  /** `<interpreter of the project> -m <module>` (000.R19). */
  | { readonly kind: 'python'; readonly module: string; readonly distribution: string }
  /** A program installed on the machine. */
  | { readonly kind: 'program'; readonly name: string; readonly versionArgs: readonly string[] }
  /** A command that the policy declares; `argv` as in the policy. */
  | { readonly kind: 'declared'; readonly argv: readonly string[] };

/** An installed tool, as found for one plan. */
export interface EngineTool {
  /** The start of its command line: the program, or an interpreter and its script. */
  readonly start: readonly string[];
  /** null: unknown, or the tool is not installed. */
  readonly version: string | null;
  /** The companions that are installed. */
  readonly companions: readonly string[];
  /** Absolute path of the Python interpreter of the project. null: the engine does not read Python, or there is none. */
  readonly python: string | null;
}

/** Input for building a tool's arguments. */
export interface ArgsInput {
  readonly plan: EnginePlan;
  /** Absolute path of the folder for this run's output, as the tool sees it. */
  readonly artifacts: string;
  /** Absolute path of the root, as the tool sees it. */
  readonly root: string;
  readonly version: string | null;
  /** Paths of the repository, sorted. Used to check what exists, never to extend the targets. */
  readonly files: readonly string[];
  /** Texts of configuration files by path (`findDetectionFiles`); left out: none were read. */
  readonly texts?: Readonly<Record<string, string | null>>;
  /** The installed ones of the engine's `companions`; default: none. */
  readonly companions?: readonly string[];
  /** Absolute path of the project's own Python interpreter, for `readsPython` engines; null or omitted: there is none. */
  readonly python?: string | null;
}

/** Input of a parser. */
export interface ParseInput {
  /** The declared stream or report file, decoded, without byte order mark; null: the file does not exist. */
  readonly text: string | null;
  /** All report files by name, for tools that write more than one. */
  readonly reports: Readonly<Record<string, string | null>>;
  /** stderr, cut. Used for messages of the tool about itself, never for findings (000.R34). */
  readonly stderr: string;
  readonly root: string;
  /** Working directory of the tool, relative to the root. */
  readonly cwd: string;
  readonly exitCode: number | null;
  /** Exit codes of the commands before the last one (for coverage: of the tests). */
  readonly earlierExitCodes: readonly (number | null)[];
  readonly version: string | null;
}

/** The parsed output of a tool. */
export type Payload =
  | {
      readonly kind: 'parsed';
      readonly findings: readonly ParsedFinding[];
      /** Why the tool did not check all of its targets; null: it did. A partial run never shows a finding as fixed. */
      readonly partial: string | null;
      /**
       * The files that it could not parse, and the groups of tests that it could not run whole, if they are the whole reason of
       * `partial` and there is a finding for each. Left out otherwise.
       */
      readonly unparsed?: readonly string[];
      /** What was left out of the findings, for people. It says nothing against the run. Left out if there is nothing to say. */
      readonly notes?: readonly string[];
      /** The tool's own report that it failed; null: none. */
      readonly toolFailure: string | null;
      /** null: not a test engine. */
      readonly tests: readonly TestResult[] | null;
      /** null: not a coverage engine. */
      readonly coverage: Coverage | null;
    }
  /** The stream or file has only white space. */
  | { readonly kind: 'empty' }
  /** The report file does not exist. */
  | { readonly kind: 'missing' }
  | { readonly kind: 'invalid'; readonly why: string };

/** Pure; never throws. */
export type Parser = (input: ParseInput) => Payload;

/** How an engine is detected in a repository whose policy does not name it, and in which folders it runs. */
export interface Detection {
  /**
   * Globs of files. One without `/` is the name of a configuration: the folder of each such file is a project. Any other one only
   * shows the use of the engine, in a project that something else marks or else in the package around it.
   */
  readonly files?: readonly string[];
  /** A package.json that depends on the package of this name makes its folder a project. */
  readonly nodePackage?: string;
  /** A package.json with this key, in which the tool looks for its configuration, makes its folder a project. */
  readonly packageKey?: string;
  /** A line of `pyproject.toml`, `setup.cfg` or `tox.ini` that starts with one of these texts makes its folder a project. */
  readonly pythonSection?: readonly string[];
  /** The same for `Cargo.toml`. */
  readonly cargoSection?: readonly string[];
  /**
   * The kind of folder that it runs in, for a configuration and for a file that only shows its use. Left out: the folder of the
   * configuration, or the root.
   */
  readonly unit?: 'python' | 'go' | 'cargo' | 'tsconfig';
  /** Matches the path and text of a configuration that takes all projects below it itself. */
  readonly outer?: RegExp;
  /** Matches the path and text of a configuration that the tool only uses through one above it. */
  readonly inner?: RegExp;
}

/** One entry of the catalogue: everything that Ratchet knows about a tool. */
export interface EngineSpec {
  /** Lower case, digits and hyphens. */
  readonly id: string;
  readonly kind: EngineKind;
  /** Files that it checks. */
  readonly globs: readonly string[];
  readonly targetMode: TargetMode;
  /** Globs of files without which it has nothing to do in a scope; default: `globs`. */
  readonly needs?: readonly string[];
  /** Programs in the first line of scripts without an extension that it checks, too; default: none. */
  readonly interpreters?: readonly string[];
  /** Names of files that it would write next to the code, in its folder or above, and must not; default: none. */
  readonly writes?: readonly string[];
  /** The first launcher that is installed is used. */
  readonly launchers: readonly Launcher[];
  /** Python distributions (plugins) that its arguments depend on. Searched in the same way as the launcher's distribution. */
  readonly companions?: readonly string[];
  /** Its findings depend on the packages of the project's Python interpreter, with any launcher. */
  readonly readsPython?: boolean;
  /**
   * Arguments after the launcher, one list per command. The last command is the run itself; earlier ones prepare it. The plan's `args`
   * are inserted where the tool accepts them.
   */
  readonly toCommands: (input: ArgsInput) => readonly (readonly string[])[];
  /**
   * Plans that together are the plan, for a tool that needs several runs for one folder. Their results are merged. All keep the hash
   * of the whole. Left out: the plan itself.
   */
  readonly toParts?: (input: ArgsInput) => readonly EnginePlan[];
  /** Files that its arguments name in the artifacts folder, by name. Left out: none. */
  readonly toFiles?: (input: ArgsInput) => Readonly<Record<string, string>>;
  readonly output: {
    /** The stream that is parsed; the other one never yields findings (resolution C3). */
    readonly from: (typeof OUTPUTS)[number];
    /** Names of report files below the artifacts folder. The first is parsed if `from` is `file`. */
    readonly reports?: readonly string[];
    /** Whether empty output with a success code means no findings (resolution C4). */
    readonly emptyMeansClean: boolean;
  };
  readonly parse: Parser;
  /** The first entry whose range includes the version is used. The last should match every version. */
  readonly exitCodes: readonly VersionedExitCodes[];
  /** Exit code convention that lists cannot express. */
  readonly convention?: 'pylint' | 'tombi';
  /** Globs of its configuration files. Their content is part of the run's signature. */
  readonly configFiles: readonly string[];
  readonly detection: Detection;
  /**
   * Whether the tool itself knows what to check if it gets no path, from the texts of its configuration files by name (null: there
   * is no such file). Left out: never.
   */
  readonly hasOwnScope?: (readText: (name: string) => string | null) => boolean;
  /** Whether it has something to do in a folder in which no file is for it. Left out: it never has. */
  readonly reachesOut?: (
    folder: string,
    facts: { readonly files: readonly string[]; readonly texts: Readonly<Record<string, string | null>> },
  ) => boolean;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** It changes files. An undeclared exit code 1 without findings is then success (003.R16). */
  readonly isFix: boolean;
  /** Exit codes that mean success if there are no findings (003.R9). */
  readonly ignoreExit: readonly number[];
  /** Rules about missing dependencies. Their findings are dropped if the dependencies are not installed. */
  readonly dependencyRules: readonly string[];
  /**
   * The plan of the same run over a few of its files, for a tool that always looks at its whole project: what tests need to be run
   * alone. Left out: such a tool cannot be narrowed.
   */
  readonly narrow?: (
    plan: EnginePlan,
    files: readonly string[],
  ) => Pick<EnginePlan, 'targets' | 'args' | 'usesToolScope'>;
  /** The tool's own fixer; left out: it has none that can be kept to given files. */
  readonly fixer?: FixerSpec;
  /** Whether a run of the same plan over the same content may come from the cache; never for engines that run tests. */
  readonly isCacheable: boolean;
}

/** How the fixer of a tool is run. What it leaves out is as for the tool itself. It changes only the files of the plan. */
export interface FixerSpec
  extends Partial<Pick<EngineSpec, 'launchers' | 'output' | 'parse' | 'exitCodes'>>,
    Pick<EngineSpec, 'toCommands'> {
  /** It also lays out code, so it runs after those that do not. */
  readonly formats?: boolean;
}

/** Formats that are not specific to one tool. */
export const GENERIC_FORMATS = ['sarif', 'junit', 'matcher', 'jsonl', 'lcov', 'istanbul'] as const;
export type GenericFormat = (typeof GENERIC_FORMATS)[number];

export const OUTPUTS = ['stdout', 'stderr', 'file'] as const;

export const EXIT_KINDS = [
  'exited',
  'signalled',
  'timed_out',
  'output_limit',
  'memory_limit',
  'process_limit',
  'disk_quota',
  'aborted',
  'not_found',
  'not_launched',
] as const;

/** How one invocation ended, as the operating system reported it. */
export interface RawExit {
  readonly kind: (typeof EXIT_KINDS)[number];
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly durationMs: number;
}

/** One run of an engine and its results, before any comparison. */
export interface EngineRun {
  readonly engine: string;
  /** See `EnginePlan.project`. */
  readonly project: string;
  readonly kind: EngineKind;
  readonly mode: EngineMode;
  readonly planHash: string;
  /** Hash of plan, tool version and configuration files. Only runs with equal signatures are compared. */
  readonly signature: string;
  readonly version: string | null;
  /** As executed; the last command's if there are several. */
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly exit: RawExit;
  /** The exit code, or 0 if the category is `success` (003.R11, R19); null if there is none. */
  readonly returnCode: number | null;
  readonly category: ExitCategory;
  readonly classifierVersion: number;
  /** It checked all targets and its result can be trusted. Only a complete run can show that a finding is gone. */
  readonly complete: boolean;
  /** Why it is not complete; null if it is. */
  readonly incompleteWhy: string | null;
  /** The files that it could not parse, if it is complete apart from them. Left out otherwise. */
  readonly unparsed?: readonly string[];
  /** What was left out of the findings, for people. Left out if there is nothing to say. */
  readonly notes?: readonly string[];
  readonly findings: readonly Finding[];
  readonly tests: readonly TestResult[] | null;
  readonly coverage: Coverage | null;
  readonly cached: boolean;
}

/** Why an engine gave no reliable result (000.R38, R40). */
export type EngineErrorKind =
  | 'TOOL_NOT_FOUND'
  | 'CRASHED'
  | 'TIMEOUT'
  | 'OUTPUT_LIMIT'
  | 'ABORTED'
  | 'NO_OUTPUT'
  | 'JSON_PARSE_FAILED'
  | 'TOOL_FAILURE_EXIT'
  | 'EXIT_WITHOUT_FINDINGS';

/** The failure of an engine. It is no finding and counts in no total (000.R35, R37). */
export interface EngineError {
  readonly engine: string;
  /** See `EnginePlan.project`. */
  readonly project: string;
  readonly mode: EngineMode;
  readonly kind: EngineErrorKind;
  readonly message: string;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly argv: readonly string[];
  readonly cwd: string;
  /** End of stderr, at most 4 KiB. */
  readonly stderr: string;
}

/** A mistake in the settings of one engine. It switches off only that engine (000.R25 to R28). */
export interface EngineConfigError {
  readonly engine: string;
  readonly code: 'EMPTY_SCOPE' | 'UNKNOWN_ENGINE' | 'OVERLAPPING_EXIT_CODES' | 'CONFIG_MISSING' | 'INVALID_SETTING';
  readonly message: string;
}

/** An engine that was not run for a valid reason. This is neither an error nor a failure. */
export interface SkippedEngine {
  readonly engine: string;
  /** See `EnginePlan.project`. */
  readonly project: string;
  readonly why: 'no_applicable_files' | 'dependencies_missing' | 'disabled';
}
