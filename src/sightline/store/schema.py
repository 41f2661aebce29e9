"""The tables' columns, and how records become rows and rows records again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute
import xxhash

from sightline.triplet import triplet
from sightline.types import Chunk, FileRecord, FileState, Lookups, Object, Relationship

if TYPE_CHECKING:
    from sightline.types import Vector

# Text is compressed in blocks of neighbouring values, a quarter smaller than value by value, and names to half.
_TEXT = {"lance-encoding:compression": "zstd", "lance-encoding:structural-encoding": "miniblock"}


# How an embedding is stored. Narrow: each number as a share of the largest, in a byte; the cosine is right to 0.002 and
# the index a quarter smaller than with half precision. LanceDB indexes floating point alone, so a table that gets a
# vector index is written anew with wide ones.
NARROW, WIDE = pa.int8(), pa.float16()
_NARROW_MAX = 127
_PREDICATE_PATHS = 500  # paths per predicate
_SPLIT_ROWS = 256  # rows without embedding from which on a fragment of their own pays


def vector_field(dim: int, stored: pa.DataType = NARROW) -> pa.Field:
    """The embedding column; null where a row has none."""
    return pa.field("vector", pa.list_(stored, dim), nullable=True)


def stored_as(table_schema: pa.Schema) -> pa.DataType:
    """How the embeddings of a table are stored, `NARROW` or `WIDE`."""
    return table_schema.field("vector").type.value_type


FILES = pa.schema(
    [
        pa.field("path", pa.string()),
        pa.field("language", pa.string()),
        pa.field("size_bytes", pa.int64()),
        pa.field("mtime_ns", pa.int64()),
        pa.field("content_hash", pa.string()),
        pa.field("state", pa.string()),
        pa.field("reason", pa.string()),
        pa.field("lines", pa.int32()),
        pa.field("parse_errors", pa.bool_()),
        pa.field("facts", pa.binary()),
    ]
)


def chunks_schema(dim: int, stored: pa.DataType = NARROW) -> pa.Schema:
    return pa.schema(
        [
            pa.field("id", pa.uint64()),
            pa.field("path", pa.string()),
            pa.field("start_line", pa.int32()),
            pa.field("end_line", pa.int32()),
            pa.field("language", pa.string()),
            pa.field("symbol", pa.string(), metadata=_TEXT),
            pa.field("kind", pa.string()),
            pa.field("signature", pa.string(), metadata=_TEXT),
            pa.field("text", pa.string(), metadata=_TEXT),
            pa.field("context", pa.string(), metadata=_TEXT),
            vector_field(dim, stored),
        ]
    )


def objects_schema(dim: int, stored: pa.DataType = NARROW) -> pa.Schema:
    return pa.schema(
        [
            pa.field("id", pa.uint64()),  # entity_id
            pa.field("version", pa.uint64()),
            pa.field("path", pa.string()),
            pa.field("start_line", pa.int32()),
            pa.field("end_line", pa.int32()),
            pa.field("name", pa.string(), metadata=_TEXT),
            pa.field("qualified_name", pa.string(), metadata=_TEXT),
            pa.field("kind", pa.string()),
            pa.field("language", pa.string()),
            pa.field("visibility", pa.string()),
            pa.field("parent", pa.uint64()),
            pa.field("signature", pa.string(), metadata=_TEXT),
            pa.field("doc", pa.string(), metadata=_TEXT),
            vector_field(dim, stored),
        ]
    )


def relationships_schema(dim: int, stored: pa.DataType = NARROW) -> pa.Schema:
    return pa.schema(
        [
            pa.field("id", pa.uint64()),
            pa.field("path", pa.string()),
            pa.field("start_line", pa.int32()),  # the site
            pa.field("relationship_type", pa.string()),
            pa.field("resolution", pa.string()),
            pa.field("confidence", pa.float32()),
            pa.field("source", pa.uint64()),
            pa.field("target", pa.uint64()),  # 0 = outside the root
            pa.field("source_name", pa.string(), metadata=_TEXT),
            pa.field("target_name", pa.string(), metadata=_TEXT),
            pa.field("target_path", pa.string()),
            pa.field("label", pa.string()),  # of `registers`: the event, key or field
            vector_field(dim, stored),
        ]
    )


# What resolving a file gave to others and read from them, so that an edit finds out whom it concerns.
LOOKUPS = pa.schema(
    [
        pa.field("path", pa.string()),
        pa.field("gives", pa.binary()),
        pa.field("reads", pa.binary()),
        pa.field("includes", pa.binary()),
    ]
)


def key(text_id: str) -> int:
    """Return the row key of an id; "" is 0."""
    return int(text_id, 16) if text_id else 0


def text_id(row_key: int) -> str:
    """Return the id of a row key; 0 is ""."""
    return f"{row_key:016x}" if row_key else ""


def chunk_id(chunk: Chunk) -> str:
    """Identify a chunk by place and content."""
    return xxhash.xxh3_64_hexdigest(f"{chunk.path}\0{chunk.start_line}\0{chunk.text}".encode("utf-8", "surrogatepass"))


def object_dim(dim: int, short_dim: int) -> int:
    """How wide object vectors are: between chunks and relationships.

    Objects weigh in the ranking: NDCG@10 is 0.8865 with 64 dimensions, 0.8932 with 160 (relationships at 64), 0.8945
    with all 256 for both (scripts/bench quality, 28 repositories, 2026-11-16).
    """
    return min(dim, short_dim * 5 // 2)


def shortened(vectors: Vector, width: int) -> Vector:
    """Keep the leading dimensions and normalise again; zero rows stay zero."""
    if vectors.shape[-1] == width:
        return vectors
    cut = vectors[..., :width]
    norm = np.linalg.norm(cut, axis=-1, keepdims=True)
    shortened_: Vector = np.divide(cut, norm, out=np.zeros_like(cut), where=norm > 0)
    return shortened_


def narrowed(vectors: Vector) -> npt.NDArray[np.int8]:
    """Each number as a share of its row's largest, in a byte; zero rows stay zero."""
    largest = np.abs(vectors).max(axis=1, keepdims=True)
    shares: npt.NDArray[np.int8] = np.rint(vectors * (_NARROW_MAX / np.where(largest > 0, largest, 1))).astype(np.int8)
    return shares


def vectors_to_arrow(
    vectors: Vector | None, present: Sequence[bool] | None, count: int, dim: int, stored: pa.DataType = NARROW
) -> pa.Array:
    """Return a vector column; a row is null where it is not present, all zero or not finite.

    Wide numbers are made from the narrow ones, too: a row is the same whether it came before or after the widening.
    """
    if vectors is None or count == 0:
        return pa.nulls(count, pa.list_(stored, dim))
    if vectors.shape != (count, dim):
        raise ValueError(f"expected {count} vectors of {dim} dimensions, got {vectors.shape}")
    usable = np.isfinite(vectors).all(axis=1) & (np.abs(vectors).sum(axis=1) > 0)
    if present is not None:
        usable &= np.asarray(present, dtype=bool)
    values: npt.NDArray[Any] = narrowed(np.where(usable[:, None], vectors, 0))
    if stored != NARROW:
        values = unit_vectors(values).astype(np.float16)
    return pa.FixedSizeListArray.from_arrays(pa.array(values.reshape(-1)), dim, mask=pa.array(~usable))


def stored_vectors(column: pa.ChunkedArray, dim: int) -> tuple[npt.NDArray[Any], npt.NDArray[np.bool_]]:
    """Return (the embeddings as they are stored, of the rows that have one; has-a-vector mask)."""
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if isinstance(array, pa.ChunkedArray):
        array = array.chunk(0) if array.num_chunks else pa.nulls(0, pa.list_(NARROW, dim))
    present = np.asarray(array.is_valid())
    kind = np.float16 if array.type.value_type == WIDE else np.int8
    if not present.any():
        return np.empty((0, dim), kind), present
    # Numbers of rows without an embedding are null too, for which pyarrow would make floats of all of them.
    first, memory = array.values.offset + array.offset * dim, array.values.buffers()[1]
    numbers = np.frombuffer(memory, kind)[first : first + len(array) * dim].reshape(-1, dim)
    return numbers if present.all() else numbers[present], present


def unit_vectors(stored: npt.NDArray[Any]) -> Vector:
    """Embeddings as numbers to calculate with, from what is stored; zero rows stay zero."""
    values = stored.astype(np.float32)
    if stored.dtype == np.int8:  # sums of their squares are whole numbers that single precision holds exactly
        lengths = np.linalg.norm(values, axis=1, keepdims=True)
        values /= np.where(lengths > 0, lengths, 1)
    return values


def arrow_to_vectors(column: pa.ChunkedArray, dim: int) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_]]:
    """Return (vectors with zero rows for null, has-a-vector mask)."""
    stored, present = stored_vectors(column, dim)
    vectors = np.zeros((len(present), dim), dtype=np.float32)
    vectors[present] = unit_vectors(stored)
    return vectors, present


def widened(table: pa.Table) -> pa.Table:
    """The same rows with embeddings that LanceDB can index."""
    place = table.schema.get_field_index("vector")
    dim = table.schema.field(place).type.list_size
    vectors, present = arrow_to_vectors(table["vector"], dim)
    wide = vectors_to_arrow(vectors, present.tolist(), len(table), dim, WIDE)
    return table.set_column(place, vector_field(dim, WIDE), wide)


def files_table(records: Sequence[FileRecord], facts: Sequence[bytes]) -> pa.Table:
    columns = {name: [getattr(record, name) for record in records] for name in FILES.names if name != "facts"}
    return pa.table({**columns, "facts": list(facts)}, schema=FILES)


def file_record(row: dict[str, Any]) -> FileRecord:
    state = row["state"]
    assert state in get_args(FileState), state
    return FileRecord(**{name: row[name] for name in FILES.names if name != "facts"})


def chunks_table(chunks: Sequence[Chunk], vectors: pa.Array, dim: int) -> pa.Table:
    columns: dict[str, Any] = {
        name: [getattr(chunk, name) for chunk in chunks]
        for name in ("path", "start_line", "end_line", "language", "symbol", "kind", "signature", "text", "context")
    }
    ids = np.fromiter((key(chunk_id(chunk)) for chunk in chunks), np.uint64, len(chunks))
    return pa.table({"id": ids, **columns, "vector": vectors}, schema=chunks_schema(dim, vectors.type.value_type))


def chunk_of(row: dict[str, Any]) -> Chunk:
    return Chunk(
        path=row["path"],
        start_line=row["start_line"],
        end_line=row["end_line"],
        language=row["language"],
        text=row["text"],
        symbol=row["symbol"],
        kind=row["kind"],
        signature=row["signature"],
        context=row["context"],
    )


def objects_table(objects: Sequence[Object], vectors: pa.Array, dim: int) -> pa.Table:
    names = (
        "path",
        "start_line",
        "end_line",
        "name",
        "qualified_name",
        "kind",
        "language",
        "visibility",
        "signature",
        "doc",
    )
    columns: dict[str, Any] = {name: [getattr(obj, name) for obj in objects] for name in names}
    count = len(objects)
    columns["id"] = np.fromiter((key(obj.entity_id) for obj in objects), np.uint64, count)
    columns["version"] = np.fromiter((key(obj.version_id) for obj in objects), np.uint64, count)
    columns["parent"] = np.fromiter((key(obj.parent_id) for obj in objects), np.uint64, count)
    return pa.table({**columns, "vector": vectors}, schema=objects_schema(dim, vectors.type.value_type))


def object_of(row: dict[str, Any]) -> Object:
    return Object(
        entity_id=text_id(row["id"]),
        version_id=text_id(row["version"]),
        path=row["path"],
        name=row["name"],
        qualified_name=row["qualified_name"],
        kind=row["kind"],
        language=row["language"],
        start_line=row["start_line"],
        end_line=row["end_line"],
        signature=row["signature"],
        doc=row["doc"],
        visibility=row["visibility"],
        parent_id=text_id(row["parent"]),
    )


def relationships_table(relationships: Sequence[Relationship], vectors: pa.Array, dim: int) -> pa.Table:
    names = (
        "path",
        "relationship_type",
        "resolution",
        "confidence",
        "source_name",
        "target_name",
        "target_path",
        "label",
    )
    columns: dict[str, Any] = {name: [getattr(edge, name) for edge in relationships] for name in names}
    count = len(relationships)
    columns["id"] = np.fromiter((key(edge.id) for edge in relationships), np.uint64, count)
    columns["source"] = np.fromiter((key(edge.source_id) for edge in relationships), np.uint64, count)
    columns["target"] = np.fromiter((key(edge.target_id) for edge in relationships), np.uint64, count)
    columns["start_line"] = np.fromiter((edge.site_line for edge in relationships), np.int32, count)
    return pa.table({**columns, "vector": vectors}, schema=relationships_schema(dim, vectors.type.value_type))


def lookups_table(lookups: Mapping[str, Lookups]) -> pa.Table:
    columns = {
        "path": list(lookups),
        "gives": [each.gives for each in lookups.values()],
        "reads": [each.reads for each in lookups.values()],
        "includes": [each.includes for each in lookups.values()],
    }
    return pa.table(columns, schema=LOOKUPS)


def relationship_of(row: dict[str, Any]) -> Relationship:
    return Relationship(
        id=text_id(row["id"]),
        relationship_type=row["relationship_type"],
        path=row["path"],
        source_id=text_id(row["source"]),
        source_name=row["source_name"],
        target_id=text_id(row["target"]),
        target_name=row["target_name"],
        target_path=row["target_path"],
        triplet=triplet(row["source_name"], row["relationship_type"], row["target_name"], row["label"]),
        confidence=round(row["confidence"], 4),
        resolution=row["resolution"],
        site_line=row["start_line"],
        label=row["label"],
    )


def by_embedding(rows: pa.Table) -> list[pa.Table]:
    """Split rows into those with and those without an embedding where that pays.

    A null vector takes as much room as any other, unless the whole fragment has none.
    """
    if "vector" in rows.column_names and rows["vector"].null_count >= _SPLIT_ROWS:
        empty = pa.compute.is_null(rows["vector"])
        parts = [rows.filter(pa.compute.invert(empty)), rows.filter(empty)]
    else:
        parts = [rows]
    return [part for part in parts if part.num_rows]


def path_predicates(paths: Sequence[str]) -> Iterator[str]:
    """Conditions that hold for the rows of these files, so many at a time."""
    for start in range(0, len(paths), _PREDICATE_PATHS):
        quoted = ", ".join("'" + path.replace("'", "''") + "'" for path in paths[start : start + _PREDICATE_PATHS])
        yield f"path IN ({quoted})"
