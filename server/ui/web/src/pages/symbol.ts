// One symbol: its definition, who uses it and how, what it uses, what tests it, and its history.

import * as api from "../api";
import { count, h, number, show, type Child } from "../dom";
import { source } from "../highlight";
import { ACTIVE, ORDER, PASSIVE } from "../relations";
import { address } from "../route";
import { badge, Drawn, failed, indexNote, kindLabel, place, rootOf, symbolAddress, type Shown, type View } from "../view";
import type { CommitOut, Member, PastOut, RelationshipResult, SymbolPageOut } from "../wire";

const SHOWN = 30; // of a group before the rest is folded away

export function symbol(view: View): Shown {
  const id = view.values.get("id") ?? "";
  const root = rootOf(view);
  const drawing = new Drawn();
  const history = h("div");
  const drawPast = async (): Promise<void> => {
    if (!history.firstChild) show(history, h("p", { class: "quiet", role: "status" }, "History: reading …")); // up to a second
    try {
      show(history, past(await api.past(id, root)));
    } catch (error) {
      show(history, failed(error));
    }
  };
  const draw = async (): Promise<void> => {
    try {
      const page = await api.symbol(id, root);
      if (!drawing.isNew({ ...page, index: page.index.state })) return;
      show(view.main, ...(page.object ? drawn(page, root, view.about.proven_confidence, history) : gone(page)));
      if (page.object) void drawPast();
      if (page.object) document.title = `${page.object.qualified_name} · Sightline`;
    } catch (error) {
      show(view.main, failed(error));
    }
  };
  show(view.main, h("p", { class: "summary" }, "…"));
  void draw();
  return { changed: () => void draw() };
}

function gone(page: SymbolPageOut): Child[] {
  return [h("h1", {}, "No such symbol"), indexNote(page.index), h("p", {}, "The index has no symbol of this address. It was renamed or removed, or the address is of another repository.")];
}

function drawn(page: SymbolPageOut, root: string, proven: number, history: HTMLElement): Child[] {
  const object = page.object!;
  const around = page.around.filter((each) => each.kind !== "module").flatMap((each) => [h("a", { href: symbolAddress(each.entity_id, root) }, each.name), " › "]);
  const links: [string, string][] = [
    ["graph", address("graph", { start: object.entity_id, root })],
    ["what breaks if it changes?", address("ask", { q: `what breaks if I change ${object.qualified_name}?`, root })],
    ["as the agent sees it", address("agent", { tool: "expand_graph", given: JSON.stringify({ start: object.entity_id, ...(root ? { root } : {}) }) })],
  ];
  return [
    h("h1", { class: "symbol" }, ...around, object.name, " ", badge(kindLabel(object.kind)), object.visibility !== "public" ? badge(object.visibility) : null, page.stale ? badge("stale", "bad") : null),
    indexNote(page.index),
    h("p", { class: "summary" }, place(object.path, object.start_line, root, object.end_line), ...links.flatMap(([text, href]) => [" · ", h("a", { href }, text)])),
    object.doc ? h("p", { class: "doc" }, object.doc) : null,
    page.source ? source(page.source, page.language, object.start_line) : null,
    members(page.members, root),
    history,
    h("div", { class: "groups" }, ...groups(page, root, proven)),
    page.left_out ? h("p", { class: "note" }, `${count(page.left_out, "more relationship")} did not fit; the graph has them.`) : null,
  ];
}

function members(all: Member[], root: string): Child {
  if (!all.length) return null;
  const items = all.map((each) => h("li", { "data-item": true }, h("a", { href: symbolAddress(each.entity_id, root) }, each.name), " ", badge(kindLabel(each.kind)), h("code", { class: "signature" }, each.signature)));
  return h("details", { class: "members", open: all.length <= SHOWN }, h("summary", {}, count(all.length, "member")), h("ul", {}, ...items));
}

/** The commits that touched it, folded away: the line says how many and when; nothing where there is no history. */
function past(known: PastOut): Child {
  const [latest] = known.commits;
  if (known.missing) return null;
  if (!latest) return h("p", { class: "quiet" }, `History: ${known.of_file ? `none of the last ${count(known.looked, "commit")} of its file touched it.` : "no commit that is known touched its file."}`);
  const items = known.commits.map((each) => h("li", { "data-item": true }, commit(each)));
  const cut = known.shallow ? "; older commits are cut off in this shallow clone" : "";
  const limits = `${number(known.looked)} of the ${count(known.of_file, "commit")} of the file were looked into, without merges; before a move or another name the trail ends${cut}.`;
  return h("details", { class: "past" }, h("summary", {}, `History: ${count(known.commits.length, "commit")}, the last on ${day(latest.at)}`), h("ol", {}, ...items), h("p", { class: "quiet" }, limits));
}

function commit(each: CommitOut): HTMLElement {
  const line: Child[] = [h("time", { datetime: day(each.at) }, day(each.at)), " ", h("code", {}, each.id.slice(0, 10)), " ", badge(each.what), each.subject];
  return each.reasons ? h("details", {}, h("summary", {}, ...line), h("pre", { class: "reasons" }, each.reasons)) : h("p", {}, ...line);
}

const day = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10);

function groups(page: SymbolPageOut, root: string, proven: number): HTMLElement[] {
  const id = page.object!.entity_id;
  const tests = new Set(page.relationships.filter((edge) => edge.relationship_type === "tests" && edge.target.entity_id === id).map((edge) => edge.source.entity_id));
  return ORDER.flatMap(([direction, type]) => {
    const edges = page.relationships.filter((edge) => edge.relationship_type === type && (direction === "out" ? edge.source.entity_id === id : edge.target.entity_id === id && edge.source.entity_id !== id && (type === "tests" || !tests.has(edge.source.entity_id))));
    if (!edges.length) return [];
    const name = (direction === "in" ? PASSIVE : ACTIVE)[type] ?? type;
    const inside = edges.filter((edge) => direction === "in" || edge.target.entity_id);
    const outside = edges.filter((edge) => direction === "out" && !edge.target.entity_id);
    const items = inside.map((edge) => item(edge, direction, root, proven));
    const rest = items.splice(SHOWN);
    return [
      h(
        "section",
        { class: "group" },
        h("h2", {}, name, " ", h("span", { class: "quiet" }, number(edges.length))),
        items.length ? h("ul", {}, ...items) : null,
        rest.length ? h("details", {}, h("summary", {}, `${number(rest.length)} more`), h("ul", {}, ...rest)) : null,
        outside.length ? h("details", {}, h("summary", {}, `${number(outside.length)} outside the root`), h("ul", {}, ...outside.map((edge) => h("li", { class: "outside" }, edge.target.name)))) : null,
      ),
    ];
  });
}

function item(edge: RelationshipResult, direction: "in" | "out", root: string, proven: number): HTMLElement {
  const end = direction === "in" ? edge.source : edge.target;
  const sure = edge.confidence >= proven && edge.resolution !== "ambiguous";
  const how = sure ? null : h("span", { class: "guess", title: `resolved: ${edge.resolution}` }, `possible, ${edge.confidence.toFixed(1)}`);
  return h("li", { "data-item": true, class: sure ? "" : "possible" }, h("a", { href: symbolAddress(end.entity_id, root) }, end.name), " ", how, place(edge.path, edge.site_line, root));
}
