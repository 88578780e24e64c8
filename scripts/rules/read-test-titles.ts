import ts from 'typescript';

/** One test as its source tells it. */
export interface TestTitle {
  readonly file: string;
  readonly line: number;
  /** With the titles of the groups around it; a table's test once for each row. */
  readonly title: string;
  /** `skipped`: never runs (`skip`, `todo`). `conditional`: not on every machine (`runIf`, `skipIf`). */
  readonly runs: 'always' | 'conditional' | 'skipped';
}

interface Group {
  readonly title: string;
  readonly runs: TestTitle['runs'];
}

/** A call like `it.runIf(isRoot).each(TABLE)('title', …)`, taken apart. */
interface TitleCall {
  readonly kind: 'group' | 'test';
  readonly runs: TestTitle['runs'];
  readonly title: ts.Expression;
  readonly table: ts.Expression | null;
  readonly body: ts.Expression | undefined;
}

/** The values that a row of a table puts into a title: by place, or by name. */
type Row = readonly string[] | ReadonlyMap<string, string>;

const GROUP_NAMES: ReadonlySet<string> = new Set(['describe', 'suite']);
const TEST_NAMES: ReadonlySet<string> = new Set(['it', 'test']);
const SKIPPING: ReadonlySet<string> = new Set(['skip', 'todo']);
const CONDITIONAL: ReadonlySet<string> = new Set(['runIf', 'skipIf']);
const TABLE_NAMES: ReadonlySet<string> = new Set(['each', 'for']);
/** What stands in a title for a value that only a run knows. */
const UNKNOWN = '…';
const TOP: Group = { title: '', runs: 'always' };

/**
 * The titles of all tests in the source of one test file. Tables are resolved where they are written in the same file, as an array
 * of rows or as `Object.entries` of an object; of any other table only the title's own words are known. A row may be a call of a
 * function that makes it: its first argument is then what the title names.
 */
export function readTestTitles(file: string, source: string): readonly TestTitle[] {
  const sourceFile = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const titles: TestTitle[] = [];
  const visit = (node: ts.Node, group: Group): void => {
    const call = ts.isCallExpression(node) ? toTitleCall(node) : null;
    if (call === null) {
      ts.forEachChild(node, (child) => visit(child, group));
      return;
    }
    const runs = toStricter(group.runs, call.runs);
    for (const own of toTitles(call, sourceFile)) {
      const title = `${group.title} ${own}`.trim();
      if (call.kind === 'group' && call.body !== undefined) visit(call.body, { title, runs });
      if (call.kind === 'test') titles.push({ file, line: lineOf(node, sourceFile), title, runs });
    }
  };
  visit(sourceFile, TOP);
  return titles;
}

function lineOf(node: ts.Node, sourceFile: ts.SourceFile): number {
  return sourceFile.getLineAndCharacterOfPosition(node.getStart(sourceFile)).line + 1;
}

function toStricter(outer: TestTitle['runs'], inner: TestTitle['runs']): TestTitle['runs'] {
  if (outer === 'skipped' || inner === 'skipped') return 'skipped';
  return outer === 'conditional' ? outer : inner;
}

function toTitleCall(call: ts.CallExpression): TitleCall | null {
  const [title, ...rest] = call.arguments;
  // Options may stand between the two.
  const body = rest.findLast((argument) => ts.isArrowFunction(argument) || ts.isFunctionExpression(argument));
  const chain = readChain(call.expression);
  if (title === undefined || chain === null) return null;
  const { root, words, table } = chain;
  const kind = toKind(root);
  if (kind === null) return null;
  // `it.each(TABLE)` alone is half of a call; the other half is the call around it.
  if (table === null && words.some((word) => TABLE_NAMES.has(word))) return null;
  return { kind, runs: toRuns(words), title, table, body };
}

function toKind(root: string): TitleCall['kind'] | null {
  if (GROUP_NAMES.has(root)) return 'group';
  return TEST_NAMES.has(root) ? 'test' : null;
}

function toRuns(words: readonly string[]): TestTitle['runs'] {
  if (words.some((word) => SKIPPING.has(word))) return 'skipped';
  return words.some((word) => CONDITIONAL.has(word)) ? 'conditional' : 'always';
}

interface Chain {
  readonly root: string;
  readonly words: readonly string[];
  readonly table: ts.Expression | null;
}

/** `it.runIf(isRoot).each(TABLE)` as root `it`, words `each`, `runIf`, and the table. */
function readChain(callee: ts.Expression): Chain | null {
  const words: string[] = [];
  let table: ts.Expression | null = null;
  let at = callee;
  while (!ts.isIdentifier(at)) {
    if (ts.isCallExpression(at)) {
      const name = ts.isPropertyAccessExpression(at.expression) ? at.expression.name.text : '';
      if (TABLE_NAMES.has(name)) table = at.arguments[0] ?? null;
      // A condition may stand before a title (`it.runIf(x)('title')`), but `it('title')` is no part of a chain.
      else if (!CONDITIONAL.has(name)) return null;
      at = at.expression;
    } else if (ts.isPropertyAccessExpression(at)) {
      words.push(at.name.text);
      at = at.expression;
    } else {
      return null;
    }
  }
  // `it.runIf(isRoot)` has a condition where a title would be; so has `it.each` a table.
  if (words[0] !== undefined && CONDITIONAL.has(words[0]) && ts.isPropertyAccessExpression(callee)) return null;
  return { root: at.text, words, table };
}

function toTitles({ title, table }: TitleCall, sourceFile: ts.SourceFile): readonly string[] {
  const template = toText(title);
  if (template === null) return [UNKNOWN];
  const rows = table === null ? null : readRows(table, sourceFile);
  return rows === null ? [template] : rows.map((row) => fillIn(template, row));
}

function fillIn(template: string, row: Row): string {
  if (!isPlaces(row)) return template.replaceAll(/\$(\w+)/g, (whole, name: string) => row.get(name) ?? whole);
  let place = 0;
  return template.replaceAll(/%[sdifjoc]|\$\w+/g, () => {
    place += 1;
    return row[place - 1] ?? UNKNOWN;
  });
}

function isPlaces(row: Row): row is readonly string[] {
  return Array.isArray(row);
}

/** The rows of a table; null where they are not written in this file. */
function readRows(table: ts.Expression, sourceFile: ts.SourceFile): readonly Row[] | null {
  const written = unwrap(table, sourceFile);
  if (written === null) return null;
  if (ts.isArrayLiteralExpression(written)) return written.elements.map(toRow);
  const object = toEntriesOf(written, sourceFile);
  return object?.properties.map((property) => [readName(property.name)]) ?? null;
}

/** The object of `Object.entries(OBJECT)`. */
function toEntriesOf(written: ts.Expression, sourceFile: ts.SourceFile): ts.ObjectLiteralExpression | null {
  if (!ts.isCallExpression(written) || written.expression.getText(sourceFile) !== 'Object.entries') return null;
  const [of] = written.arguments;
  const object = of === undefined ? null : unwrap(of, sourceFile);
  return object !== null && ts.isObjectLiteralExpression(object) ? object : null;
}

function toRow(element: ts.Expression): Row {
  if (ts.isArrayLiteralExpression(element)) return element.elements.map((cell) => toText(cell) ?? UNKNOWN);
  if (ts.isCallExpression(element)) return element.arguments.slice(0, 1).map((cell) => toText(cell) ?? UNKNOWN);
  if (!ts.isObjectLiteralExpression(element)) return [toText(element) ?? UNKNOWN];
  const cells = element.properties.flatMap((property): [string, string][] => {
    const text = ts.isPropertyAssignment(property) ? toText(property.initializer) : null;
    return text === null ? [] : [[readName(property.name), text]];
  });
  return new Map(cells);
}

/** Behind `as const`, `satisfies`, brackets and the names of constants of the file. */
function unwrap(expression: ts.Expression, sourceFile: ts.SourceFile): ts.Expression | null {
  let at = expression;
  for (;;) {
    if (ts.isAsExpression(at) || ts.isSatisfiesExpression(at) || ts.isParenthesizedExpression(at)) at = at.expression;
    else if (ts.isIdentifier(at)) {
      const initializer = findConstant(at.text, sourceFile);
      if (initializer === null) return null;
      at = initializer;
    } else return at;
  }
}

/** The first constant of that name, wherever in the file it is. */
function findConstant(name: string, node: ts.Node): ts.Expression | null {
  if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.name.text === name) {
    return node.initializer ?? null;
  }
  return ts.forEachChild(node, (child) => findConstant(name, child) ?? undefined) ?? null;
}

function readName(name: ts.PropertyName | undefined): string {
  return name !== undefined && (ts.isIdentifier(name) || ts.isStringLiteral(name)) ? name.text : UNKNOWN;
}

/** The words of a string; what is put into it at run time is unknown. */
function toText(expression: ts.Expression): string | null {
  if (ts.isStringLiteralLike(expression)) return expression.text;
  if (!ts.isTemplateExpression(expression)) return null;
  return expression.head.text + expression.templateSpans.map(({ literal }) => UNKNOWN + literal.text).join('');
}
