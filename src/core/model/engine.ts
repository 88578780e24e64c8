import type { Coverage, Finding, ParsedFinding, Severity, TestResult } from './finding.ts';

/** What an engine looks for. */
export const ENGINE_KINDS = ['lint', 'type', 'test', 'coverage', 'format'] as const;
export type EngineKind = (typeof ENGINE_KINDS)[number];

/** CURRENT takes the paths that somebody asked for, TARGET never does; nothing else differs (000.R3). */
export const ENGINE_MODES = ['current', 'target'] as const;
export type EngineMode = (typeof ENGINE_MODES)[number];
export type ModeRequest = EngineMode | 'both';

/**
 * What a tool can be pointed at: single files (a list of them is made), files and folders as they are, packages (folders that
 * hold files of it), or only the whole project (its targets are always `["."]`, so CURRENT and TARGET are the same plan).
 */
export const TARGET_MODES = ['files', 'paths', 'packages', 'project'] as const;
export type TargetMode = (typeof TARGET_MODES)[number];

/** How an invocation was to be understood by its exit code alone (003.R1). */
export const EXIT_CATEGORIES = ['success', 'diagnostic', 'tool_failure', 'unknown'] as const;
export type ExitCategory = (typeof EXIT_CATEGORIES)[number];

/** Exit codes whose meaning is declared; a code stands in one list at most. */
export interface ExitCodes {
  readonly success: readonly number[];
  readonly diagnostic: readonly number[];
  readonly toolFailure: readonly number[];
}

/** Exit codes of the versions that a semver range names; null: of all others, and of one that is not known. */
export interface VersionedExitCodes {
  readonly versions: string | null;
  readonly codes: ExitCodes;
}

/**
 * Everything that Ratchet gives an engine in one mode, and so what two plans are equal by (000.R9, R10). What is compared is
 * what is run: an invocation is made from the plan and from nothing else.
 */
export interface EnginePlan {
  readonly engine: string;
  readonly mode: EngineMode;
  /** Canonical: relative to the root, `/`, no `./`, no duplicates, sorted. Never empty for an enabled engine. */
  readonly targets: readonly string[];
  /** Configuration file that was chosen for the engine, relative to the root; null: the tool finds its own. */
  readonly configPath: string | null;
  /** Further arguments, in the order in which they were given. */
  readonly args: readonly string[];
  readonly enabled: boolean;
  readonly profile: string | null;
  /** Variables that Ratchet sets for this engine. */
  readonly env: Readonly<Record<string, string>>;
  /** Folder that it runs in, relative to the root; `.` is the root. */
  readonly cwd: string;
  /** SHA-256 of all of the above but the mode. */
  readonly hash: string;
  /**
   * The same with the canonical scope in place of the targets that it gives: runs over different content are compared by it, where
   * one of them may have a file more.
   */
  readonly scopeHash: string;
}

/** By what a tool is started. */
export type Launcher =
  /** `script` below `node_modules/`, by path and not by the name of a link: two packages may bring a program of one name. */
  | { readonly kind: 'node'; readonly script: string }
  /** `<interpreter of the project> -m <module>` (000.R19). */
  | { readonly kind: 'python'; readonly module: string; readonly distribution: string }
  /** A program of the machine. */
  | { readonly kind: 'program'; readonly name: string; readonly versionArgs: readonly string[] }
  /** What a repository declares itself: argv as it stands in the policy. */
  | { readonly kind: 'declared'; readonly argv: readonly string[] };

/** What the arguments of a tool are made from. */
export interface ArgsInput {
  readonly plan: EnginePlan;
  /** Absolute path of the folder for what this run writes, as the tool sees it. */
  readonly artifacts: string;
  /** Absolute path of the root as the tool sees it. */
  readonly root: string;
  readonly version: string | null;
  /** Paths of the repository, sorted: to know what is there, never to widen the targets. */
  readonly files: readonly string[];
  /** Which of the engine's `companions` are installed; left out: nobody looked, and so none. */
  readonly companions?: readonly string[];
  /** Absolute path of the project's own interpreter, for engines that read Python; left out, or null: it has none. */
  readonly python?: string | null;
}

/** What a parser reads. */
export interface ParseInput {
  /** The declared stream, or the report file: decoded, without byte order mark; null: there is no such file. */
  readonly text: string | null;
  /** All report files by name, for tools that write several. */
  readonly reports: Readonly<Record<string, string | null>>;
  /** stderr, cut: for what a tool says about itself, never for findings (000.R34). */
  readonly stderr: string;
  readonly root: string;
  /** Folder that the tool ran in, relative to the root. */
  readonly cwd: string;
  readonly exitCode: number | null;
  /** Exit codes of the steps before the last one (coverage: the tests themselves). */
  readonly earlierExitCodes: readonly (number | null)[];
  readonly version: string | null;
}

/** What a tool wrote, in our words. */
export type Payload =
  | {
      readonly kind: 'parsed';
      readonly findings: readonly ParsedFinding[];
      /** Why the tool did not look at everything that it was asked to; null: it did. Nothing is "fixed" by such a run. */
      readonly partial: string | null;
      /** The tool itself says that it failed; null: it does not. */
      readonly toolFailure: string | null;
      /** null: no test engine. */
      readonly tests: readonly TestResult[] | null;
      /** null: no coverage engine. */
      readonly coverage: Coverage | null;
    }
  /** The stream or file holds nothing but white space. */
  | { readonly kind: 'empty' }
  /** The report file does not exist. */
  | { readonly kind: 'missing' }
  | { readonly kind: 'invalid'; readonly why: string };

/** Pure; never throws. */
export type Parser = (input: ParseInput) => Payload;

/** When an engine belongs to a repository without being named in its policy. */
export interface Detection {
  /** A file of one of these globs is tracked. */
  readonly files?: readonly string[];
  /** The root's package.json depends on it, by this name. */
  readonly nodePackage?: string;
  /** `pyproject.toml`, `setup.cfg` or `tox.ini` at the root holds this text at the start of a line. */
  readonly pythonSection?: readonly string[];
}

/** One entry of the catalogue: all that Ratchet knows of a tool. */
export interface EngineSpec {
  /** Lower case, digits and hyphens. */
  readonly id: string;
  readonly kind: EngineKind;
  /** Files that it looks at. */
  readonly globs: readonly string[];
  readonly targetMode: TargetMode;
  /** The first one that is there counts. */
  readonly launchers: readonly Launcher[];
  /** Python distributions (plugins of the tool) that its arguments depend on, as its launcher's distribution is looked for. */
  readonly companions?: readonly string[];
  /** What it finds depends on what the project's interpreter has installed, whatever the tool itself is started by. */
  readonly readsPython?: boolean;
  /**
   * Arguments after the launcher, one list for each step; the last step is the run itself, the ones before it prepare it. The
   * plan's `args` go where the tool takes them.
   */
  readonly toSteps: (input: ArgsInput) => readonly (readonly string[])[];
  readonly output: {
    /** The stream that is parsed; the other one never yields findings (resolution C3). */
    readonly from: (typeof OUTPUTS)[number];
    /** Names of report files below the artifacts folder; the first is what is parsed where `from` is `file`. */
    readonly reports?: readonly string[];
    /** Nothing at all, with a success code, means that nothing was found (resolution C4). */
    readonly emptyMeansClean: boolean;
  };
  readonly parse: Parser;
  /** The first whose range takes the version counts; the last should take all. */
  readonly exitCodes: readonly VersionedExitCodes[];
  /** Convention of the tool's exit codes that lists cannot say. */
  readonly convention?: 'pylint' | 'tombi';
  /** Globs of files that configure it; their content is part of the run's signature. */
  readonly configFiles: readonly string[];
  readonly detection: Detection;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** It changes files: a lone exit code 1 is success (003.R16). */
  readonly isFix: boolean;
  /** Exit codes that mean nothing where there is no finding (003.R9). */
  readonly ignoreExit: readonly number[];
  /** Rules that speak of missing dependencies: no findings where the dependencies are not there. */
  readonly dependencyRules: readonly string[];
  /** Whether a run of the same plan over the same content may be taken from the cache: never for what runs tests. */
  readonly isCacheable: boolean;
}

/** What a policy sets for one engine. Null and empty: as the catalogue has it. */
export interface EngineSettings {
  readonly enabled: boolean;
  /** null: nothing is said; an empty list switches the engine off and is told as an error (000.R25). */
  readonly paths: readonly string[] | null;
  readonly config: string | null;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly profile: string | null;
  readonly cwd: string | null;
  readonly exitCodes: Partial<ExitCodes>;
  readonly timeoutSeconds: number | null;
  /** Whether the check fails where the engine does not run. */
  readonly required: boolean;
  /** The engine is the repository's own: a command that writes a format that everybody can write. */
  readonly declared: DeclaredEngine | null;
}

/** Formats that any tool can write. */
export const GENERIC_FORMATS = ['sarif', 'junit', 'matcher', 'jsonl', 'lcov', 'istanbul'] as const;
export type GenericFormat = (typeof GENERIC_FORMATS)[number];

export const OUTPUTS = ['stdout', 'stderr', 'file'] as const;

export interface DeclaredEngine {
  /** `{report}` and `{targets}` are replaced; run without a shell. */
  readonly command: readonly string[];
  readonly format: GenericFormat;
  readonly kind: EngineKind;
  readonly globs: readonly string[];
  readonly targetMode: TargetMode;
  /** Where the format is read from; `file` is the path that `{report}` stands for. */
  readonly from: (typeof OUTPUTS)[number];
  /** Path of the problem matcher's definition in the repository; only with `matcher`. */
  readonly matcher: string | null;
  /** Text of that file, put in by who read it; null while it was not. */
  readonly matcherText: string | null;
}

/** What a policy says about engines. */
export interface EnginesPolicy {
  /** Take also those that the repository shows to use. */
  readonly auto: boolean;
  readonly engines: Readonly<Record<string, EngineSettings>>;
  /** New findings of at least this severity fail the check. */
  readonly failLevel: Severity;
}

export const EXIT_KINDS = [
  'exited',
  'signalled',
  'timed_out',
  'output_limit',
  'aborted',
  'not_found',
  'not_launched',
] as const;

/** How one invocation ended, as the operating system told it. */
export interface RawExit {
  readonly kind: (typeof EXIT_KINDS)[number];
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly durationMs: number;
}

/** What one run of an engine was and said, before its findings are compared with anything. */
export interface EngineRun {
  readonly engine: string;
  readonly kind: EngineKind;
  readonly mode: EngineMode;
  readonly planHash: string;
  /** Plan, tool version and configuration files: only runs of equal signature are compared. */
  readonly signature: string;
  readonly version: string | null;
  /** As executed; of several steps the last. */
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly exit: RawExit;
  /** The exit code, but 0 where the category is success (003.R11, R19); null where there is none. */
  readonly returnCode: number | null;
  readonly category: ExitCategory;
  readonly classifierVersion: number;
  /** It looked at all that it was asked to, and its answer can be trusted: only such a run can show that something is gone. */
  readonly complete: boolean;
  /** Why not; null where it is complete. */
  readonly incompleteWhy: string | null;
  readonly findings: readonly Finding[];
  readonly tests: readonly TestResult[] | null;
  readonly coverage: Coverage | null;
  readonly cached: boolean;
}

/** Why an engine gave no trustworthy answer (000.R38, R40). */
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

/** An engine that failed. Never a finding, and in no total (000.R35, R37). */
export interface EngineError {
  readonly engine: string;
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

/** A mistake in the settings of one engine, which switches it off and no other (000.R25 to R28). */
export interface EngineConfigError {
  readonly engine: string;
  readonly code: 'EMPTY_SCOPE' | 'UNKNOWN_ENGINE' | 'OVERLAPPING_EXIT_CODES' | 'CONFIG_MISSING' | 'INVALID_SETTING';
  readonly message: string;
}

/** An engine that has nothing to do, which is neither an error nor a failure. */
export interface SkippedEngine {
  readonly engine: string;
  readonly why: 'no_applicable_files' | 'dependencies_missing' | 'disabled';
}
