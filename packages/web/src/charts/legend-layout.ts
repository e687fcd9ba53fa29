// Where the entries of a legend stand, in lines of what room there is. Pure.

/** Pixels before an entry's text for its mark, and after it. */
export const [markRoom, entryGap, legendLine] = [22, 16, 20] as const;

/** @param widthOf of a text in pixels. @returns each entry's left edge, and its line from 0 on. */
export function layLegend(texts: readonly string[], room: number, widthOf: (text: string) => number): { x: number; line: number }[] {
  let [x, line] = [0, 0];
  return texts.map((text) => {
    const width = markRoom + widthOf(text);
    if (x > 0 && x + width > room) [x, line] = [0, line + 1];
    const place = { x, line };
    x += width + entryGap;
    return place;
  });
}

export const legendHeight = (places: readonly { line: number }[]) =>
  places.length === 0 ? 0 : ((places.at(-1)?.line ?? 0) + 1) * legendLine;
