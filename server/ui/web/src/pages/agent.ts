// The exact text of a tool's answer, and what it costs an agent to read it.

import * as api from "../api";
import { h, number, show } from "../dom";
import { address, current, go } from "../route";
import { choice, failed, field, type Shown, type View } from "../view";

export function agent(view: View): Shown {
  const named = view.values.get("tool") ?? "search";
  const tool = choice("tool", Object.keys(view.about.tools).map((name) => [name, name]), named);
  const start = view.values.get("given") ?? JSON.stringify({ [view.about.tools[named] ?? "query"]: "" });
  const given = h("textarea", { name: "given", rows: 3, spellcheck: "false", "data-first": true }, pretty(start));
  const output = h("div", { "aria-live": "polite" });
  const form = h(
    "form",
    { class: "agent" },
    field("Tool", tool),
    field("Arguments", given, "wide"),
    h("button", { type: "submit" }, "Call it"),
  );
  show(view.main, h("h1", {}, "As the agent sees it"), h("p", { class: "summary" }, "What a tool answers over MCP, letter by letter. Nothing else reaches the model."), form, output);

  const run = async (): Promise<void> => {
    try {
      const answer = await api.tool(tool.value, JSON.parse(given.value || "{}") as api.Question);
      const facts = `${number(answer.tokens)} tokens · ${number(answer.text.length)} characters · ${Math.round(answer.ms)} ms${answer.found ? "" : " · nothing was found"}`;
      const text = h("pre", { class: "answer", tabindex: 0, role: "region", "aria-label": "Answer" });
      text.textContent = answer.text; // exactly: it has been made visible where it was written
      show(output, h("p", { class: "summary" }, facts), text);
    } catch (error) {
      show(output, failed(error));
    }
  };
  tool.addEventListener("change", () => {
    const subject = view.about.tools[tool.value] ?? "query";
    const old = Object.values(view.about.tools).map((name) => safe(given.value)[name]).find((value) => typeof value === "string");
    given.value = pretty(JSON.stringify({ [subject]: old ?? "" }));
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    go(address("agent", { tool: tool.value, given: compact(given.value) }), true);
    view.values = current().values;
    void run();
  });
  given.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
  if (view.values.get("given")) void run();
  return { changed: () => void (view.values.get("given") && run()) };
}

function safe(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 1);
  } catch {
    return text;
  }
}

function compact(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}
