/**
 * Whether the line is a conflict marker of git: begin, end or merge base. A marker has seven characters, or more with the
 * attribute `conflict-marker-size`. The separator `=======` does not count here, because it also underlines titles.
 */
export function isConflictMarker(line: string): boolean {
  return /^(?:<{7,}|>{7,}|\|{7,})(?:\s|$)/u.test(line);
}
