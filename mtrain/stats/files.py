"""Tables on the disk: frames as Parquet files and back, and files that are there whole or not at all.

The same rows give the same bytes, and a file carries the meaning and the unit of every column. This module knows no
table by its name.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from mtrain.stats.tables import MASKED, ResultsError, Table, cast, categorical

UNFINISHED = ".tmp"
"""What the name of a file ends with until it is complete."""


def to_arrow(table: Table, rows: pd.DataFrame) -> pa.Table:
    """The frame as an Arrow table with this table's schema; null where a nullable number is absent."""
    arrays = []
    for column, field in zip(table.columns, table.schema, strict=True):
        values = rows[column.name].array
        if isinstance(values, pd.Categorical):
            codes = pa.array(np.asarray(values.codes).astype(np.int16), mask=np.asarray(values.isna()))
            arrays.append(pa.DictionaryArray.from_arrays(codes, pa.array(list(values.categories), pa.string())))
        elif isinstance(values, pd.arrays.FloatingArray):
            missing = np.asarray(values.isna())
            arrays.append(pa.array(values.to_numpy(np.float64, na_value=0.0), mask=missing))
        elif column.dtype == "str":
            arrays.append(pa.array(values.astype(object), pa.string(), from_pandas=True))
        elif isinstance(values, MASKED):
            arrays.append(pa.array(values, field.type))
        else:
            arrays.append(pa.array(np.asarray(values), field.type))
    return pa.Table.from_arrays(arrays, schema=table.schema)


def from_arrow(
    table: Table, rows: pa.Table, columns: Sequence[str] | None = None, labels: Sequence[str] | None = None
) -> pd.DataFrame:
    """The Arrow table as a frame with this table's dtypes; only `columns`, if given. `labels` as in `frame`.

    A column that came later than the rows is null.
    """
    rows = rows.unify_dictionaries()
    data: dict[str, Any] = {}
    for name in columns or table.names:
        column = table[name]
        if name in rows.column_names:
            values = rows.column(name)
        else:
            values = pa.chunked_array([pa.nulls(rows.num_rows, table.schema.field(name).type)])
        if column.dtype == "category":
            if not pa.types.is_dictionary(values.type):
                values = values.dictionary_encode()
            whole = values.combine_chunks()
            if isinstance(whole, pa.ChunkedArray):  # no chunk at all, or more than one array can hold
                whole = pa.concat_arrays(whole.chunks) if whole.num_chunks else pa.array([], values.type)
            given = pd.Categorical.from_codes(
                whole.indices.fill_null(-1).to_numpy(zero_copy_only=False), categories=whole.dictionary.to_pylist()
            )
            choices = column.choices or labels
            data[name] = categorical(given, choices or sorted(given.categories), f"column {name!r} of {table.name!r}")
        elif column.dtype == "str":
            data[name] = pd.array(np.array(values.to_pylist(), dtype=object), dtype="str")
        elif values.null_count and column.dtype != "Float64":
            kind = "boolean" if column.dtype == "bool" else column.dtype.capitalize()
            data[name] = pd.array(values.to_pylist(), dtype=kind)
        else:
            data[name] = cast(table, column, values.to_numpy(), labels)
    return pd.DataFrame(data, copy=False)


def to_parquet(table: Table, rows: pd.DataFrame) -> bytes:
    """The frame as the bytes of a Parquet file. The same rows give the same bytes."""
    sink = pa.BufferOutputStream()
    pq.write_table(to_arrow(table, rows), sink, compression="zstd")
    return sink.getvalue().to_pybytes()  # type: ignore[no-any-return]


def write(table: Table, rows: pd.DataFrame, path: Path) -> Path:
    """Write the frame to a Parquet file: whole or not at all. The same rows give the same bytes."""
    return put(path, to_parquet(table, rows))


def put(path: Path, data: bytes) -> Path:
    """Write bytes to a file, under another name until they are complete and on the disk."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # A run and a report of it may write at once.
    unfinished = path.with_name(f"{path.name}.{os.getpid()}{UNFINISHED}")
    try:
        with unfinished.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            unfinished.unlink(missing_ok=True)
        raise
    settle(path.parent)
    return path


def settle(folder: Path) -> None:
    """Have the names in a folder on the disk, where the system can be asked to."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        except OSError as error:
            if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # some file systems know no such thing
                raise
        finally:
            os.close(handle)


def outdated(table: Table, path: Path) -> bool:
    """Was a Parquet file written when the table had fewer columns?"""
    try:
        return not set(table.names) <= set(pq.read_schema(path).names)
    except (OSError, pa.ArrowException):
        return False  # damaged, not old: whoever reads it says so


def read(
    table: Table, paths: Iterable[Path], columns: Sequence[str] | None = None, labels: Sequence[str] | None = None
) -> pd.DataFrame:
    """Read Parquet files of this table, one after the other, into one frame; only `columns`, if given.

    Raises
    ------
    ResultsError
        A file can't be read, lacks what tells its rows apart or holds an agent that isn't among `labels`.
    """
    parts = []
    for path in paths:
        try:
            parts.append(pq.ParquetFile(path).read(None if columns is None else list(columns)))
        except (OSError, pa.ArrowException) as error:
            raise ResultsError(
                f"{path} can't be read as a {table.name!r} table: {' '.join(str(error).split())}"
            ) from error
        needed = {*table.key, "agent"} & set(columns or table.names)
        if gone := sorted(needed - set(parts[-1].column_names)):
            raise ResultsError(f"{path} lacks the column {gone[0]!r} of table {table.name!r}")
    if not parts:
        return from_arrow(table, table.schema.empty_table(), columns, labels)
    return from_arrow(table, pa.concat_tables(parts, promote_options="permissive"), columns, labels)
