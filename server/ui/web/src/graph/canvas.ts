// The picture of a graph: what is drawn, how it moves, what is clicked.

import Graph from "graphology";
import Sigma from "sigma";
import { createEdgeArrowProgram } from "sigma/rendering";
import { visible } from "../dom";
import { colour } from "../theme";
import { DashedArrow, HEAD } from "./dashed";
import workerUrl from "./layout.worker?worker&url";

export interface Dot {
  id: string;
  label: string;
  kind: string;
  start: boolean;
  hidden: boolean;
}
export interface Line {
  id: string;
  source: string;
  target: string;
  sure: boolean;
  hidden: boolean;
}

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string };
}
const trusted = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy("layout", {
  createScriptURL(url) {
    if (url !== workerUrl) throw new TypeError("not the address of the worker");
    return url;
  },
});

const NAMES = ["graph-start", "graph-type", "graph-code", "graph-module", "graph-value", "graph-line", "graph-far", "page", "text"] as const;
const MANY_LINES = 1500; // so many are left out while the picture is moved: without a graphics card they are what takes long
const MANY_DOTS = 500;
const FONT = "12px ui-monospace, monospace";
const TYPES = ["class", "interface", "struct", "enum", "type_alias"];
const CODE = ["function", "method", "constructor", "macro"];

function colourOf(kind: string): (typeof NAMES)[number] {
  if (TYPES.includes(kind)) return "graph-type";
  if (CODE.includes(kind)) return "graph-code";
  return kind === "module" ? "graph-module" : "graph-value";
}

type Labelled = { x: number; y: number; size: number; label: string | null; color: string };
interface NodeData {
  label: string;
  kind: string;
  start: boolean;
  hidden: boolean;
  size: number;
  x: number;
  y: number;
}
interface EdgeData {
  type: "sure" | "possible";
  hidden: boolean;
  size: number;
}
type Picture = Graph<NodeData, EdgeData>;

export class Canvas {
  private graph: Picture = new Graph({ multi: true, type: "directed" });
  private readonly sigma: Sigma<NodeData, EdgeData>;
  private worker: Worker | undefined;
  private near: Set<string> | undefined;
  private looked: string | undefined;
  private palette = palette();

  constructor(element: HTMLElement, chosen: (id: string) => void) {
    this.sigma = new Sigma<NodeData, EdgeData>(this.graph, element, {
      allowInvalidContainer: true,
      defaultEdgeType: "sure",
      edgeProgramClasses: { sure: createEdgeArrowProgram(HEAD) as never, possible: DashedArrow as never },
      labelFont: "ui-monospace, monospace",
      labelSize: 12,
      labelColor: { color: this.palette.text },
      labelDensity: 0.6,
      labelRenderedSizeThreshold: 5,
      minEdgeThickness: 1.8, // thinner ones have gaps that look like dashes
      zIndex: true,
      defaultDrawNodeLabel: (context, data) => this.drawLabel(context, data),
      defaultDrawNodeHover: (context, data) => this.drawHover(context, data),
      nodeReducer: (id, data) => this.dressedNode(id, data),
      edgeReducer: (id, data) => ({ ...data, color: this.palette["graph-line"], hidden: data.hidden || this.isFar(id) }),
    });
    this.sigma.on("clickNode", ({ node }) => chosen(node));
    this.sigma.on("enterNode", ({ node }) => this.look(node));
    this.sigma.on("leaveNode", () => this.look(undefined));
    this.restWhileDragged();
    this.hideEmptyLayers(element);
  }

  /** What lies under the mouse is read back from the graphics card, and a picture that is dragged cannot wait for that. */
  private restWhileDragged(): void {
    const mouse = this.sigma.getMouseCaptor();
    for (const name of ["mousemove", "mousemovebody"] as const) {
      for (const handler of mouse.listeners(name)) {
        mouse.removeListener(name, handler);
        mouse.on(name, (at) => {
          if (!mouse.isMouseDown) handler(at);
        });
      }
    }
  }

  /**
   * Sigma draws on seven layers, and without a graphics card putting them together takes as long as drawing: the style
   * sheet hides those that are empty, which are those of the hover while there is none and, of a large graph that is
   * dragged, those of lines and labels.
   */
  private hideEmptyLayers(element: HTMLElement): void {
    const mouse = this.sigma.getMouseCaptor();
    this.sigma.on("enterNode", () => element.classList.add("hovered"));
    this.sigma.on("leaveNode", () => element.classList.remove("hovered"));
    mouse.on("mousedown", () => {
      element.classList.toggle("no-lines", this.sigma.getSetting("hideEdgesOnMove"));
      element.classList.toggle("no-labels", this.sigma.getSetting("hideLabelsOnMove"));
    });
    mouse.on("mouseup", () => element.classList.remove("no-lines", "no-labels"));
  }

  /** Show these; what was there keeps its place, what is new begins beside what it belongs to. */
  draw(dots: Dot[], lines: Line[]): void {
    const before = this.graph;
    const beside = new Map<string, string>();
    const degree = new Map<string, number>();
    for (const { source, target } of lines) {
      if (before.hasNode(source)) beside.set(target, source);
      if (before.hasNode(target)) beside.set(source, target);
      for (const end of [source, target]) degree.set(end, (degree.get(end) ?? 0) + 1);
    }
    const next: Picture = new Graph({ multi: true, type: "directed" });
    for (const [index, dot] of dots.entries()) {
      const size = Math.min(4 + Math.sqrt(degree.get(dot.id) ?? 0) * 1.3, 16);
      const at = before.hasNode(dot.id) ? before.getNodeAttributes(dot.id) : firstPlace(before, index, beside.get(dot.id));
      next.addNode(dot.id, { label: visible(dot.label), kind: dot.kind, start: dot.start, hidden: dot.hidden, size: dot.start ? Math.max(size, 10) : size, x: at.x, y: at.y });
    }
    for (const line of lines) next.addEdgeWithKey(line.id, line.source, line.target, { type: line.sure ? "sure" : "possible", hidden: line.hidden, size: 1.8 });
    this.near = undefined;
    this.graph = next;
    this.sigma.setSetting("hideEdgesOnMove", lines.length > MANY_LINES);
    this.sigma.setSetting("hideLabelsOnMove", dots.length > MANY_DOTS);
    this.sigma.setGraph(next);
    this.arrange();
  }

  /** Mark a node and what it is related to; nothing when none is given. */
  look(id: string | undefined): void {
    this.looked = id;
    this.near = id !== undefined && this.graph.hasNode(id) ? new Set([id, ...this.graph.neighbors(id)]) : undefined;
    this.sigma.refresh({ skipIndexation: true });
  }

  /** The whole picture in the middle. */
  fit(): void {
    void this.sigma.getCamera().animatedReset();
  }

  zoom(by: "in" | "out"): void {
    const camera = this.sigma.getCamera();
    void (by === "in" ? camera.animatedZoom() : camera.animatedUnzoom());
  }

  /** Colours follow the theme. */
  recolour(): void {
    this.palette = palette();
    this.sigma.setSetting("labelColor", { color: this.palette.text });
    this.sigma.refresh();
  }

  kill(): void {
    this.worker?.terminate();
    this.sigma.kill();
  }

  private dressedNode(id: string, data: NodeData): Partial<NodeData & { color: string; zIndex: number; forceLabel: boolean }> {
    if (this.near && !this.near.has(id)) return { ...data, label: "", color: this.palette["graph-far"], zIndex: 0 };
    return { ...data, color: this.palette[data.start ? "graph-start" : colourOf(data.kind)], zIndex: 1, forceLabel: id === this.looked };
  }

  /** Where a label begins: right of its dot, or left of it where it would leave the picture. */
  private labelStart(data: Labelled, width: number): number {
    const right = data.x + data.size + 4;
    return right + width > this.sigma.getDimensions().width ? Math.max(data.x - data.size - 4 - width, 2) : right;
  }

  /** A label with an edge in the colour of the page, so that lines below do not strike it through. */
  private drawLabel(context: CanvasRenderingContext2D, data: Labelled): void {
    if (!data.label) return;
    context.font = FONT;
    const at = this.labelStart(data, context.measureText(data.label).width);
    context.lineWidth = 3;
    context.lineJoin = "round";
    context.strokeStyle = this.palette.page;
    context.strokeText(data.label, at, data.y + 4);
    context.fillStyle = this.palette.text;
    context.fillText(data.label, at, data.y + 4);
  }

  private drawHover(context: CanvasRenderingContext2D, data: Labelled): void {
    context.font = FONT;
    context.beginPath();
    context.arc(data.x, data.y, data.size + 3, 0, Math.PI * 2);
    context.fillStyle = data.color;
    context.fill();
    if (!data.label) return;
    const width = context.measureText(data.label).width + 12;
    const at = this.labelStart(data, width);
    context.fillStyle = colour("raised");
    context.strokeStyle = colour("line");
    context.lineWidth = 1;
    context.beginPath();
    context.roundRect(at, data.y - 11, width, 22, 4);
    context.fill();
    context.stroke();
    context.fillStyle = this.palette.text;
    context.fillText(data.label, at + 6, data.y + 4);
  }

  private isFar(edge: string): boolean {
    return this.near !== undefined && !this.graph.extremities(edge).every((end) => this.near!.has(end));
  }

  private arrange(): void {
    this.worker?.terminate();
    const graph = this.graph;
    const ids = graph.nodes();
    if (ids.length < 2) return;
    const index = new Map(ids.map((id, at) => [id, at]));
    const positions = Float32Array.from(ids.flatMap((id) => [graph.getNodeAttribute(id, "x"), graph.getNodeAttribute(id, "y")]));
    const edges = Uint32Array.from(graph.edges().flatMap((id) => graph.extremities(id).map((end) => index.get(end)!)));
    const worker = (this.worker = new Worker((trusted ? trusted.createScriptURL(workerUrl) : workerUrl) as string, { type: "module" }));
    worker.addEventListener("message", (event: MessageEvent<{ positions: Float32Array; done: boolean }>) => {
      const at = event.data.positions;
      graph.updateEachNodeAttributes((id, data) => ({ ...data, x: at[2 * index.get(id)!]!, y: at[2 * index.get(id)! + 1]! }), { attributes: ["x", "y"] });
      if (event.data.done) worker.terminate();
    });
    worker.postMessage({ positions, edges }, [positions.buffer, edges.buffer]);
  }
}

function palette(): Record<(typeof NAMES)[number], string> {
  return Object.fromEntries(NAMES.map((name) => [name, colour(name)])) as Record<(typeof NAMES)[number], string>;
}

function firstPlace(before: Picture, index: number, beside: string | undefined): { x: number; y: number } {
  const angle = index * 2.4; // the golden angle spreads evenly
  if (beside === undefined) return { x: Math.sqrt(index) * 10 * Math.cos(angle), y: Math.sqrt(index) * 10 * Math.sin(angle) };
  const { x, y } = before.getNodeAttributes(beside);
  return { x: x + 4 * Math.cos(angle), y: y + 4 * Math.sin(angle) };
}
