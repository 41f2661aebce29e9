// A whole question about structure, answered; every path:line leads to its place.

import * as api from "../api";
import { h, number, show, type Child } from "../dom";
import { address, current, go } from "../route";
import { failed, fileAddress, indexNote, rootsChoice, type Shown, type View } from "../view";
import type { ResearchOut } from "../wire";

const EXAMPLES = ["give me an overview", "which folders depend on each other in a cycle?", "what do my changes break?", "what calls X?", "what breaks if I change X?", "how does A reach B?"];

export function ask(view: View): Shown {
  const question = h("input", { type: "search", name: "q", value: view.values.get("q") ?? "", placeholder: "what breaks if I change …?", autocomplete: "off", "aria-label": "Question", "data-first": true });
  const form = h("form", { class: "search" }, question, h("div", { class: "filters" }, rootsChoice(view), h("button", { type: "submit" }, "Ask")));
  const output = h("div", { "aria-live": "polite" });
  show(view.main, h("h1", { class: "hidden" }, "Ask"), form, output);

  let asking: AbortController | undefined;
  const run = async (): Promise<void> => {
    asking?.abort();
    if (!question.value.trim()) return show(output, h("p", { class: "summary" }, "For example: ", ...EXAMPLES.flatMap((text, index) => [index ? " · " : "", example(text)])));
    const mine = (asking = new AbortController());
    const root = view.values.get("root") ?? "";
    const given: api.Question = { question: question.value.trim(), ...(root ? { root } : {}) };
    output.setAttribute("aria-busy", "true");
    try {
      const answer = await api.tool("code_research", given, mine.signal);
      const data = answer.data as unknown as ResearchOut;
      const seen = h("a", { href: address("agent", { tool: "code_research", given: JSON.stringify(given) }) }, "as the agent sees it");
      show(
        output,
        indexNote(data.index),
        ...data.warnings.map((warning) => h("p", { class: "note" }, warning)),
        h("p", { class: "summary" }, `understood as: ${data.kind.replaceAll("_", " ")} · ${number(data.facts.length)} facts · ${number(answer.tokens)} tokens · ${Math.round(answer.ms)} ms · `, seen),
        ...sections(data, root),
      );
    } catch (error) {
      if (!mine.signal.aborted) show(output, failed(error));
    } finally {
      output.removeAttribute("aria-busy");
    }
  };
  /** One that names something of the repository is asked; in the others X is there to be written over. */
  const example = (text: string): HTMLElement => {
    if (!/\b[XAB]\b/.test(text)) return h("a", { href: address("ask", { q: text, root: view.values.get("root") ?? "" }) }, text);
    return h("button", { type: "button", class: "link", on: { click: () => fill(question, text) } }, text);
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    go(address("ask", { q: question.value.trim(), root: new FormData(form).get("root")?.toString() }), true);
    view.values = current().values;
    void run();
  });
  void run();
  if (!question.value) question.focus();
  return { changed: () => void run(), left: () => asking?.abort() };
}

function fill(question: HTMLInputElement, text: string): void {
  const at = text.search(/\b[XAB]\b/);
  question.value = text;
  question.focus();
  question.setSelectionRange(at, at + 1);
}

function sections(data: ResearchOut, root: string): HTMLElement[] {
  if (!data.sections.length) return [h("p", { class: "note" }, "There is no answer to this in the index.")];
  const paths = [...new Set([...data.paths, ...data.facts.flatMap((fact) => [fact.path, fact.source_path, fact.target_path]), ...data.objects.map((item) => item.path)])].filter(Boolean);
  const known = new Set(paths);
  return data.sections.map((section) => {
    const link = linker(known, section.root ?? root);
    return h("section", { class: "research" }, h("h2", {}, section.title), h("div", { class: "said" }, ...section.lines.map((line) => h("div", { class: "row" }, ...link(line)))));
  });
}

/** Makes links of the places in lines that follow each other: `path:12`, and `:12` below a line that is a path. */
function linker(known: Set<string>, root: string): (line: string) => Child[] {
  let under = "";
  return (line) => {
    if (known.has(line.trim())) under = line.trim();
    const out: Child[] = [];
    let at = 0;
    for (const found of line.matchAll(/([^\s:,()`]*):(\d+)\b/g)) {
      const [whole, path = "", number = ""] = found;
      const meant = path || under;
      if (!known.has(meant)) continue;
      out.push(line.slice(at, found.index), h("a", { href: fileAddress(meant, Number(number), root) }, whole));
      at = found.index + whole.length;
    }
    out.push(line.slice(at) || (out.length ? "" : "\u00a0"));
    return out;
  };
}
