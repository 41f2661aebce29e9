// What agents asked lately.

import * as api from "../api";
import { h, number, show } from "../dom";
import { address } from "../route";
import { Drawn, failed, type Shown, type View } from "../view";
import type { AskedOut } from "../wire";

const LOOK_MS = 3000; // between two looks at the log

export function log(view: View): Shown {
  const output = h("div");
  show(view.main, h("h1", {}, "Asked lately"), output);
  const drawing = new Drawn();
  const draw = async (): Promise<void> => {
    try {
      const list = await api.asked();
      if (!drawing.isNew(list)) return;
      if (!list.kept) return show(output, h("p", { class: "note" }, "No log of questions is kept here."));
      if (!list.asked.length) return show(output, h("p", { class: "note" }, "Nothing was asked of this yet. What agents ask is noted in a file on this machine; ", h("code", {}, "sightline stats"), " says more."));
      const head = h("tr", {}, ...["When", "Tool", "Asked", "Characters", "ms"].map((name) => h("th", { scope: "col" }, name)));
      show(output, h("div", { class: "scroll" }, h("table", { class: "log" }, h("thead", {}, head), h("tbody", {}, ...list.asked.map((asked) => row(asked, view.about.tools[asked.tool] ?? "query"))))));
    } catch (error) {
      show(output, failed(error));
    }
  };
  void draw();
  const timer = setInterval(() => void draw(), LOOK_MS);
  return { left: () => clearInterval(timer) };
}

function row(asked: AskedOut, subject: string): HTMLElement {
  const given = JSON.stringify({ [subject]: asked.asked });
  return h(
    "tr",
    { "data-item": true },
    h("td", {}, new Date(asked.at * 1000).toLocaleString(undefined, { dateStyle: "short", timeStyle: "short" })),
    h("td", {}, asked.tool),
    h("td", { title: asked.root }, h("a", { href: address("agent", { tool: asked.tool, given }) }, asked.asked), asked.found ? "" : " (nothing was found)"),
    h("td", { class: "value" }, number(asked.answer_chars)),
    h("td", { class: "value" }, number(asked.ms)),
  );
}
