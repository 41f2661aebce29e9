// What is indexed, what is not and why, and how fresh it is, live.

import * as api from "../api";
import { bytes, count, h, number, show, type Child } from "../dom";
import { address, current, go } from "../route";
import { badge, bar, choice, failed, fileAddress, field, freshness, rootChoice, rootOf, type Shown, type View } from "../view";
import type { HeartbeatOut, PulseOut } from "../wire";

interface RootStatus {
  root: string;
  name: string;
  state: string;
  index_dir: string;
  size_bytes: number;
  generation?: number;
  last_change?: number;
  files?: Record<string, number>;
  languages?: Record<string, number>;
  skipped?: Record<string, number>;
  ignored: Record<string, number>;
  failures?: { path: string; reason: string }[];
  quarantined?: { path: string; reason: string }[];
  chunks?: number;
  objects?: number;
  relationships?: { total: number; by_type: Record<string, Record<string, number>> };
  embedder: Record<string, string | number>;
}
const PAGE = 200;

export function statusPage(view: View): Shown {
  const live = h("div", { class: "live", "aria-live": "off" });
  const roots = h("div");
  const list = h("div");
  const form = h(
    "form",
    { class: "filters" },
    rootChoice(view),
    field("Files", choice("state", [["", "all"], ["indexed", "indexed"], ["skipped", "skipped"], ["failed", "failed"]], view.values.get("state") ?? "skipped")),
    field("With", h("input", { name: "containing", value: view.values.get("containing") ?? "", placeholder: "part of the path", autocomplete: "off" })),
  );
  show(view.main, h("h1", {}, "Status"), live, roots, h("h2", {}, "Files and why they are in or out"), form, list);

  const draw = async (): Promise<void> => {
    try {
      const all = (await api.status()) as unknown as { roots: RootStatus[] };
      show(roots, ...all.roots.map(drawn));
    } catch (error) {
      show(roots, failed(error));
    }
  };
  const drawFiles = async (offset = 0): Promise<void> => {
    const given = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]));
    try {
      const found = await api.files({ ...given, root: rootOf(view) || null, offset });
      const rows = found.files.map((file) => h("tr", {}, h("td", {}, file.state === "indexed" ? h("a", { href: fileAddress(file.path, 0, rootOf(view)) }, file.path) : file.path), h("td", {}, file.state), h("td", {}, file.reason || (file.parse_errors ? "indexed, with errors of its grammar" : file.language))));
      const ignored = found.ignored.map((entry) => h("tr", {}, h("td", {}, entry.path), h("td", {}, "ignored"), h("td", {}, entry.reason)));
      const head = h("tr", {}, ...["Path", "State", "Why"].map((name) => h("th", { scope: "col" }, name)));
      const pages = h("p", { class: "summary" }, `${count(found.total, "file")} `, pager("before", offset - PAGE, offset > 0, drawFiles), pager("more", offset + PAGE, offset + PAGE < found.total, drawFiles));
      show(list, pages, h("div", { class: "scroll" }, h("table", { class: "files" }, h("thead", {}, head), h("tbody", {}, ...rows, ...ignored))));
    } catch (error) {
      show(list, failed(error));
    }
  };
  const beat = (event: Event): void => drawLive(live, (event as CustomEvent<PulseOut>).detail);
  document.addEventListener("pulse", beat);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", () => {
    const given = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]));
    go(address("status", given), true);
    view.values = current().values;
    void drawFiles();
  });
  void draw();
  void drawFiles();
  return { changed: () => void draw(), left: () => document.removeEventListener("pulse", beat) };
}

function pager(label: string, offset: number, there: boolean, draw: (offset: number) => Promise<void>): Child {
  return there ? h("button", { type: "button", class: "small", on: { click: () => void draw(offset) } }, label) : null;
}

function drawLive(element: HTMLElement, pulse: PulseOut): void {
  const beats = pulse.roots.map((root) => h("div", { class: "card" }, h("strong", {}, root.name), " ", badge(freshness(root), freshness(root) === "fresh" ? "good" : ""), h("div", { class: "quiet" }, said(root)), root.error ? h("p", { class: "note bad" }, root.error) : null));
  show(element, ...beats, h("div", { class: "card" }, h("strong", {}, "This process"), h("div", { class: "quiet" }, `${bytes(pulse.memory_bytes)} of memory`)));
}

function said(root: HeartbeatOut): string {
  const changed = root.last_change ? `changed ${ago(root.last_change)}` : "nothing written yet";
  const writer = root.writer ? `written by process ${root.writer}` : "nobody watches for changes";
  return `generation ${number(root.index.generation)}, ${changed}; ${writer}`;
}

function ago(moment: number): string {
  const seconds = Math.max(0, Math.round(Date.now() / 1000 - moment));
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`;
  return `${count(Math.floor(seconds / 86_400), "day")} ago`;
}

function drawn(status: RootStatus): HTMLElement {
  if (!status.files) return h("section", {}, h("h2", {}, status.root), h("p", { class: "note" }, "Nothing is indexed yet."));
  const { files, relationships } = status;
  const types = Object.entries(relationships?.by_type ?? {}).map(([type, counts]) => h("tr", {}, h("th", { scope: "row" }, type.replaceAll("_", " ")), ...["proven", "possible", "external"].map((name) => h("td", { class: "value" }, number(counts[name] ?? 0)))));
  return h(
    "section",
    {},
    h("h2", {}, status.root),
    h(
      "dl",
      { class: "facts" },
      ...fact("Files", `${number(files["indexed"] ?? 0)} indexed (${number(files["lines"] ?? 0)} lines), ${number(files["skipped"] ?? 0)} skipped, ${number(files["failed"] ?? 0)} failed`),
      ...fact("Index", `${number(status.chunks ?? 0)} chunks, ${number(status.objects ?? 0)} objects, ${number(relationships?.total ?? 0)} relationships; ${bytes(status.size_bytes)}`),
      ...fact("Embedder", `${status.embedder["id"] ?? status.embedder["wanted"]}`),
      ...fact("Kept in", status.index_dir),
    ),
    h("div", { class: "columns" }, bars("Languages", status.languages ?? {}), bars("Skipped", status.skipped ?? {}), bars("Ignored", status.ignored)),
    named("Failed", status.failures ?? []),
    named("By lines only", status.quarantined ?? []),
    types.length ? h("div", { class: "scroll" }, h("table", {}, h("caption", {}, "Relationships"), h("thead", {}, h("tr", {}, ...["type", "proven", "possible", "outside the root"].map((name) => h("th", { scope: "col" }, name)))), h("tbody", {}, ...types))) : null,
  );
}

const fact = (name: string, value: string): HTMLElement[] => [h("dt", {}, name), h("dd", {}, value)];

function bars(title: string, counts: Record<string, number>): Child {
  const all = Object.entries(counts).sort(([, a], [, b]) => b - a).slice(0, 12);
  if (!all.length) return null;
  const most = all[0]![1];
  const rows = all.map(([name, value]) => h("tr", {}, h("th", { scope: "row" }, name || "other"), h("td", {}, bar(value / most)), h("td", { class: "value" }, number(value))));
  return h("table", { class: "bars" }, h("caption", {}, title), h("tbody", {}, ...rows));
}

function named(title: string, files: { path: string; reason: string }[]): Child {
  if (!files.length) return null;
  return h("details", {}, h("summary", {}, `${title}: ${count(files.length, "file")}`), h("ul", {}, ...files.map((file) => h("li", {}, `${file.path}: ${file.reason}`))));
}
