// Lays a graph out, beside the page: forces that pull what is related together and push the rest apart.

import Graph from "graphology";
import forceAtlas2 from "graphology-layout-forceatlas2";

export interface Task {
  positions: Float32Array; // x and y of each node
  edges: Uint32Array; // pairs of nodes
}

const SLICE_MS = 40; // between two messages to the page
const LARGE_SLICE_MS = 700; // of a large graph, which takes the page long to draw anew
const FEWEST = 300; // steps, and for so many nodes fewer of them are needed to look settled
const MOST = 900;

addEventListener("message", (event: MessageEvent<Task>) => {
  const { positions, edges } = event.data;
  const graph = new Graph({ multi: true, type: "directed" });
  for (let i = 0; i * 2 < positions.length; i++) graph.addNode(String(i), { x: positions[2 * i], y: positions[2 * i + 1] });
  for (let i = 0; i < edges.length; i += 2) graph.addEdge(String(edges[i]), String(edges[i + 1]));
  const settings = { ...forceAtlas2.inferSettings(graph), barnesHutOptimize: graph.order > 300, gravity: 0.6, adjustSizes: false };
  const steps = graph.order > 800 ? FEWEST : MOST;
  let done = 0;
  while (done < steps) {
    const began = performance.now();
    const once = graph.order > 500 ? 2 : 15;
    while (performance.now() - began < (graph.order > 800 ? LARGE_SLICE_MS : SLICE_MS) && done < steps) {
      forceAtlas2.assign(graph, { iterations: once, settings });
      done += once;
    }
    const out = new Float32Array(positions.length);
    graph.forEachNode((key, at) => {
      out[2 * Number(key)] = at["x"] as number;
      out[2 * Number(key) + 1] = at["y"] as number;
    });
    postMessage({ positions: out, done: done >= steps }, { transfer: [out.buffer] });
  }
});
