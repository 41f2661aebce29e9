// The map: folders, what they depend on, and the cycles among them.

import * as api from "../api";
import { count, h, number, s, show, visible, type Child } from "../dom";
import { address, current, go } from "../route";
import { choice, Drawn, failed, field, fileAddress, indexNote, rootChoice, rootOf, type Shown, type View } from "../view";
import type { CrossingOut, MapOut, PlaceOut } from "../wire";

const MARGIN = 24;
const LABEL_CHARS = 44;

export function map(view: View): Shown {
  const value = (name: string): string => view.values.get(name) ?? "";
  const form = h(
    "form",
    { class: "filters" },
    rootChoice(view),
    field("Below", h("input", { name: "folder", value: value("folder"), placeholder: "the whole root", autocomplete: "off", "data-first": true })),
    field("Levels", choice("levels", [["", "automatic"], ["1", "1"], ["2", "2"], ["3", "3"], ["4", "4"]], value("levels"))),
    h("label", { class: "check" }, h("input", { type: "checkbox", name: "tests", value: "1", checked: value("tests") === "1" }), "with tests"),
  );
  const output = h("div");
  show(view.main, h("h1", { class: "hidden" }, "Map"), crumbs(value("folder"), rootOf(view)), form, output);
  const drawing = new Drawn();
  const draw = async (): Promise<void> => {
    if (!output.firstChild) show(output, h("p", { class: "summary", role: "status" }, "Drawing …"));
    try {
      const found = await api.map({ folder: value("folder"), levels: Number(value("levels")) || 0, tests: value("tests") === "1", root: rootOf(view) || null });
      if (!drawing.isNew({ ...found, index: found.index.state })) return;
      show(output, ...drawn(found, rootOf(view)));
      const frame = output.querySelector(".canvas"); // where it is narrower than the picture, begin in the middle
      if (frame) frame.scrollLeft = (frame.scrollWidth - frame.clientWidth) / 2;
    } catch (error) {
      show(output, failed(error));
    }
  };
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("change", () => {
    const given = Object.fromEntries([...new FormData(form)].map(([name, entry]) => [name, String(entry)]));
    go(address("map", given), true);
    view.values = current().values;
    void draw();
  });
  void draw();
  return { changed: () => void draw() };
}

function crumbs(folder: string, root: string): HTMLElement {
  const parts = folder.split("/").filter(Boolean);
  const links = parts.flatMap((part, index) => [" / ", h("a", { href: address("map", { folder: parts.slice(0, index + 1).join("/"), root }) }, part)]);
  return h("nav", { class: "crumbs", "aria-label": "Folder" }, h("a", { href: address("map", { root }) }, "root"), ...links);
}

function drawn(found: MapOut, root: string): Child[] {
  if (!found.places.length) return [indexNote(found.index), h("p", { class: "note" }, "There are no files here.")];
  const folder = found.folder ? `${found.folder}/` : "";
  const below = (path: string): string => (path.startsWith(folder) ? path.slice(folder.length) : path);
  const cycles = found.cycles.length
    ? h("p", { class: "note bad" }, `${count(found.cycles.length, "cycle")}: `, found.cycles.map((cycle) => cycle.map(below).join(" ⇄ ")).join("; "))
    : h("p", { class: "summary" }, "No cycles.");
  const left = found.left_out ? h("p", { class: "note" }, `${count(found.left_out, "smaller place")} left out.`) : null;
  return [
    indexNote(found.index),
    h("p", { class: "summary" }, `${count(found.places.length, "place")}, ${count(found.crossings.length, "dependency").replace("dependencys", "dependencies")}; an arrow leads to what is depended on. Choose a folder to look into it.`),
    cycles,
    left,
    picture(found, root),
    table(found, below),
  ];
}

/** Where a place of the map leads: into a folder, or to a file. */
function way(place: PlaceOut, root: string): string {
  return place.path.endsWith("/") ? address("map", { folder: place.path.replace(/\/$/, ""), root }) : fileAddress(place.path, 0, root);
}

function picture(found: MapOut, root: string): HTMLElement {
  const width = found.right - found.left + 2 * MARGIN;
  const bottom = Math.max(...found.places.map((place) => place.y + place.height)) + MARGIN;
  const arrows = found.crossings.map((each) => s("path", { class: arrowStyle(each), d: each.way, "data-from": each.source, "data-to": each.target, "marker-end": each.in_cycle ? "url(#head-bad)" : "url(#head)" }, s("title", {}, described(each))));
  const boxes = found.places.map((place) => box(place, root));
  const svg = s(
    "svg",
    { viewBox: `${found.left - MARGIN} ${-MARGIN} ${width} ${bottom + MARGIN}`, width, height: bottom + MARGIN, class: "map", role: "group", "aria-label": "Folders and what they depend on; the table below says the same" },
    s("defs", {}, head("head"), head("head-bad")),
    ...arrows,
    ...boxes,
  );
  for (const [index, element] of boxes.entries()) {
    const path = found.places[index]!.path;
    const mark = (on: boolean) => () => {
      svg.classList.toggle("looking", on);
      for (const arrow of arrows) arrow.classList.toggle("near", on && (arrow.dataset["from"] === path || arrow.dataset["to"] === path));
    };
    for (const name of ["mouseenter", "focusin"]) element.addEventListener(name, mark(true));
    for (const name of ["mouseleave", "focusout"]) element.addEventListener(name, mark(false));
  }
  return h("div", { class: "scroll canvas", tabindex: 0, role: "region", "aria-label": "Map" }, svg);
}

function head(id: string): SVGMarkerElement {
  return s("marker", { id, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto-start-reverse" }, s("path", { d: "M0 0L8 4L0 8z" }));
}

const arrowStyle = (each: CrossingOut): string => `arrow${each.in_cycle ? " cycle" : ""}${each.proven ? "" : " possible"}`;

function described(each: CrossingOut): string {
  const guesses = each.possible ? `, ${number(each.possible)} possible` : "";
  return `${each.source} → ${each.target}: ${number(each.proven)} proven${guesses}`;
}

function box(place: PlaceOut, root: string): SVGAElement {
  const label = visible(place.label);
  const middle = place.x + place.width / 2;
  return s(
    "a",
    { href: way(place, root), class: `place${place.cycle ? " cycle" : ""}`, "data-item": true },
    s("title", {}, place.path),
    s("rect", { x: place.x, y: place.y, width: place.width, height: place.height, rx: 6 }),
    s("text", { x: middle, y: place.y + 17, "text-anchor": "middle" }, label.length > LABEL_CHARS ? `…${label.slice(1 - LABEL_CHARS)}` : label),
    s("text", { x: middle, y: place.y + 31, "text-anchor": "middle", class: "quiet" }, `${count(place.files, "file")}, ${number(place.lines)} lines`),
  );
}

function table(found: MapOut, below: (path: string) => string): HTMLElement {
  const sorted = [...found.crossings].sort((a, b) => b.proven - a.proven || b.possible - a.possible);
  const rows = sorted.map((each) => h("tr", { class: each.in_cycle ? "cycle" : "" }, h("td", {}, below(each.source)), h("td", {}, below(each.target)), h("td", { class: "value" }, number(each.proven)), h("td", { class: "value" }, number(each.possible)), h("td", {}, each.in_cycle ? "in a cycle" : "")));
  const names = ["From", "depends on", "proven", "possible", ""];
  return h("details", {}, h("summary", {}, "As a table"), h("div", { class: "scroll" }, h("table", {}, h("thead", {}, h("tr", {}, ...names.map((name) => h("th", { scope: "col" }, name)))), h("tbody", {}, ...rows))));
}
