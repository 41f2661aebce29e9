// Light or dark: as the system says, or as was chosen here.

const KEY = "sightline-theme";

function systemIsDark(): boolean {
  return matchMedia("(prefers-color-scheme: dark)").matches;
}

export function isDark(): boolean {
  const chosen = document.documentElement.dataset["theme"];
  return chosen ? chosen === "dark" : systemIsDark();
}

export function initTheme(): void {
  const chosen = localStorage.getItem(KEY);
  if (chosen === "dark" || chosen === "light") document.documentElement.dataset["theme"] = chosen;
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", announce);
}

export function switchTheme(): void {
  const next = isDark() ? "light" : "dark";
  document.documentElement.dataset["theme"] = next;
  localStorage.setItem(KEY, next);
  announce();
}

function announce(): void {
  document.dispatchEvent(new Event("theme"));
}

/** A colour of the style sheet, for what is drawn on a canvas. */
export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
