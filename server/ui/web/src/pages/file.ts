// A file as it is on disk, with what it defines beside it.

import * as api from "../api";
import { count, h, show } from "../dom";
import { source } from "../highlight";
import { badge, Drawn, failed, indexNote, kindLabel, rootOf, symbolAddress, type Shown, type View } from "../view";

export function file(view: View): Shown {
  const path = view.values.get("path") ?? "";
  const line = Number(view.values.get("line") ?? 0);
  const root = rootOf(view);
  const drawing = new Drawn();
  const draw = async (first: boolean): Promise<void> => {
    try {
      const page = await api.file(path, root);
      if (!drawing.isNew({ ...page, index: page.index.state })) return;
      const outline = page.objects.map((each) => h("li", { "data-item": true }, h("a", { href: symbolAddress(each.entity_id, root) }, each.qualified_name), " ", badge(kindLabel(each.kind))));
      const text = source(page.text, page.language, 1);
      show(
        view.main,
        h("h1", { class: "symbol" }, path),
        indexNote(page.index),
        outline.length ? h("details", { class: "members", open: outline.length <= 20 }, h("summary", {}, count(outline.length, "symbol")), h("ul", {}, ...outline)) : null,
        text,
      );
      mark(text, line, first);
    } catch (error) {
      show(view.main, h("h1", { class: "symbol" }, path), failed(error));
    }
  };
  void draw(true);
  return { changed: () => void draw(false) };
}

/** Show the line that the address names; once more when the colours have come. */
function mark(text: HTMLElement, line: number, scroll: boolean): void {
  if (!line) return;
  const find = (): void => text.querySelector(`[data-line="${Math.trunc(line)}"]`)?.classList.add("here");
  find();
  if (scroll) text.querySelector(".here")?.scrollIntoView({ block: "center" });
  new MutationObserver(find).observe(text.firstElementChild!, { childList: true });
}
