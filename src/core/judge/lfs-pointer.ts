/** Whether a line heads a pointer file of Git LFS, which stands for an object that only LFS holds. */
export function isPointerHeader(line: string): boolean {
  return line.startsWith('version https://git-lfs.github.com/spec/');
}
