// Every state is an address: `#/search?q=…`. What follows the # never leaves the browser.

export interface Route {
  page: string;
  values: URLSearchParams;
}

const TOKEN = "sightline-token";
export const FIRST = "search";

export function current(): Route {
  const [path = "", query = ""] = location.hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  return { page: path || FIRST, values: new URLSearchParams(query) };
}

/** An address for a link; empty values are left out. */
export function address(page: string, values: Record<string, string | number | undefined> = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined && value !== "") query.set(name, String(value));
  }
  const text = query.toString();
  return `#/${page}${text ? `?${text}` : ""}`;
}

/** Go to an address; with `quietly` the one before is forgotten, as while somebody types. */
export function go(where: string, quietly = false): void {
  if (quietly) history.replaceState(null, "", where);
  else if (location.hash !== where) location.hash = where;
}

/** Take the token out of the address as early as possible, so that it is in no history and on no screen. */
export function takeToken(): string {
  const found = /[#&?]token=([^&]+)/.exec(location.hash);
  if (found?.[1]) {
    keepToken(decodeURIComponent(found[1]));
    const rest = location.hash.replace(/[&?]?token=[^&]+/, "");
    history.replaceState(null, "", rest.length > 1 ? rest : `#/${FIRST}`);
  }
  return sessionStorage.getItem(TOKEN) ?? "";
}

export function keepToken(token: string): void {
  sessionStorage.setItem(TOKEN, token);
}

export function forgetToken(): void {
  sessionStorage.removeItem(TOKEN);
}
