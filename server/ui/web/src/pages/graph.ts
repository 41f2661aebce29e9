// The graph: what a symbol is related to, further with every click.

import * as api from "../api";
import { count, h, number, show, type Child } from "../dom";
import type { Canvas } from "../graph/canvas";
import { ACTIVE } from "../relations";
import { address, current, go } from "../route";
import { badge, choice, Drawn, failed, field, kindLabel, rootChoice, rootOf, shortPlace, symbolAddress, type Shown, type View } from "../view";
import type { GraphOut, ObjectResult, RelationshipResult } from "../wire";

const LABEL_CHARS = 30; // in the picture; longer ones lie over each other
const LISTED = 150; // of the symbols beside the picture
const NAMES = ["start", "depth", "direction", "types", "sure", "folder", "most", "root"] as const;

class Model {
  readonly objects = new Map<string, ObjectResult>();
  readonly edges = new Map<string, RelationshipResult>();
  readonly starts = new Set<string>();
  readonly expanded = new Set<string>();
  left = 0;

  take(found: GraphOut): void {
    for (const object of [...found.start_objects, ...found.objects]) this.objects.set(object.entity_id, object);
    for (const edge of found.relationships) this.edges.set(edge.id, edge);
  }
}

export function graph(view: View): Shown {
  const value = (name: string): string => view.values.get(name) ?? "";
  const types = new Set(value("types") ? value("types").split(",") : view.about.relationship_types.filter((type) => type !== "contains"));
  const boxes = view.about.relationship_types.map((type) => h("label", { class: "check" }, h("input", { type: "checkbox", "data-type": type, checked: types.has(type) }), (ACTIVE[type] ?? type).toLowerCase()));
  const chosenTypes = h("input", { type: "hidden", name: "types", value: value("types") });
  const start = h("input", { type: "search", name: "start", value: value("start"), placeholder: "a symbol: AuthService.login, path:line", autocomplete: "off", "aria-label": "Start", "data-first": true });
  const form = h(
    "form",
    { class: "search graph-form" },
    start,
    h(
      "div",
      { class: "filters" },
      rootChoice(view),
      field("Depth", choice("depth", ["1", "2", "3", "4"].map((n) => [n, n]), value("depth") || "1")),
      field("Direction", choice("direction", [["both", "both"], ["in", "what uses it"], ["out", "what it uses"]], value("direction") || "both")),
      field("At most", choice("most", ["50", "100", "300", "1000", "2000"].map((n) => [n, n]), value("most") || "100")),
      field("Only in", h("input", { name: "folder", value: value("folder"), placeholder: "folder/", size: 12, autocomplete: "off" })),
      h("label", { class: "check" }, h("input", { type: "checkbox", name: "sure", value: "1", checked: value("sure") === "1" }), "proven only"),
      h("details", { class: "types" }, h("summary", {}, "Relationships"), h("div", { class: "filters" }, ...boxes)),
      chosenTypes,
    ),
  );
  const stage = h("div", { class: "stage", role: "img", "aria-label": "Graph; the list beside it says the same" });
  const list = h("div", { class: "beside" });
  const body = h("div", { class: "graph", hidden: true }); // until there is something to draw
  const note = h("p", { class: "summary", role: "status" });
  const tools = h(
    "div",
    { class: "tools" },
    h("button", { type: "button", class: "small", "aria-label": "Closer", on: { click: () => canvas?.zoom("in") } }, "+"),
    h("button", { type: "button", class: "small", "aria-label": "Further away", on: { click: () => canvas?.zoom("out") } }, "−"),
    h("button", { type: "button", class: "small", on: { click: () => canvas?.fit() } }, "fit"),
  );
  show(view.main, h("h1", { class: "hidden" }, "Graph"), form, note, body);
  body.append(h("div", { class: "frame" }, stage, tools, legend()), list);

  let canvas: Canvas | undefined;
  let model = new Model();
  let left = false;
  const question = (from: string, depth: number, most: number): api.Question => ({
    start: from, depth, max_nodes: most, direction: value("direction") || "both", relationship_types: [...types],
    min_confidence: value("sure") === "1" ? view.about.proven_confidence : 0, root: rootOf(view) || null,
  });
  const remember = (): void => {
    const given = Object.fromEntries(NAMES.map((name) => [name, value(name)]));
    go(address("graph", { ...given, more: [...model.expanded].join(",") }), true);
    view.values = current().values;
  };
  const draw = (): void => {
    body.hidden = false;
    const inside = (id: string): boolean => model.starts.has(id) || !value("folder") || (model.objects.get(id)?.path.startsWith(value("folder")) ?? false);
    const edges = [...model.edges.values()].filter((edge) => model.objects.has(edge.source.entity_id) && model.objects.has(edge.target.entity_id));
    const shown = [...model.objects.values()].filter((object) => inside(object.entity_id));
    const dots = [...model.objects.values()].map((object) => ({ id: object.entity_id, label: shortName(object.qualified_name), kind: object.kind, start: model.starts.has(object.entity_id), hidden: !inside(object.entity_id) }));
    const lines = edges.map((edge) => ({ id: edge.id, source: edge.source.entity_id, target: edge.target.entity_id, sure: edge.confidence >= view.about.proven_confidence && edge.resolution !== "ambiguous", hidden: !inside(edge.source.entity_id) || !inside(edge.target.entity_id) }));
    canvas?.draw(dots, lines);
    const more = model.left ? ` · ${count(model.left, "symbol")} left out` : "";
    const names = [...model.starts].map((id) => model.objects.get(id)?.qualified_name ?? id);
    document.title = `${names[0] ?? "Graph"} · Sightline`;
    show(note, h("strong", {}, [...new Set(names)].join(", ")), ` · ${count(shown.length, "symbol")}, ${count(lines.filter((line) => !line.hidden).length, "relationship")}${more} · solid lines are proven, dashed ones possible · a click expands`);
    show(list, ...listed(shown, model, rootOf(view), expand, (id) => canvas?.look(id)));
  };
  const expand = async (id: string): Promise<void> => {
    if (model.expanded.has(id)) return;
    model.expanded.add(id);
    remember();
    try {
      model.take(await api.graph(question(id, 1, 300)));
      if (!left) draw();
    } catch (error) {
      show(note, failed(error));
    }
  };
  let named = ""; // what the field says instead of an id
  const nameStart = (found: GraphOut): void => {
    const [object] = found.start_objects;
    if (object?.entity_id !== value("start") || document.activeElement === start) return;
    start.value = named = object.qualified_name;
  };
  /** What the form says; a name that stands for an id is that id. */
  const given = (): Record<string, string> => {
    const values = Object.fromEntries(NAMES.map((name) => [name, String(new FormData(form).get(name) ?? "")]));
    return named && values["start"] === named ? { ...values, start: value("start") } : values;
  };
  const drawing = new Drawn();
  const begin = async (): Promise<void> => {
    model = new Model();
    if (!value("start")) {
      body.hidden = true;
      return show(note, "Name a symbol to begin with, or come here from its page.");
    }
    try {
      const found = await api.graph(question(value("start"), Number(value("depth") || 1), Number(value("most") || 100)));
      if (left) return;
      if (!found.start_objects.length) {
        drawing.isNew(found.start);
        body.hidden = true; // what was drawn is of another symbol
        return show(note, ...unknown(found, rootOf(view)));
      }
      model.take(found);
      for (const object of found.start_objects) model.starts.add(object.entity_id);
      nameStart(found);
      body.hidden = false; // the picture has to know its size before it is drawn
      model.left = found.left_out.objects;
      canvas ??= await opened(stage, (id) => void expand(id));
      for (const id of value("more").split(",").filter(Boolean)) {
        model.expanded.add(id);
        model.take(await api.graph(question(id, 1, 300)));
      }
      if (!left && drawing.isNew([...model.objects.values()], [...model.edges.keys()], value("folder"))) draw();
    } catch (error) {
      show(note, failed(error));
    }
  };
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("change", (event) => {
    const box = event.target as HTMLInputElement;
    if (box.dataset["type"]) {
      if (box.checked) types.add(box.dataset["type"]);
      else types.delete(box.dataset["type"]);
      chosenTypes.value = [...types].join(",");
    }
    go(address("graph", given()), true);
    view.values = current().values;
    if (box.name === "start") named = "";
    if (box.name === "folder") draw();
    else void begin();
  });
  const recolour = (): void => canvas?.recolour();
  document.addEventListener("theme", recolour);
  void begin();
  if (!value("start")) start.focus();
  return {
    changed: () => void begin(),
    left: () => {
      left = true;
      document.removeEventListener("theme", recolour);
      canvas?.kill();
    },
  };
}

/** The picture, where the browser can draw it; the list is there in any case. */
async function opened(stage: HTMLElement, chosen: (id: string) => void): Promise<Canvas | undefined> {
  try {
    const { Canvas } = await import("../graph/canvas");
    return new Canvas(stage, chosen);
  } catch (error) {
    show(stage, failed(`This browser cannot draw the graph (${String(error)}); the list has the same.`));
    return undefined;
  }
}

/** What the colours mean, in words too. */
function legend(): HTMLElement {
  const kinds = [["start", "start"], ["type", "type"], ["code", "function"], ["module", "module"], ["value", "other"]] as const;
  return h("p", { class: "legend" }, ...kinds.map(([name, text]) => h("span", { class: `dot ${name}` }, text)));
}

/** The last two parts of a name: `filter` alone says little, and there are many of it. */
function shortName(qualified: string): string {
  const parts = qualified.split(/(?<=\.|::)/);
  const two = parts.slice(-2).join("");
  const label = two.length <= LABEL_CHARS ? two : (parts.at(-1) ?? two);
  return label.length <= LABEL_CHARS ? label : `${label.slice(0, LABEL_CHARS - 1)}…`;
}

function unknown(found: GraphOut, root: string): Child[] {
  if (!found.candidates.length) {
    const near = found.nearest.flatMap((name) => [" · ", h("a", { href: address("graph", { start: name, root }) }, name)]);
    return [`There is no symbol ${found.start}: `, h("a", { href: address("search", { q: found.start, root }) }, "search for it"), near.length ? ". The nearest: " : ".", ...near.slice(1)];
  }
  const links = found.candidates.flatMap((each) => [h("br"), h("a", { href: address("graph", { start: each.entity_id, root }) }, each.qualified_name), " ", badge(kindLabel(each.kind)), each.path]);
  return ["Several symbols fit: ", ...links];
}

function listed(objects: ObjectResult[], model: Model, root: string, expand: (id: string) => Promise<void>, look: (id?: string) => void): Child[] {
  const sorted = [...objects].sort((a, b) => Number(model.starts.has(b.entity_id)) - Number(model.starts.has(a.entity_id)) || (a.distance ?? 0) - (b.distance ?? 0) || a.qualified_name.localeCompare(b.qualified_name));
  const items = sorted.slice(0, LISTED).map((object) => {
    const id = object.entity_id;
    const more = h("button", { type: "button", class: "small", disabled: model.expanded.has(id), "aria-label": `Expand ${object.qualified_name}`, on: { click: () => void expand(id) } }, "+");
    return h("li", { "data-item": true, on: { mouseenter: () => look(id), mouseleave: () => look(), focusin: () => look(id), focusout: () => look() } }, more, h("span", {}, h("a", { href: symbolAddress(id, root) }, object.qualified_name), " ", badge(kindLabel(object.kind)), shortPlace(object.path, object.start_line, root)));
  });
  const rest = objects.length - items.length;
  return [h("h2", {}, "Symbols"), h("ul", {}, ...items), rest > 0 ? h("p", { class: "quiet" }, `${number(rest)} more`) : null];
}
