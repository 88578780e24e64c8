/** Whether the line is the first of a Git LFS pointer file. */
export function isPointerHeader(line: string): boolean {
  return line.startsWith('version https://git-lfs.github.com/spec/');
}
