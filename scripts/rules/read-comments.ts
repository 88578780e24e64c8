import ts from 'typescript';

/** One comment of a source file. */
export interface Comment {
  readonly file: string;
  /** Of its first character. */
  readonly line: number;
  readonly text: string;
}

/** All comments of a source, each once. What only looks like one (in a string or a regular expression) is none. */
export function readComments(file: string, source: string): readonly Comment[] {
  const sourceFile = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const found = new Map<number, Comment>();
  const visit = (node: ts.Node): void => {
    const ranges = [
      ...(ts.getLeadingCommentRanges(source, node.getFullStart()) ?? []),
      ...(ts.getTrailingCommentRanges(source, node.getEnd()) ?? []),
    ];
    for (const { pos, end } of ranges) {
      const line = sourceFile.getLineAndCharacterOfPosition(pos).line + 1;
      found.set(pos, { file, line, text: source.slice(pos, end) });
    }
    for (const child of node.getChildren(sourceFile)) visit(child);
  };
  visit(sourceFile);
  return Array.from(found.values());
}
