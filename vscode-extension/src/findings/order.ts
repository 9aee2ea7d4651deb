/** The order of rows that are shown already: what changes does not move them away from under the mouse. */

export class ShownOrder {
  private readonly shown = new Map<string, readonly string[]>();

  /**
   * Rows in the order in which they were shown the last time; those that are new stand where they would.
   *
   * @param above What the rows stand below.
   * @param keyOf The same for as long as a row is about the same.
   */
  arrange<Row>(above: string, rows: readonly Row[], keyOf: (row: Row) => string): Row[] {
    const before = new Map((this.shown.get(above) ?? []).map((key, position) => [key, position]));
    const place = (row: Row): number | undefined => before.get(keyOf(row));
    const known = rows
      .filter((row) => place(row) !== undefined)
      .toSorted((one, other) => (place(one) ?? 0) - (place(other) ?? 0));
    let next = 0;
    const arranged = rows.map((row) => {
      if (place(row) === undefined) {
        return row;
      }
      next += 1;
      return known[next - 1] ?? row;
    });
    this.shown.set(above, arranged.map(keyOf));
    return arranged;
  }

  /** Lets the next rows be in their own order. */
  forget(): void {
    this.shown.clear();
  }
}
