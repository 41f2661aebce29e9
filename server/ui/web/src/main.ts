// The frame around the pages: who may look, where one is, what is fresh, and which keys do what.

import * as api from "./api";
import { h, show } from "./dom";
import { bindKeys, helpDialog } from "./keys";
import { current, FIRST, keepToken } from "./route";
import { initTheme, switchTheme } from "./theme";
import { failed, freshness, type Page, type Shown } from "./view";
import { agent } from "./pages/agent";
import { ask } from "./pages/ask";
import { file } from "./pages/file";
import { graph } from "./pages/graph";
import { log } from "./pages/log";
import { map } from "./pages/map";
import { search } from "./pages/search";
import { statusPage } from "./pages/status";
import { symbol } from "./pages/symbol";
import type { AboutOut, PulseOut } from "./wire";

const PAGES: Record<string, { title: string; show: Page; inMenu: boolean }> = {
  search: { title: "Search", show: search, inMenu: true },
  ask: { title: "Ask", show: ask, inMenu: true },
  graph: { title: "Graph", show: graph, inMenu: true },
  map: { title: "Map", show: map, inMenu: true },
  agent: { title: "As the agent sees it", show: agent, inMenu: true },
  log: { title: "Asked lately", show: log, inMenu: true },
  status: { title: "Status", show: statusPage, inMenu: true },
  symbol: { title: "Symbol", show: symbol, inMenu: false },
  file: { title: "File", show: file, inMenu: false },
};
const PULSE_MS = 1000;

const main = h("main", { id: "main", tabindex: -1 });
const fresh = h("a", { class: "fresh", href: "#/status", "aria-live": "polite" }, "…");
const links = Object.entries(PAGES)
  .filter(([, page]) => page.inMenu)
  .map(([name, page]) => h("a", { href: `#/${name}`, "data-page": name }, page.title));
let about: AboutOut | undefined;
let shown: Shown = {};
let generations = "";

function frame(): void {
  const help = helpDialog();
  const skip = h("a", { class: "skip", href: "#main", on: { click: (event) => { event.preventDefault(); main.focus(); } } }, "Skip to the content");
  const theme = h("button", { type: "button", class: "icon", title: "Light or dark (t)", "aria-label": "Light or dark", on: { click: switchTheme } }, "◐");
  const keys = h("button", { type: "button", class: "icon", title: "Keys (?)", "aria-label": "Keys", on: { click: () => help.showModal() } }, "?");
  const header = h("header", {}, h("a", { class: "brand", href: "#/search" }, "Sightline"), h("nav", { "aria-label": "Pages" }, ...links), fresh, theme, keys);
  document.body.replaceChildren(skip, header, main, help);
  bindKeys(help);
}

/** Without the token there is nothing to show: the page can only be told it. */
function locked(why: string): void {
  shown.left?.();
  shown = {};
  const input = h("input", { type: "password", name: "token", autocomplete: "off", required: true, minlength: 16 });
  const form = h(
    "form",
    { class: "locked", on: { submit: (event) => { event.preventDefault(); keepToken(input.value.trim()); api.renewToken(); void start(); } } },
    h("h1", {}, "Who is looking?"),
    h("p", {}, why),
    h("p", {}, "Run ", h("code", {}, "sightline ui"), " and open the address it prints, or give its token here."),
    h("label", { class: "field" }, h("span", {}, "Token"), input),
    h("button", { type: "submit" }, "Look"),
  );
  show(main, form);
  fresh.textContent = "locked";
  fresh.classList.add("busy");
}

function draw(): void {
  if (about === undefined) return;
  const { page: asked, values } = current();
  const name = Object.hasOwn(PAGES, asked) ? asked : FIRST;
  const page = PAGES[name]!;
  shown.left?.();
  main.replaceChildren();
  main.className = `page-${name}`;
  document.title = `${page.title} · Sightline`;
  const nav = links[0]?.parentElement; // on a phone it is wider than the screen
  for (const link of links) {
    if (link.dataset["page"] === name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
    if (link.dataset["page"] === name && nav) nav.scrollLeft = link.offsetLeft - nav.offsetLeft - (nav.clientWidth - link.offsetWidth) / 2;
  }
  shown = page.show({ main, values, about }) ?? {};
}

function beat(pulse: PulseOut): void {
  const states = pulse.roots.map(freshness);
  const text = [...new Set(states)].join(", ");
  if (fresh.textContent !== text) fresh.textContent = text;
  fresh.classList.toggle("busy", text !== "fresh");
  const now = pulse.roots.map((root) => `${root.index.generation}/${root.index.state}`).join();
  const changed = generations !== "" && generations !== now;
  generations = now;
  if (changed) shown.changed?.();
  document.dispatchEvent(new CustomEvent("pulse", { detail: pulse }));
}

async function live(): Promise<void> {
  while (api.hasToken()) {
    try {
      if (document.visibilityState === "visible") beat(await api.pulse());
    } catch (error) {
      if (error instanceof api.NoToken) return locked("The server has another token now.");
      fresh.textContent = "the server does not answer";
      fresh.classList.add("busy");
    }
    await new Promise((resolve) => setTimeout(resolve, PULSE_MS));
  }
}

async function start(): Promise<void> {
  if (!api.hasToken()) return locked("This page shows your code only to whoever has the token.");
  try {
    const [known, pulse] = await Promise.all([api.about(), api.pulse()]);
    about = known;
    beat(pulse); // before anything is drawn, so that no edit in between is taken for what is shown
  } catch (error) {
    if (error instanceof api.NoToken) return locked("That is not the server's token.");
    return show(main, failed(error));
  }
  draw();
  void live();
}

initTheme();
frame();
addEventListener("hashchange", () => {
  const before = api.hasToken();
  api.renewToken();
  if (before) draw();
  else void start();
});
void start();
