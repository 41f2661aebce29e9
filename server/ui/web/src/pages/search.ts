// Search as you type: hits with their source, filters, and what each signal added to a hit.

import * as api from "../api";
import { h, number, show, type Child } from "../dom";
import { source } from "../highlight";
import { address, current, go } from "../route";
import { badge, bar, choice, Drawn, failed, field, indexNote, kindLabel, place, rootsChoice, symbolAddress, type Shown, type View } from "../view";
import type { AnswerOut, ChunkResult, HitResult, ObjectResult, RelationshipResult, SearchResponse } from "../wire";

const TYPE_MS = 90; // of quiet before a question is asked
const FILTERS = ["q", "language", "kind", "types", "path", "without", "root", "explain"] as const;
const MORE = 20; // hits that a click adds
const MOST = 100;
const NO_TESTS = ["**/test/**", "**/tests/**", "**/__tests__/**", "**/*_test.*", "**/test_*", "**/*.test.*", "**/*.spec.*"];

export function search(view: View): Shown {
  const value = (name: string): string => view.values.get(name) ?? "";
  const query = h("input", { type: "search", name: "q", value: value("q"), placeholder: "What does it do, what is it called, what does it say?", autocomplete: "off", spellcheck: "false", "aria-label": "Search", "data-first": true });
  const language = choice("language", [["", "any"], ...(value("language") ? [[value("language"), value("language")] as const] : [])], value("language"));
  void offer(language);
  const form = h(
    "form",
    { class: "search", role: "search" },
    query,
    h(
      "div",
      { class: "filters" },
      rootsChoice(view),
      field("Language", language),
      field("Kind", choice("kind", [["", "any"], ...view.about.object_kinds.map((kind) => [kind, kindLabel(kind)] as const)], value("kind"))),
      field("Hits", choice("types", [["", "all"], ["object", "symbols"], ["chunk", "text"], ["relationship", "relationships"]], value("types"))),
      field("Only in", h("input", { name: "path", value: value("path"), placeholder: "src/**", size: 14, autocomplete: "off" })),
      h("label", { class: "check" }, h("input", { type: "checkbox", name: "without", value: "tests", checked: value("without") === "tests" }), "without tests"),
      h("label", { class: "check" }, h("input", { type: "checkbox", name: "explain", value: "1", checked: value("explain") === "1" }), "explain"),
    ),
  );
  const summary = h("p", { class: "summary", role: "status" });
  const results = h("ol", { class: "hits" });
  const more = h("p", { class: "more" });
  const clear = h("button", { type: "button", on: { click: () => unfiltered(form) } }, "Search without the filters");
  show(view.main, h("h1", { class: "hidden" }, "Search"), form, summary, results, more);
  const wanted = (): number => Math.min(Math.trunc(Number(view.values.get("hits"))) || 0, MOST);

  const drawing = new Drawn();
  let asking: AbortController | undefined;
  let timer = 0;
  const run = async (quietly = false): Promise<void> => {
    asking?.abort();
    if (!query.value.trim()) {
      drawing.isNew();
      show(results);
      show(more);
      return show(summary, welcome(view));
    }
    const mine = (asking = new AbortController());
    const began = performance.now();
    try {
      const asked = question(form, (view.values.get("root") ?? ""));
      const answer = await api.tool("search", wanted() ? { ...asked, limit: wanted() } : asked, mine.signal);
      if (mine.signal.aborted) return;
      const data = answer.data as unknown as SearchResponse;
      show(summary, ...told(data, answer, performance.now() - began), agentLink(form, (view.values.get("root") ?? "")));
      show(more, moreButton(data));
      if (drawing.isNew(data.hits, data.chunks)) {
        const held = [...results.children].findIndex((item) => item.contains(document.activeElement));
        show(results, ...data.hits.map((hit) => drawn(hit, data, form.elements.namedItem("explain") as HTMLInputElement, (view.values.get("root") ?? ""))));
        // Whoever is at a hit already stays there when the last letters are answered.
        if (held >= 0) results.children[Math.min(held, results.children.length - 1)]?.querySelector<HTMLElement>("a")?.focus();
      }
      if (!quietly) performance.measure("search", { start: began });
    } catch (error) {
      if (mine.signal.aborted || !drawing.isNew(String(error))) return;
      show(summary);
      show(more);
      show(results, h("li", {}, failed(error)));
    }
  };
  const moreButton = (data: SearchResponse): Child => {
    const now = data.hits.length;
    if (!data.truncated || now >= MOST) return !now && filtered(form) ? clear : null;
    return h("button", { type: "button", on: { click: () => fetchMore(Math.min(now + MORE, MOST)) } }, "More hits");
  };
  const fetchMore = (limit: number): void => {
    go(address("search", { ...Object.fromEntries(FILTERS.map((name) => [name, given(form, name)])), hits: limit }), true);
    view.values = current().values;
    void run();
  };
  const changed = (): void => {
    go(address("search", Object.fromEntries(FILTERS.map((name) => [name, given(form, name)]))), true);
    view.values = current().values;
    for (const why of results.querySelectorAll<HTMLDetailsElement>(".why")) why.open = given(form, "explain") === "1";
    clearTimeout(timer);
    timer = window.setTimeout(() => void run(), TYPE_MS);
  };
  form.addEventListener("input", changed);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    results.querySelector<HTMLElement>("a")?.focus();
  });
  query.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown") return;
    event.preventDefault();
    results.querySelector<HTMLElement>("a")?.focus();
  });
  void run();
  if (!value("q")) query.focus();
  return { changed: () => void run(true), left: () => { asking?.abort(); clearTimeout(timer); } };
}

/** The languages that there are, once the index can say. */
async function offer(select: HTMLSelectElement): Promise<void> {
  const { languages } = await api.languages();
  const known = new Set([...select.options].map((option) => option.value));
  for (const name of Object.keys(languages).sort()) if (!known.has(name)) select.append(h("option", { value: name }, name));
}

/** Whether anything but the words decides what is found. */
function filtered(form: HTMLFormElement): boolean {
  return ["language", "kind", "types", "path", "without"].some((name) => given(form, name));
}

function unfiltered(form: HTMLFormElement): void {
  for (const control of form.querySelectorAll<HTMLInputElement | HTMLSelectElement>(".filters [name]")) {
    if (control instanceof HTMLInputElement && control.type === "checkbox") control.checked &&= control.name === "explain";
    else if (control.name !== "root") control.value = "";
  }
  form.dispatchEvent(new Event("input"));
  form.querySelector<HTMLElement>("[data-first]")?.focus();
}

function given(form: HTMLFormElement, name: string): string {
  return String(new FormData(form).get(name) ?? "").trim();
}

/** The arguments of the tool, as an agent would give them. */
function question(form: HTMLFormElement, root: string): api.Question {
  const metadata: Record<string, string> = {};
  if (given(form, "language")) metadata["language"] = given(form, "language");
  if (given(form, "kind")) metadata["kind"] = given(form, "kind");
  const asked: api.Question = { query: given(form, "q") };
  if (Object.keys(metadata).length) asked["filters"] = metadata;
  if (given(form, "types")) asked["types"] = [given(form, "types")];
  if (given(form, "path")) asked["file_filter"] = given(form, "path").split(/[,\s]+/).filter(Boolean);
  if (given(form, "without")) asked["exclude_filter"] = NO_TESTS;
  if (root) asked["root"] = root;
  return asked;
}

function agentLink(form: HTMLFormElement, root: string): Child {
  return h("a", { href: address("agent", { tool: "search", given: JSON.stringify(question(form, root)) }) }, "as the agent sees it");
}

function told(data: SearchResponse, answer: AnswerOut, ms: number): Child[] {
  const hits = data.hits.length ? `${number(data.hits.length)} of ${number(data.total)}${data.total_at_least ? "+" : ""} ${data.total === 1 ? "hit" : "hits"}` : "Nothing was found";
  const times = `${Math.round(answer.ms)} ms, ${Math.round(ms)} ms with the way here; ${number(answer.tokens)} tokens for an agent`;
  return [indexNote(data.index), ...data.warnings.map((warning) => h("span", { class: "note" }, warning)), `${hits} · ${times} · `];
}

function welcome(view: View): Child {
  const names = view.about.roots.map((root) => root.path).join(", ");
  return h("span", {}, `Type to search ${names}. `, h("kbd", {}, "?"), " shows the keys.");
}

function drawn(hit: HitResult, data: SearchResponse, explain: HTMLInputElement, root: string): HTMLElement {
  const owner = hit.root ?? root;
  const object = hit.type === "object" ? data.objects.find((item) => item.entity_id === hit.id) : undefined;
  const edge = hit.type === "relationship" ? data.relationships.find((item) => item.id === hit.id) : undefined;
  const chunk = data.chunks.find((item) => (object ? item.entity_id === hit.id : item.id === hit.id && !item.entity_id));
  return h(
    "li",
    { class: "hit", "data-item": true, "data-type": hit.type },
    h("div", { class: "title" }, ...title(hit, object, edge, chunk, owner), hit.stale ? badge("stale", "bad") : null, h("span", { class: "how" }, `${hit.match_type} · ${hit.score.toFixed(2)}`)),
    object?.doc ? h("p", { class: "doc" }, object.doc) : null,
    chunk ? source(chunk.text, chunk.language, chunk.start_line, chunk.highlights as [number, number][], hit.start_line) : null,
    bars(hit, explain.checked),
  );
}

function title(hit: HitResult, object: ObjectResult | undefined, edge: RelationshipResult | undefined, chunk: ChunkResult | undefined, root: string): Child[] {
  const label = hit.root ? badge(hit.root) : null;
  if (object) {
    return [h("a", { class: "name", href: symbolAddress(object.entity_id, root) }, object.qualified_name), badge(kindLabel(object.kind)), label, place(hit.path, hit.start_line, root, hit.end_line)];
  }
  if (edge) {
    return [
      h("a", { class: "name", href: symbolAddress(edge.source.entity_id, root) }, edge.source.name),
      badge(kindLabel(edge.relationship_type)),
      edge.target.entity_id ? h("a", { class: "name", href: symbolAddress(edge.target.entity_id, root) }, edge.target.name) : h("span", { class: "name" }, edge.target.name),
      label,
      place(edge.path, edge.site_line, root),
    ];
  }
  return [h("a", { class: "name", href: address("file", { path: hit.path, line: hit.start_line, root }) }, hit.path), badge(chunk?.language ?? "text"), label, place(hit.path, hit.start_line, root, hit.end_line)];
}

/** What each signal of the ranking added to a hit, or took from it. */
function bars(hit: HitResult, open: boolean): Child {
  const parts = Object.entries(hit.why ?? {}).sort(([, a], [, b]) => Math.abs(b) - Math.abs(a));
  if (!parts.length) return null;
  const most = Math.max(...parts.map(([, value]) => Math.abs(value)));
  const rows = parts.map(([name, value]) => h("tr", {}, h("th", { scope: "row" }, name.replaceAll("_", " ")), h("td", {}, bar(Math.abs(value) / most, value < 0 ? "less" : "")), h("td", { class: "value" }, value.toFixed(3))));
  return h("details", { class: "why", open }, h("summary", {}, "Why it is here"), h("table", {}, h("tbody", {}, ...rows)));
}
