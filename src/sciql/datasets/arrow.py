"""pyarrow's tables as numpy's columns, part by part."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Bool, Int

from sciql.datasets.spaces import WIDEST
from sciql.errors import SciqlError

if TYPE_CHECKING:
    import pyarrow as pa

HEAD = 2**16  # bytes of a file in which its first line ends
MOST_ACTIONS = 1000  # to choose from
NO_ACTION = -1  # where a row names none


def schema(file: Path, kind: str) -> "pa.Schema":
    """Names and types of the columns, as a CSV's first lines let them look."""
    if kind == "parquet":
        import pyarrow.parquet as parquet

        return parquet.read_schema(file)
    from pyarrow import csv

    with csv.open_csv(file, parse_options=_parsing(file)) as reader:
        return reader.schema


def rows(files: Sequence[Path]) -> int:
    """Of Parquet files, as their footers tell."""
    import pyarrow.parquet as parquet

    return sum(parquet.read_metadata(file).num_rows for file in files)


def parts(
    files: Sequence[Path],
    kind: str,
    known: "pa.Schema",
    columns: list[str],
    floats: set[str],
    size: int,
    *,
    whole: bool,
) -> Iterator["pa.RecordBatch"]:
    """At most `size` rows at a time; `whole` reads each file at once, which is faster where memory holds it."""
    for file in files:
        if kind == "parquet":
            yield from _parquet(file, columns, size, whole=whole)
        else:
            yield from _csv(file, known, columns, floats, size, whole=whole)


def _parquet(file: Path, columns: list[str], size: int, *, whole: bool) -> Iterator["pa.RecordBatch"]:
    import pyarrow.parquet as parquet

    with parquet.ParquetFile(file) as opened:
        there = set(opened.schema_arrow.names)
        if missing := [name for name in columns if name not in there]:
            raise SciqlError(f"{file} has no column {missing[0]!r}, which other files beside it have")
        if whole:
            yield from opened.read(columns).to_batches(size)
        else:
            yield from opened.iter_batches(size, columns=columns)


def _csv(
    file: Path, known: "pa.Schema", columns: list[str], floats: set[str], size: int, *, whole: bool
) -> Iterator["pa.RecordBatch"]:
    import pyarrow as pa
    from pyarrow import csv

    declared = {field.name: field.type for field in known}
    declared |= {name: pa.float32() for name in floats}
    # A whole number in the first lines may have a fraction in later ones.
    loose = {name: pa.float64() for name in columns if name not in floats and pa.types.is_integer(declared[name])}
    options: dict[str, Any] = {
        "parse_options": _parsing(file),
        "convert_options": csv.ConvertOptions(
            include_columns=columns, column_types=declared | loose, strings_can_be_null=True
        ),
    }
    if whole:
        yield from csv.read_csv(file, **options).to_batches(size)
        return
    with csv.open_csv(file, **options) as reader:
        for block in reader:
            yield from pa.Table.from_batches([block]).to_batches(size)


def _parsing(file: Path) -> Any:
    """What parts the columns: a comma, or a semicolon or tabulator where the first line has no comma."""
    import pyarrow as pa
    from pyarrow import csv

    with pa.input_stream(str(file), compression="detect") as stream:
        line = stream.read(HEAD).split(b"\n")[0]
    other = next((sign for sign in (";", "\t") if b"," not in line and sign.encode() in line), ",")
    return csv.ParseOptions(delimiter=other)


def width_of(kind: "pa.DataType") -> int | None:
    """Numbers in a row of a column of this type: 0 if a list does not say how many; None if it holds no numbers."""
    import pyarrow.types as types

    if types.is_fixed_size_list(kind):
        return kind.list_size if width_of(kind.value_type) == 1 and kind.list_size <= WIDEST else None
    if types.is_list(kind) or types.is_large_list(kind):
        return 0 if width_of(kind.value_type) == 1 else None
    return 1 if types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind) else None


def number_column(column: "pa.Array", name: str, source: str) -> np.ndarray:
    """A column of numbers, NaN where there are none; a list in each row makes a table."""
    import pyarrow as pa
    import pyarrow.types as types

    kind = column.type
    if not column.null_count and types.is_primitive(kind) and not types.is_temporal(kind):
        return column.to_numpy(zero_copy_only=False)
    if types.is_dictionary(kind):
        column = column.cast(kind.value_type)
    if types.is_decimal(kind):
        column = column.cast(pa.float64())
    if types.is_timestamp(kind) or types.is_date(kind) or types.is_duration(kind):
        column = column.cast(pa.int64() if not types.is_date32(kind) else pa.int32())
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return _table_of_lists(column, name, source)
    require_numbers(column.type, name, source)
    if column.null_count:
        column = column.cast(pa.float64() if not types.is_floating(column.type) else column.type)
    return column.to_numpy(zero_copy_only=False)


def require_numbers(kind: "pa.DataType", name: str, source: str) -> None:
    """A sentence about a column of anything else."""
    import pyarrow.types as types

    of_lists = types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)
    counts = (types.is_decimal, types.is_temporal, types.is_dictionary, types.is_null)
    if not of_lists and width_of(kind) is None and not any(is_one(kind) for is_one in counts):
        what = "images or other files" if types.is_struct(kind) or types.is_binary(kind) else f"{kind} values"
        raise SciqlError(
            f"column {name!r} of {source} holds {what}, which sciql does not learn from; name columns of numbers only"
        )


def _table_of_lists(column: "pa.Array", name: str, source: str) -> np.ndarray:
    import pyarrow.types as types

    fixed = types.is_fixed_size_list(column.type) and not column.null_count
    lengths = [column.type.list_size] if fixed else [None if one is None else len(one) for one in column.to_pylist()]
    lengths = list(dict.fromkeys(lengths))
    if len(lengths) != 1 or not lengths[0]:
        told = ", ".join(str(length) for length in lengths[:5])
        raise SciqlError(f"lists in column {name!r} of {source} have {told} numbers; all rows need as many")
    return number_column(column.flatten(), name, source).reshape(len(column), lengths[0])


def flag_column(column: "pa.Array", name: str, source: str) -> Bool[np.ndarray, " n"]:
    """Truth values, also written as 0 and 1."""
    numbers = number_column(column, name, source)
    if numbers.ndim != 1 or not np.isin(numbers, (0, 1)).all():
        raise SciqlError(
            f"column {name!r} of {source} flags the ends of episodes; it may hold true, false, 1 or 0 only"
        )
    return numbers.astype(bool)


def code_column(column: "pa.Array", codes: dict[Any, int], missing: int | None, what: str) -> Int[np.ndarray, " n"]:
    """A number for each value, in the order in which values appear; `codes` remembers them from part to part."""
    if np.issubdtype(column.type.to_pandas_dtype(), np.integer) and not column.null_count:
        numbers = column.to_numpy()
        begun = np.flatnonzero(np.concatenate([[True], numbers[1:] != numbers[:-1]]))
        runs = [codes.setdefault(value, len(codes)) for value in numbers[begun].tolist()]
        return np.repeat(np.array(runs, np.int32), np.diff(np.append(begun, len(numbers))))
    encoded = column if hasattr(column, "dictionary") else column.dictionary_encode()
    values: list[Any] = encoded.dictionary.to_pylist()
    table = np.array([codes.setdefault(value, len(codes)) for value in values], np.int32)
    indices = encoded.indices
    if indices.null_count:
        if missing is None:
            raise SciqlError(f"{what} is empty in some rows; fill it in or remove those rows")
        known = indices.is_valid().to_numpy(zero_copy_only=False)
        chosen = indices.fill_null(0).to_numpy(zero_copy_only=False)
        return np.where(known, table[chosen] if len(table) else missing, missing)
    return table[indices.to_numpy(zero_copy_only=False)]


def in_order(
    codes: Int[np.ndarray, " n"], values: dict[Any, int], source: str
) -> tuple[Int[np.ndarray, " n"], list[str]]:
    """Choices numbered by their own order, whole numbers from 0 on by themselves, and what each is called."""
    if not values:
        raise SciqlError(f"no row of {source} names an action")
    whole = all(isinstance(value, (int, float)) and float(value).is_integer() for value in values)
    numbers = sorted(int(value) for value in values) if whole else []
    if len(values) > MOST_ACTIONS or (whole and numbers[-1] - min(numbers[0], 0) >= MOST_ACTIONS):
        raise SciqlError(
            f"the action column of {source} has whole numbers up to {numbers[-1]}, or {len(values)} different values: "
            "too many to choose from; give bounds if it is one number to be set"
        )
    if whole:
        first = min(numbers[0], 0)
        table, named = np.array([int(value) - first for value in values]), list(range(first, numbers[-1] + 1))
    else:
        named = sorted(values, key=str)
        table = np.array([named.index(value) for value in values])
    # The last place is for NO_ACTION.
    return np.append(table, NO_ACTION).astype(np.int32)[codes], [str(one) for one in named]
