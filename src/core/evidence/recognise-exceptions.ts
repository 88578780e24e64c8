import { isForeign } from './foreign-code.ts';
import { type LineForm, type NeedAndPattern, tidyPath, toForms, toNumber } from './recognise-rule.ts';

/** How languages print an exception that nobody caught, and compilers an error without a place on its line. */
export const EXCEPTION_FORMS: readonly LineForm[] = [
  ...forms('rustc', [['error', /^error(?:\[(?<rule>E\d+)\])?: (?<message>\S.*)/u]]),
  ...forms('cargo', [
    [
      ' panicked at ',
      /^thread '(?<test>.{1,200}?)'(?: \(\d+\))? panicked at (?:'(?<message>.*)', )?(?<path>[^\s:]+):(?<line>\d+):(?<column>\d+)/u,
    ],
    [' panicked at ', /^thread '(?<test>.{1,200}?)'.{0,20} panicked at (?<message>.*)/u],
  ]),
  ...forms('python', [['Traceback', /^\s*Traceback \(most recent call last\):/u]]),
  ...forms('go', [[': ', /^\s*(?:panic|fatal error): (?<message>\S.*)/u]]),
  ...forms('java', [
    ['Exception in thread', /^\s*Exception in thread "[^"]{0,200}" (?<message>\S.*)/u],
    [
      '.',
      /^\s*(?:(?:Caused|Wrapped) by: |Suppressed: )?(?<message>(?:[a-z_]\w*\.)+[A-Z][\w$]*(?:Exception|Error|Failure|Failed|Throwable)\w*\b.*)/u,
    ],
    ['Caused by: ', /^\s*Caused by: (?<message>\S.*)/u],
  ]),
  ...forms('haskell', [[': ', /^\s*\S+: (?:Prelude\.|user error|uncaught exception)/u]]),
  ...forms('dotnet', [
    ['nhandled ', /^\s*Unhandled [Ee]xception[.:] ?(?<message>.*)/u],
    ['> System.', /^\s*---> (?<message>System\.\S.*)/u],
  ]),
  ...forms('ruby', [
    [':in ', /^(?<path>[^\s:]+\.\w+):(?<line>\d+):in [`'][^']{0,200}': (?<message>\S.*)/u],
    ['rake aborted!', /^rake aborted!/u],
    ['Failure/Error:', /^\s*Failure\/Error: ?(?<message>.*)/u],
  ]),
  ...forms('elixir', [['** (', /^\s*\*\* (?<message>\([\w.]+\).*)/u]]),
  ...forms('cmake', [['CMake Error', /^CMake Error(?: at (?<path>[^\s:]+):(?<line>\d+))?:? ?(?<message>.*)/u]]),
  ...forms('ld', [
    ['undefined ', /undefined (?:reference to|symbol)/u],
    ['Undefined symbol', /^\s*Undefined symbols for/u],
    ['multiple definition', /multiple definition of/u],
  ]),
  ...forms(null, [
    [
      ': ',
      /^\s*(?:Uncaught )?(?<message>(?:[A-Z]\w*[a-z]\w*)?(?:Error|Exception)(?: \[\w+\])?(?: \(.{1,60}\))?: \S.*)/u,
    ],
    ['', /^\s*[\w.]{1,100}[a-z](?:Error|Exception|Interrupt|Failure|Exit)(?::|$)/u],
    [' failed', /^\s*(?:\S.{0,200}: )?[Aa]ssertion\b(?: .{0,300})? failed/u],
    ['Failed asserting', /^\s*Failed asserting /u],
    ['E  ', /^E {2,}(?<message>\S.*)/u],
    [
      '',
      /^\s*(?<message>Segmentation fault|Bus error|Aborted|Illegal instruction|Killed|\*\*\* Error in .*?)(?: \(core dumped\))?$/u,
    ],
    ['Sanitizer: ', /^\s*(?:.{0,40}==\d+==)?\s*(?<message>(?:ERROR|WARNING): \w+Sanitizer.*)/u],
  ]),
];

function forms(tool: string | null, patterns: readonly NeedAndPattern[]): readonly LineForm[] {
  return toForms('exception', tool, patterns);
}

/** One frame of a stack, or the place that a tool writes below its message. */
export interface Frame {
  readonly path: string;
  readonly line: number | null;
  readonly column: number | null;
  readonly message: string | null;
  /** Code of a library or of the runtime. */
  readonly isForeign: boolean;
  /** Python and pytest write the innermost frame last. */
  readonly isLastBest: boolean;
}

const JAVA = /^\s*at (?:[\w.$-]+\/{1,2})?(?<name>[\w.$<>]+)\((?<path>\w+\.\w+):(?<line>\d+)\)/u;
const PYTHON = /^\s*File "(?<path>[^"]+)", line (?<line>\d+)/u;
const PYTEST = /^(?<path>[^\s:]+\.pyx?):(?<line>\d+): ?(?:in \S.*|[A-Z]\w*)?$/u;
const FRAMES: readonly RegExp[] = [
  JAVA,
  PYTHON,
  PYTEST,
  /^\s*at (?:.{0,300}? )?\(?(?:file:\/\/)?(?<path>[^\s()]+\.\w+):(?<line>\d+)(?::(?<column>\d+))?\)?$/u,
  /^\s*at .{0,300}? in (?<path>\S+\.\w+):line (?<line>\d+)/u,
  /^\s*(?:-->|:::|❯|╭▸|┌─) (?:\S+ )?(?<path>[^\s:]+):(?<line>\d+):(?<column>\d+)/u,
  /^\s*(?:# )?(?:\[\d+\] )?(?<path>(?:[A-Za-z]:)?[^\s:()]+\.\w{1,6}):(?<line>\d+)(?::(?<column>\d+))?(?::in .*|: in .*| \+0x.*)?$/u,
  /^\s*(?:#\d+ +)?(?<path>[^\s:()]+\.php)\((?<line>\d+)\)/u,
  /^\s+(?:[\w ]+: +)?(?<path>[^\s:()]+\.\w{1,6}):(?<line>\d+): (?<message>.*)/u,
  /^.{0,20}#\d+ 0x[0-9a-f]+ in .{1,400} (?<path>[^\s:()]+\.\w{1,6}):(?<line>\d+)(?::(?<column>\d+))?$/u,
  /^\s*#\s+at (?<path>\S+) line (?<line>\d+)/u,
  /^\s*(?:\(\w+[^)]{0,80}\) )(?<path>[^\s:()]+\.exs?):(?<line>\d+):/u,
];

/** The frame that a line shows; null if it shows none. */
export function toFrame(text: string): Frame | null {
  for (const pattern of FRAMES) {
    const { path = '', line, column, message = null, name = '' } = toGroups(pattern, text);
    if (path === '') continue;
    const tidy = pattern === JAVA ? toJavaPath(name, path) : tidyPath(path);
    const isLastBest = pattern === PYTHON || pattern === PYTEST;
    return {
      path: tidy,
      line: toNumber(line),
      column: toNumber(column),
      message,
      isForeign: isForeign(tidy),
      isLastBest,
    };
  }
  return null;
}

function toGroups(pattern: RegExp, text: string): Readonly<Partial<Record<string, string>>> {
  return pattern.exec(text)?.groups ?? {};
}

/** `com.acme.Foo$1.run` in `Foo.java` is `com/acme/Foo.java`. */
function toJavaPath(name: string, file: string): string {
  const folders = name.split('.').slice(0, -2);
  return [...folders, file].join('/');
}
