// Making elements. Whatever is shown becomes text: there is no way from a string to markup in here.

export type Child = Node | string | number | false | null | undefined;
type Handlers = { [K in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[K]) => void };

export interface Attributes {
  class?: string;
  on?: Handlers;
  [name: string]: string | number | boolean | Handlers | undefined;
}

/** Characters that control, hide or turn the direction of writing: the same as `visible.py` has. */
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u070f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;

/** Text of the repository with nothing in it that hides: such characters are written as escapes. */
export function visible(text: string): string {
  return text.replace(HIDDEN, (found) => {
    const code = found.codePointAt(0) ?? 0;
    return code < 256 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
  });
}

function fill(element: Element, attributes: Attributes, children: Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "on") {
      for (const [event, handler] of Object.entries(value as Handlers)) {
        element.addEventListener(event, handler as EventListener);
      }
    } else if (value === true) {
      element.setAttribute(name, "");
    } else if (value !== false && value !== undefined) {
      element.setAttribute(name, String(value));
    }
  }
  append(element, children);
}

/** Append children; strings become text nodes. */
export function append(element: Element, children: Child[]): void {
  for (const child of children) {
    if (child === false || child === null || child === undefined) continue;
    element.append(child instanceof Node ? child : visible(String(child)));
  }
}

/** Make an element. The names of elements, attributes and classes are ours; never what a repository says. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  fill(element, attributes, children);
  return element;
}

/** The same for SVG. */
export function s<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  fill(element, attributes, children);
  return element;
}

/** Replace what an element holds. */
export function show(element: Element, ...children: Child[]): void {
  element.replaceChildren();
  append(element, children);
}

/** `1234567` → `1,234,567`. */
export const number = (value: number): string => value.toLocaleString("en-US");

/** `1 file`, `2 files`. */
export const count = (value: number, what: string): string => `${number(value)} ${what}${value === 1 ? "" : "s"}`;

export function bytes(size: number): string {
  const units = ["bytes", "KB", "MB", "GB"];
  let unit = 0;
  while (size >= 1000 && unit < units.length - 1) {
    size /= 1000;
    unit += 1;
  }
  return `${size.toLocaleString("en-US", { maximumFractionDigits: unit ? 1 : 0 })} ${units[unit]}`;
}
