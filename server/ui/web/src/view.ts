// What the pages share: where they draw, what they know, and small pieces that several of them show.

import { h, number, type Child } from "./dom";
import { address } from "./route";
import type { AboutOut, HeartbeatOut } from "./wire";

export interface View {
  main: HTMLElement;
  values: URLSearchParams;
  about: AboutOut;
}

/** What a page leaves behind: called when the index has changed, and when the page is left. */
export interface Shown {
  changed?: () => void;
  left?: () => void;
}

export type Page = (view: View) => Shown | void;

/** The root that an address names; "" when there is only one. */
export function rootOf(view: View): string {
  const [only] = view.about.roots;
  if (view.about.roots.length === 1) return "";
  return view.values.get("root") ?? only?.name ?? "";
}

export const symbolAddress = (id: string, root = ""): string => address("symbol", { id, root });
export const fileAddress = (path: string, line = 0, root = ""): string =>
  address("file", { path, line: line || undefined, root });

export function place(path: string, line: number, root = "", end = 0): HTMLAnchorElement {
  const lines = end > line ? `${line}-${end}` : `${line}`;
  return h("a", { class: "place", href: fileAddress(path, line, root) }, line ? `${path}:${lines}` : path);
}

/** The same where there is little room: the name of the file, the whole path when pointed at. */
export function shortPlace(path: string, line: number, root = ""): HTMLAnchorElement {
  return h("a", { class: "place", href: fileAddress(path, line, root), title: path }, `${path.split("/").at(-1) ?? path}:${line}`);
}

export const kindLabel = (kind: string): string => kind.replaceAll("_", " ");

export function badge(text: string, style = ""): HTMLElement {
  return h("span", { class: `badge ${style}`.trim() }, text);
}

/** Remembers what was drawn: what is the same again is left alone, so that nobody loses their place in it. */
export class Drawn {
  private last = "";

  isNew(...data: unknown[]): boolean {
    const now = JSON.stringify(data);
    const is = now !== this.last;
    this.last = now;
    return is;
  }
}

/** What has to be said about the index that answered. */
export function indexNote(index: { state: string; files: number; files_total?: number }): Child {
  if (index.state === "ready") return null;
  const of = index.files_total ? ` of ${number(index.files_total)}` : "";
  const text =
    index.state === "indexing"
      ? `The index is being built: ${number(index.files)}${of} files so far.`
      : "Files have changed since the index was written; it is catching up.";
  return h("p", { class: "note", role: "status" }, text);
}

export function failed(error: unknown): HTMLElement {
  return h("p", { class: "note bad", role: "alert" }, error instanceof Error ? error.message : String(error));
}

export function field(label: string, control: HTMLElement, style = ""): HTMLLabelElement {
  return h("label", { class: `field ${style}`.trim() }, h("span", {}, label), control);
}

export function choice(name: string, options: readonly (readonly [string, string])[], chosen: string): HTMLSelectElement {
  const made = options.map(([value, label]) => h("option", { value, selected: value === chosen }, label));
  return h("select", { name }, ...made);
}

/** A bar as long as its share of the longest; what it says is said in words beside it. */
export function bar(share: number, style = ""): HTMLElement {
  const inner = h("span");
  inner.style.width = `${Math.round(Math.min(Math.max(share, 0), 1) * 100)}%`;
  return h("span", { class: `bar ${style}`.trim(), "aria-hidden": "true" }, inner);
}

/** The root to look at, where there are several. */
export function rootChoice(view: View): HTMLElement | null {
  if (view.about.roots.length === 1) return null;
  return field("Root", choice("root", view.about.roots.map((root) => [root.name, root.name]), rootOf(view)));
}

/** The same where all of them can be asked at once, which is "". */
export function rootsChoice(view: View): HTMLElement | null {
  if (view.about.roots.length === 1) return null;
  const names = view.about.roots.map((root) => [root.name, root.name] as const);
  return field("Root", choice("root", [["", "all"], ...names], view.values.get("root") ?? ""));
}

export function freshness(beat: HeartbeatOut): string {
  const { index, progress, queued } = beat;
  if (beat.error) return "not kept fresh";
  if (index.state === "indexing") {
    const done = Math.max(progress.done, index.files);
    return progress.total ? `indexing ${number(done)} of ${number(progress.total)}` : "indexing";
  }
  if (index.state === "stale" || queued) return queued ? `${number(queued)} changes queued` : "catching up";
  return beat.writer ? "fresh" : "not watched";
}
