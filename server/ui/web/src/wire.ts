// Made by scripts/ui from src/sightline/wire.py and server/ui/shapes.py; change those.

/** A member of a class, interface, struct, enum or module. */
export interface Member {
  entity_id: string;
  name: string;
  qualified_name: string;
  kind: string;
  signature: string;
  path: string;
  start_line: number;
  end_line: number;
}

/** The state of the index that answered. */
export interface IndexOut {
  state: "ready" | "indexing" | "stale";
  generation: number;
  files: number;
  files_failed: number;
  files_total?: number;
}

/** One hit in the fused order; `type` and `id` say which of the full results it is. */
export interface HitResult {
  type: "chunk" | "object" | "relationship";
  id: string;
  rank: number;
  score: number;
  match_type: string;
  path: string;
  start_line: number;
  end_line: number;
  root?: string;
  stale?: boolean;
  why?: Record<string, number>;
}

/** A chunk hit, or the chunk that holds the definition of an object hit (then `entity_id` names the object). */
export interface ChunkResult {
  id: string;
  rank: number;
  score: number;
  match_type: string;
  path: string;
  start_line: number;
  end_line: number;
  language: string;
  symbol: string;
  kind: string;
  text: string;
  highlights: number[][];
  entity_id?: string;
  root?: string;
  stale?: boolean;
}

/** An object. In an answer of API version 1 it also has the deprecated names of its ids (`RENAMED`). */
export interface ObjectResult {
  entity_id: string;
  version_id: string;
  name: string;
  qualified_name: string;
  kind: string;
  language: string;
  path: string;
  start_line: number;
  end_line: number;
  signature: string;
  doc: string;
  visibility: string;
  parent_id: string;
  rank?: number;
  score?: number;
  match_type?: string;
  members?: Member[];
  distance?: number;
  root?: string;
  stale?: boolean;
}

/** One end of a relationship; `entity_id`, `path` and `line` are empty or 0 for something outside the root. */
export interface RelationshipEnd {
  name: string;
  entity_id: string;
  path: string;
  line: number;
}

/** A relationship with how sure it is and how its target was found. */
export interface RelationshipResult {
  id: string;
  relationship_type: string;
  source: RelationshipEnd;
  target: RelationshipEnd;
  triplet: string;
  confidence: number;
  resolution: string;
  path: string;
  site_line: number;
  label?: string;
  rank?: number;
  score?: number;
  match_type?: string;
  similarity?: number;
  distance?: number;
  root?: string;
  stale?: boolean;
}

/** A file that a report is likely about; there may be no hit of it on this page. */
export interface FileResult {
  path: string;
  root?: string;
  stale?: boolean;
}

/** Answer of `search`: the fused order, and the same hits in full by type. */
export interface SearchResponse {
  api_version: number;
  query: string;
  mode: string;
  strategy: string;
  hits: HitResult[];
  chunks: ChunkResult[];
  objects: ObjectResult[];
  relationships: RelationshipResult[];
  warnings: string[];
  timings_ms: Record<string, number>;
  index: IndexOut;
  total: number;
  truncated: boolean;
  next_cursor: string | null;
  total_at_least?: boolean;
  routes?: string[];
  files?: FileResult[];
}

/** Answer of `symbol_search`; `nearest` names what there is instead when nothing matched. */
export interface SymbolsOut {
  api_version: number;
  name: string;
  objects: ObjectResult[];
  nearest: string[];
  warnings: string[];
  index: IndexOut;
  total: number;
}

/** What the limits of an expansion cut. */
export interface LeftOut {
  objects: number;
  relationships: number;
}

/** Answer of `expand_graph`; an ambiguous start gives `candidates` and no relationships. */
export interface GraphOut {
  api_version: number;
  start: string;
  start_objects: ObjectResult[];
  candidates: ObjectResult[];
  nearest: string[];
  objects: ObjectResult[];
  relationships: RelationshipResult[];
  warnings: string[];
  index: IndexOut;
  truncated: boolean;
  left_out: LeftOut;
}

/** One claim of a research answer and the place that shows it. */
export interface FactOut {
  kind: string;
  source: string;
  source_path: string;
  target: string;
  target_path: string;
  path: string;
  line: number;
  confidence: number;
  resolution: string;
  proven: boolean;
  hops: number;
  label: string;
  sites: number[];
  root?: string;
}

/** A part of a research answer, as it is shown. */
export interface SectionOut {
  title: string;
  lines: string[];
  root?: string;
}

/** Evidence that did not fit, and how to get it. */
export interface EvidenceLeftOut {
  what: string;
  count: number;
  how: string;
}

/** Answer of `code_research`; `facts` are exactly the claims that the shown lines make. */
export interface ResearchOut {
  api_version: number;
  question: string;
  kind: string;
  objects: ObjectResult[];
  sections: SectionOut[];
  facts: FactOut[];
  left_out: EvidenceLeftOut[];
  paths: string[];
  stale_paths: string[];
  tokens: number;
  warnings: string[];
  timings_ms: Record<string, number>;
  index: IndexOut;
}

/** One file of the root and why it is in the index or not. */
export interface FileOut {
  path: string;
  state: "indexed" | "skipped" | "failed";
  reason: string;
  language: string;
  size_bytes: number;
  lines: number;
  parse_errors: boolean;
}

/** A symbol that a change is about. */
export interface SymbolOut {
  entity_id: string;
  qualified_name: string;
  kind: string;
  path: string;
  start_line: number;
  end_line: number;
  signature: string;
}

/** What a changed symbol was. */
export interface BeforeOut {
  path: string;
  qualified_name: string;
  signature: string;
}

/** A symbol that differs: added, removed, signature, body, moved or renamed. */
export interface SymbolChangeOut {
  entity_id: string;
  qualified_name: string;
  kind: string;
  path: string;
  start_line: number;
  end_line: number;
  signature: string;
  status: string;
  api: boolean;
}

/** The same of one that was there before and still is. */
export interface SymbolChangedOut {
  entity_id: string;
  qualified_name: string;
  kind: string;
  path: string;
  start_line: number;
  end_line: number;
  signature: string;
  status: string;
  api: boolean;
  before: BeforeOut;
}

/** A symbol that depends on a changed one. */
export interface DependentOut {
  entity_id: string;
  qualified_name: string;
  kind: string;
  path: string;
  start_line: number;
  end_line: number;
  signature: string;
  distance: number;
  confidence: number;
  through: string;
  cause: string;
}

/** A file that differs. */
export interface FileChangeOut {
  path: string;
  status: string;
  note: string;
}

/** A line that still names something that is gone. */
export interface MentionOut {
  name: string;
  path: string;
  line: number;
}

/** A test to run. */
export interface RunnableOut {
  runner: string;
  id: string;
  path: string;
  line: number;
  distance: number;
  likelihood: number;
  reason: string;
}

/** An address that a changed symbol, or one that depends on it, answers. */
export interface RouteOut {
  entity_id: string;
  qualified_name: string;
  kind: string;
  path: string;
  start_line: number;
  end_line: number;
  signature: string;
  method: string;
  address: string;
}

/** A file that usually changes together with changed ones, and did not. */
export interface CompanionOut {
  path: string;
  changed: string;
  support: number;
  confidence: number;
}

/** What `sightline changes --json` prints. */
export interface ChangesOut {
  api_version: number;
  base: string;
  compared: string;
  files: FileChangeOut[];
  symbols: (SymbolChangeOut | SymbolChangedOut)[];
  api: (SymbolChangeOut | SymbolChangedOut)[];
  reached: DependentOut[];
  followers: DependentOut[];
  mentions: MentionOut[];
  tests: RunnableOut[];
  unlikely_tests: RunnableOut[];
  untested: SymbolOut[];
  routes: RouteOut[];
  changes_with: CompanionOut[];
  unseen: string[];
  warnings: string[];
  timings_ms: Record<string, number>;
}

/** What a tool answers: the text an agent reads, how many tokens that takes, and the same as data. */
export interface AnswerOut {
  text: string;
  tokens: number;
  found: boolean;
  ms: number;
  data: Record<string, unknown>;
}

/** A root as the page names it. */
export interface RootOut {
  name: string;
  path: string;
}

/** Files by language, most first. */
export interface LanguagesOut {
  languages: Record<string, number>;
}

/** What the page asks for first. */
export interface AboutOut {
  version: string;
  roots: RootOut[];
  tools: Record<string, string>;
  object_kinds: string[];
  relationship_types: string[];
  proven_confidence: number;
  log_kept: boolean;
}

/** How far indexing is. */
export interface ProgressOut {
  done: number;
  total: number;
  doing: string;
}

/** What changes by itself, of one root. */
export interface HeartbeatOut {
  name: string;
  index: IndexOut;
  last_change: number;
  writer: number;
  queued: number;
  error: string;
  progress: ProgressOut;
}

/** What changes by itself: asked for once a second by a page that is looked at. */
export interface PulseOut {
  roots: HeartbeatOut[];
  memory_bytes: number;
}

/** Everything about one symbol. Without `object` there is none of this id (any more). */
export interface SymbolPageOut {
  object: ObjectResult | null;
  language: string;
  source: string;
  members: Member[];
  around: Member[];
  objects: ObjectResult[];
  relationships: RelationshipResult[];
  left_out: number;
  stale: boolean;
  index: IndexOut;
}

/** A commit that touched a symbol. */
export interface CommitOut {
  id: string;
  at: number;
  what: string;
  subject: string;
  reasons: string;
}

/** The commits that touched a symbol, newest first; without a history, why there is none. */
export interface PastOut {
  commits: CommitOut[];
  looked: number;
  of_file: number;
  shallow: boolean;
  missing: string;
}

/** A file as it is on disk, and what it defines. */
export interface FilePageOut {
  path: string;
  language: string;
  text: string;
  objects: Member[];
  index: IndexOut;
}

/** A folder of the map, and where it is drawn. */
export interface PlaceOut {
  path: string;
  label: string;
  files: number;
  lines: number;
  cycle: number;
  x: number;
  y: number;
  width: number;
  height: number;
}

/** A dependency between two places of the map; `way` is the path of its arrow. */
export interface CrossingOut {
  source: string;
  target: string;
  proven: number;
  possible: number;
  in_cycle: boolean;
  way: string;
}

/** The places below a folder and what they depend on. */
export interface MapOut {
  folder: string;
  levels: number;
  left: number;
  right: number;
  places: PlaceOut[];
  crossings: CrossingOut[];
  cycles: string[][];
  left_out: number;
  index: IndexOut;
}

/** A file or folder that the rules of the root ignore. */
export interface LeftOutFile {
  path: string;
  reason: string;
}

/** Files of a root and why each is in the index or not, a page of them. */
export interface FilesOut {
  files: FileOut[];
  total: number;
  ignored: LeftOutFile[];
}

/** One question of an agent, as the log has it. */
export interface AskedOut {
  at: number;
  root: string;
  tool: string;
  asked: string;
  ms: number;
  answer_chars: number;
  found: boolean;
}

/** What agents asked lately, the latest first; `kept` says whether anybody writes that down. */
export interface AskedListOut {
  kept: boolean;
  asked: AskedOut[];
}
