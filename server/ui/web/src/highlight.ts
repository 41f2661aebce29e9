// Source with colours. The highlighter gives a tree of scopes and text, which becomes elements here: no markup is made.

import { append, h, visible } from "./dom";

type Span = readonly [start: number, end: number];
interface Piece {
  type: "element" | "text" | "root";
  value?: string;
  properties?: { className?: string[] };
  children?: Piece[];
}
interface Grammars {
  registered(language: string): boolean;
  highlight(language: string, text: string): Piece;
}

const NAMES = new Map([["html", "xml"], ["jsx", "javascript"], ["toml", "ini"], ["tsx", "typescript"]]);
const MAX_CHARS = 200_000; // a longer text is shown plain
let grammars: Promise<Grammars> | undefined;

function load(): Promise<Grammars> {
  grammars ??= import("./grammars").then((module) => module.grammars as unknown as Grammars);
  return grammars;
}

/** Spans count characters as Python does; strings here count those beyond the first plane twice. */
function inUnits(text: string, marks: readonly Span[]): readonly Span[] {
  if (!/[\ud800-\udbff]/.test(text)) return marks;
  const starts = [0];
  for (const character of text) starts.push((starts.at(-1) ?? 0) + character.length);
  return marks.map(([from, to]) => [starts[from] ?? text.length, starts[to] ?? text.length] as const);
}

/** Lines of source with their numbers, scrolled to `from`; colours come as soon as the grammars are there. */
export function source(text: string, language: string, firstLine: number, spans: readonly Span[] = [], from = firstLine): HTMLElement {
  const marks = inUnits(text, spans);
  const code = h("code");
  const block = h("pre", { class: "source", tabindex: 0, role: "region", "aria-label": `Source, from line ${firstLine}` }, code);
  code.append(...lines([{ text, scopes: "" }], firstLine, marks));
  if (from > firstLine) requestAnimationFrame(() => (block.scrollTop = (code.children[from - firstLine] as HTMLElement | undefined)?.offsetTop ?? 0));
  const name = NAMES.get(language) ?? language;
  if (text.length <= MAX_CHARS && name !== "text" && name !== "") {
    void load().then((known) => {
      if (!known.registered(name)) return;
      code.replaceChildren(...lines(flat(known.highlight(name, text)), firstLine, marks));
    });
  }
  return block;
}

interface Run {
  text: string;
  scopes: string;
}

function flat(piece: Piece, scopes = ""): Run[] {
  if (piece.type === "text") return [{ text: piece.value ?? "", scopes }];
  const own = piece.properties?.className?.join(" ") ?? "";
  const within = own ? `${scopes} ${own}`.trim() : scopes;
  return (piece.children ?? []).flatMap((child) => flat(child, within));
}

/** Cut runs at the ends of lines and of marks. */
function lines(runs: Run[], firstLine: number, marks: readonly Span[]): HTMLElement[] {
  const made: HTMLElement[] = [];
  let line: HTMLElement = newLine(firstLine);
  let at = 0;
  let mark = 0;
  const put = (text: string, scopes: string, marked: boolean): void => {
    if (!text) return;
    const inner = scopes ? h("span", { class: scopes }) : null;
    const shown = visible(text);
    if (inner) inner.textContent = shown;
    const node: Node = inner ?? document.createTextNode(shown);
    append(line, [marked ? h("mark", {}, node) : node]);
  };
  for (const run of runs) {
    let rest = run.text;
    while (rest) {
      while (mark < marks.length && (marks[mark]?.[1] ?? 0) <= at) mark += 1;
      const [from, to] = marks[mark] ?? [Infinity, Infinity];
      const marked = at >= from;
      const edge = marked ? to - at : from - at;
      const newline = rest.indexOf("\n");
      const length = Math.min(rest.length, edge, newline < 0 ? Infinity : newline);
      put(rest.slice(0, length), run.scopes, marked);
      at += length;
      rest = rest.slice(length);
      if (rest.startsWith("\n")) {
        made.push(line);
        line = newLine(firstLine + made.length);
        at += 1;
        rest = rest.slice(1);
      }
    }
  }
  if (line.childNodes.length > 0 || made.length === 0) made.push(line);
  return made;
}

function newLine(numberOf: number): HTMLElement {
  return h("span", { class: "line", "data-line": numberOf });
}
