// HTML and SVG as text. Templates escape their values unless they are markup, since names come from pages and files.

export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Content = Markup | string | number | null | undefined | false | readonly Content[];

/** A template: its values are escaped, lists are joined, and null, undefined and false give nothing. */
export function html(parts: TemplateStringsArray, ...values: readonly Content[]): Markup {
  return new Markup(parts.map((part, i) => part + (i < values.length ? written(values[i]) : '')).join(''));
}

function written(value: Content): string {
  if (value === null || value === undefined || value === false) return '';
  if (value instanceof Markup) return value.text;
  return Array.isArray(value) ? value.map(written).join('') : escaped(String(value));
}

const marks: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** For element text and quoted attributes. Replaces invisible characters that a browser would obey (controls, changes of direction). */
export const escaped = (text: string): string =>
  text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '\ufffd')
    .replace(/[&<>"']/g, (mark) => marks[mark] as string);

/** A table cell; numbers are aligned on the right. */
export type HtmlCell = Content | { content: Content; kind: 'number' | 'head' | 'soft' };

export const numeric = (content: Content): HtmlCell => ({ content, kind: 'number' });
export const soft = (content: Content): HtmlCell => ({ content, kind: 'soft' });

interface Table {
  caption?: Content;
  head: readonly HtmlCell[];
  rows: readonly (readonly HtmlCell[])[];
}

/** The first cell of a row is its head; others are numbers if marked so or if they look like one. */
export function tableOf({ caption, head, rows }: Table): Markup {
  // Titles of numbers are aligned like them.
  const isNumeric = head.map((_, column) => column > 0 && rows.some((cells) => kindOf(cells[column]) === 'number'));
  const row = (cells: readonly HtmlCell[]) =>
    html`<tr>${cells.map((cell, column) => cellOf(cell, column === 0, isNumeric[column] === true))}</tr>`;
  const titles = head.map((cell, column) => html`<th scope="col"${isNumeric[column] && new Markup(' class="n"')}>${contentOf(cell)}</th>`);
  return html`<div class="wide"><table>${caption !== undefined && html`<caption>${caption}</caption>`}<thead><tr>${titles}</tr></thead><tbody>${rows.map(row)}</tbody></table></div>`;
}

/** @param isNumeric true where others in its column are numbers: then a dash is aligned like them */
function cellOf(cell: HtmlCell, isHead: boolean, isNumeric: boolean): Markup {
  if (isHead) return html`<th scope="row">${contentOf(cell)}</th>`;
  const kind = kindOf(cell);
  const name = kind === 'number' || (isNumeric && cell === '–') ? 'n' : kind === 'soft' ? 'soft' : '';
  return name === '' ? html`<td>${contentOf(cell)}</td>` : html`<td class="${name}">${contentOf(cell)}</td>`;
}

const isContent = (cell: HtmlCell): cell is Content =>
  cell === null || typeof cell !== 'object' || cell instanceof Markup || Array.isArray(cell);
const contentOf = (cell: HtmlCell): Content => (isContent(cell) ? cell : (cell as { content: Content }).content);

function kindOf(cell: HtmlCell | undefined): string | null {
  if (cell === undefined) return null;
  if (!isContent(cell)) return (cell as { kind: string }).kind;
  return typeof cell === 'string' && /^[−+≈<≥≤-]? ?\d[\d.,]*( %| ms| s| kB| MB)?$/.test(cell) ? 'number' : null;
}

/** One self-contained page: it runs no script and loads nothing. */
export function page(title: string, body: Content): string {
  return html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${new Markup(style)}</style>
<main>
${body}
</main>
</html>
`.text;
}

/** The dashboard's colours. */
const style = `
:root{color-scheme:light dark;--page:#fbfbfa;--card:#fff;--ink:#1c2430;--soft:#566070;--line:#dcdfe4;--note:#fff6e0;--note-line:#c98a00;
--h1:#6b7280;--h2:#0072b2;--h3:#c04d00;--c0:#1c2430;--c1:#0072b2;--c2:#c04d00;--c3:#167744;--below:#c04d00;--within:#6b7280;--above:#0072b2}
@media (prefers-color-scheme:dark){:root{--page:#12161c;--card:#1a2028;--ink:#e8ebf0;--soft:#a3adba;--line:#323b47;--note:#2d2613;--note-line:#d6a52c;
--h1:#a8b0bd;--h2:#56b4e9;--h3:#ff9a4d;--c0:#e8ebf0;--c1:#56b4e9;--c2:#ff9a4d;--c3:#6fd19d;--below:#ff9a4d;--within:#a8b0bd;--above:#56b4e9}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,"Liberation Sans",sans-serif}
main{max-width:70rem;margin:0 auto;padding:1.5rem 1rem 4rem}
h1{font-size:1.7rem;line-height:1.2;margin:.5rem 0}
h2{font-size:1.3rem;margin:2.5rem 0 .5rem;border-top:1px solid var(--line);padding-top:1rem}
h3{font-size:1.05rem;margin:1.5rem 0 .3rem}
p,li{max-width:48rem;margin:.5rem 0;overflow-wrap:anywhere}
ul{padding-left:1.3rem}
.soft,caption{color:var(--soft)}
.note{background:var(--note);border-left:4px solid var(--note-line);padding:.6rem .9rem;max-width:48rem}
.wide{overflow-x:auto;margin:.8rem 0}
table{border-collapse:collapse;font-size:.875rem;font-variant-numeric:tabular-nums}
caption{text-align:left;padding:.2rem 0}
th,td{text-align:left;vertical-align:top;padding:.25rem .7rem .25rem 0;border-bottom:1px solid var(--line)}
th{font-weight:600}
tbody th{font-weight:500;overflow-wrap:anywhere;min-width:7rem;max-width:22rem}
th.n,td.n{text-align:right}td.n{white-space:nowrap}
td.soft{font-size:.8125rem}
figure{margin:1rem 0;break-inside:avoid}
figcaption{max-width:48rem}
.panels{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(21rem,100%),1fr));gap:.5rem 1rem;align-items:start}
.panel{margin:0;break-inside:avoid}
.panel>b{display:block;font-size:.875rem;font-weight:600}
svg{display:block;width:100%;max-width:26rem;height:auto;background:var(--card);border:1px solid var(--line)}
svg text{font:11px system-ui,"Liberation Sans",sans-serif;fill:var(--soft)}
.axis{stroke:var(--soft)}.grid{stroke:var(--line)}.zero{stroke:var(--soft);stroke-dasharray:2 3}
.t-h1{--t:var(--h1)}.t-h2{--t:var(--h2)}.t-h3{--t:var(--h3)}.t-c0{--t:var(--c0)}.t-c1{--t:var(--c1)}.t-c2{--t:var(--c2)}.t-c3{--t:var(--c3)}
.t-below{--t:var(--below)}.t-within{--t:var(--within)}.t-above{--t:var(--above)}.t-paper{--t:var(--soft)}
.line,.level{fill:none;stroke:var(--t);stroke-width:1.8}.level{stroke-width:1.2}
.t-c1.line,.dash-1{stroke-dasharray:6 3}.t-c2.line,.dash-2{stroke-dasharray:2 2}.t-c3.line,.dash-3{stroke-dasharray:8 2 2 2}
.box,.bar{fill:var(--t);fill-opacity:.22;stroke:var(--t)}.whisker{stroke:var(--t)}.median{stroke:var(--t);stroke-width:2.5}
.published{fill:var(--card);stroke:var(--t);stroke-width:1.6}
.bar.published{stroke-dasharray:3 2;fill-opacity:1}
.mean{fill:var(--t)}
.legend{display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;list-style:none;padding:0;margin:.4rem 0;font-size:.875rem}
.legend li{display:flex;align-items:center;gap:.4rem;margin:0}
.legend svg{width:1.8rem;background:none;border:0;flex:none}
@media print{body{background:#fff;color:#000;font-size:10pt}main{max-width:none;padding:0}h2,h3{break-after:avoid}.wide{overflow:visible}.panels{grid-template-columns:1fr 1fr}tr{break-inside:avoid}
:root{--page:#fff;--card:#fff;--ink:#000;--soft:#444;--line:#bbb;--note:#fff;--h1:#6b7280;--h2:#0072b2;--h3:#c04d00;--c0:#000;--c1:#0072b2;--c2:#c04d00;--c3:#167744;--below:#c04d00;--within:#6b7280;--above:#0072b2}}
`.replaceAll('\n', '');
