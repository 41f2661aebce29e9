// Everything can be done with the keyboard; these are the short ways.

import { h } from "./dom";
import { address, go } from "./route";
import { switchTheme } from "./theme";

const PAGES = new Map([["s", "search"], ["a", "ask"], ["g", "graph"], ["m", "map"], ["v", "agent"], ["l", "log"], ["t", "status"]]);
const KEYS: readonly (readonly [string, string])[] = [
  ["/", "to the search field, or the first field of a page"],
  ["j  k", "to the next or the one before, in a list"],
  ["Enter", "open it"],
  ["g s", "search"],
  ["g a", "ask"],
  ["g g", "graph"],
  ["g m", "map"],
  ["g v", "as the agent sees it"],
  ["g l", "asked lately"],
  ["g t", "status"],
  ["t", "light or dark"],
  ["?", "this help"],
  ["Esc", "out of a field"],
];
const CHORD_MS = 1200;

export function helpDialog(): HTMLDialogElement {
  const rows = KEYS.map(([key, what]) => h("tr", {}, h("th", { scope: "row" }, h("kbd", {}, key)), h("td", {}, what)));
  const close = h("button", { type: "button", on: { click: () => dialog.close() } }, "Close");
  const dialog = h("dialog", { "aria-labelledby": "keys-title" }, h("h2", { id: "keys-title" }, "Keys"), h("table", {}, h("tbody", {}, ...rows)), close);
  return dialog;
}

export function bindKeys(help: HTMLDialogElement): void {
  let chord = -Infinity; // when the first key of two was pressed
  document.addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    const typing = target.matches("input, textarea, select");
    if (event.key === "Escape" && typing) return target.blur();
    if (typing || help.open || event.ctrlKey || event.metaKey || event.altKey) return;
    const page = event.timeStamp - chord < CHORD_MS ? PAGES.get(event.key) : undefined;
    chord = -Infinity;
    if (page) go(address(page));
    else if (event.key === "g") chord = event.timeStamp;
    else if (event.key === "t") switchTheme();
    else if (event.key === "?") help.showModal();
    else if (event.key === "/") focusField();
    else if (event.key === "j" || event.key === "k") step(event.key === "j" ? 1 : -1);
    else return;
    event.preventDefault();
  });
}

function focusField(): void {
  const input = document.querySelector<HTMLInputElement>("main [data-first], main input, main textarea");
  input?.focus();
  input?.select();
}

/** Move along whatever the page lists. */
function step(by: number): void {
  const items = [...document.querySelectorAll<HTMLElement>("main [data-item]")].filter((item) => item.offsetParent);
  const at = items.findIndex((item) => item.contains(document.activeElement));
  const next = items[at < 0 ? (by > 0 ? 0 : items.length - 1) : Math.min(Math.max(at + by, 0), items.length - 1)];
  const target = next?.matches("a, button") ? next : next?.querySelector<HTMLElement>("a, button");
  target?.focus();
  next?.scrollIntoView({ block: "nearest" });
}
