/**
 * Whether git marks the begin or end of a conflict, or its merge base, by this line. A marker has seven characters, or more if the
 * attribute `conflict-marker-size` says so. The separator is no marker here, because `=======` also underlines titles.
 */
export function isConflictMarker(line: string): boolean {
  return /^(?:<{7,}|>{7,}|\|{7,})(?:\s|$)/u.test(line);
}
