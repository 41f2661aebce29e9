// Asking the server. A question that is no longer wanted is given up.

import { forgetToken, takeToken } from "./route";
import type {
  AboutOut,
  AnswerOut,
  AskedListOut,
  FilePageOut,
  FilesOut,
  GraphOut,
  LanguagesOut,
  MapOut,
  PastOut,
  PulseOut,
  SymbolPageOut,
} from "./wire";

export class Refused extends Error {}
export class NoToken extends Error {}

let token = takeToken();

export function hasToken(): boolean {
  return token !== "";
}

export function renewToken(): void {
  token = takeToken();
}

async function ask<T>(view: string, question: object, signal?: AbortSignal): Promise<T> {
  const request = fetch(new URL(`../api/${view}`, document.baseURI), {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
    body: JSON.stringify(question),
    cache: "no-store",
    credentials: "omit",
    signal: signal ?? null,
  });
  const response = await request.catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new Refused("The server does not answer; is `sightline ui` still running?");
  });
  if (response.status === 401) {
    forgetToken();
    token = "";
    throw new NoToken("the token is not the server's");
  }
  const answer = (await response.json()) as T & { error?: string };
  if (!response.ok) throw new Refused(answer.error ?? `the server answered ${response.status}`);
  return answer;
}

export type Question = Record<string, unknown>;

export const about = (): Promise<AboutOut> => ask("about", {});
export const languages = (): Promise<LanguagesOut> => ask("languages", {});
export const pulse = (): Promise<PulseOut> => ask("pulse", {});
export const status = (): Promise<Record<string, unknown>> => ask("status", {});
export const asked = (): Promise<AskedListOut> => ask("asked", {});
export const files = (question: Question): Promise<FilesOut> => ask("files", question);
export const symbol = (id: string, root: string): Promise<SymbolPageOut> => ask("symbol", { id, root: root || null });
export const past = (id: string, root: string): Promise<PastOut> => ask("past", { id, root: root || null });
export const file = (path: string, root: string): Promise<FilePageOut> => ask("file", { path, root: root || null });
export const graph = (question: Question): Promise<GraphOut> => ask("graph", question);
export const map = (question: Question): Promise<MapOut> => ask("map", question);
export const tool = (name: string, question: Question, signal?: AbortSignal): Promise<AnswerOut> =>
  ask(`call/${name}`, question, signal);
