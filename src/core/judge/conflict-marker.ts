/**
 * Whether a line is a mark that git puts around the sides of a conflict, or above the merge base: seven characters, or as many as
 * the attribute `conflict-marker-size` asks for. The line between the sides is none: `=======` also underlines a title.
 */
export function isConflictMarker(line: string): boolean {
  return /^(?:<{7,}|>{7,}|\|{7,})(?:\s|$)/u.test(line);
}
