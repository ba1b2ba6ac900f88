"""Real databases that hold a generated table and run a statement; PostgreSQL where there is one."""

from __future__ import annotations

import csv
import io
import os
import shutil
import sqlite3
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb

from polyclust.table.features import Column

TABLE = 'my "table"; DROP'
ID = "the row's id"


def quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def sql_type(column: Column, is_text: bool, booleans_as: str) -> str:
    """The type under which a database stores the column."""
    types = {type(level) for level in column.levels}
    if column.kind == "boolean" or types == {bool}:
        return booleans_as
    if column.kind == "integer" or (types == {int} and not is_text):
        return "BIGINT"
    if column.kind == "number" or (types <= {int, float} and types and not is_text):
        return "DOUBLE PRECISION"
    return "TEXT"


def create_table(columns: Sequence[Column], is_text: bool, booleans_as: str) -> str:
    defined = [f"{quote(c.name)} {sql_type(c, is_text, booleans_as)}" for c in columns]
    return f"CREATE TABLE {quote(TABLE)} ({quote(ID)} BIGINT, {', '.join(defined)})"


def store(value: Any, booleans_as: str) -> Any:
    return int(value) if isinstance(value, bool) and booleans_as != "BOOLEAN" else value


class SQLite:
    """In memory; booleans are numbers whatever the type is called."""

    dialect = "sqlite"

    def store(self, value: Any, is_text: bool, booleans_as: str) -> Any:
        """SQLite's own conversion of a number to text keeps fifteen digits only; here it keeps all."""
        return repr(value) if is_text and isinstance(value, float) else store(value, booleans_as)

    def run(self, columns: Any, rows: Any, sql: str, is_text: bool, booleans_as: str) -> list[tuple[Any, ...]]:
        with sqlite3.connect(":memory:") as connection:
            connection.execute(create_table(columns, is_text, booleans_as))
            marks = ", ".join("?" * (len(columns) + 1))
            is_texts = [sql_type(c, is_text, booleans_as) == "TEXT" for c in columns]
            stored = [(i, *map(self.store, row, is_texts, [booleans_as] * len(row))) for i, row in enumerate(rows)]
            connection.executemany(f"INSERT INTO {quote(TABLE)} VALUES ({marks})", stored)
            found = connection.execute(sql).fetchall()
        connection.close()
        return found


class DuckDB:
    """In memory."""

    dialect = "duckdb"

    def run(self, columns: Any, rows: Any, sql: str, is_text: bool, booleans_as: str) -> list[tuple[Any, ...]]:
        with duckdb.connect() as connection:
            connection.execute(create_table(columns, is_text, booleans_as))
            marks = ", ".join("?" * (len(columns) + 1))
            for i, row in enumerate(rows):
                values = [i, *(store(v, booleans_as) for v in row)]
                connection.execute(f"INSERT INTO {quote(TABLE)} VALUES ({marks})", values)
            return connection.execute(sql).fetchall()


class PostgreSQL:
    """A private server on a socket in a folder of its own."""

    dialect = "postgres"

    def __init__(self, binaries: Path, folder: Path) -> None:
        self.binaries, self.folder = binaries, folder
        self._as_user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []

    def start(self) -> None:
        if self._as_user:
            shutil.chown(self.folder, "postgres")
        data = str(self.folder / "data")
        self._call("initdb", "-D", data, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        options = f"-k {self.folder} -c listen_addresses='' -c fsync=off"
        self._call("pg_ctl", "-D", data, "-w", "-l", str(self.folder / "log"), "-o", options, "start")

    def stop(self) -> None:
        self._call("pg_ctl", "-D", str(self.folder / "data"), "-m", "immediate", "stop")

    def _call(self, program: str, *arguments: str, text: str | None = None) -> str:
        command = [*self._as_user, str(self.binaries / program), *arguments]
        done = subprocess.run(command, input=text, capture_output=True, encoding="utf-8", cwd="/", check=False)
        if done.returncode:
            raise RuntimeError(f"{program}: {done.stderr}\n{text}")
        return done.stdout

    def run(self, columns: Any, rows: Any, sql: str, is_text: bool, booleans_as: str) -> list[tuple[Any, ...]]:
        lines = io.StringIO()
        writer = csv.writer(lines, quoting=csv.QUOTE_ALL, lineterminator="\n")
        writer.writerows([(i, *(write(store(v, booleans_as)) for v in row)) for i, row in enumerate(rows)])
        script = (
            f"BEGIN;\n{create_table(columns, is_text, booleans_as)};\n"
            f"COPY {quote(TABLE)} FROM STDIN WITH (FORMAT csv, NULL '\\N', FORCE_NULL "
            f"({', '.join(quote(c.name) for c in columns)}));\n"
            f"{lines.getvalue()}\\.\nCOPY ({sql}) TO STDOUT WITH (FORMAT csv, NULL '\\N');\nROLLBACK;\n"
        )
        # A lone backslash at a line's start would end the data: psql reads the script from a pipe.
        flags = ("-X", "-q", "-v", "ON_ERROR_STOP=1", "-h", str(self.folder), "-d", "postgres")
        out = self._call("psql", *flags, text=script)
        found = list(csv.reader(io.StringIO(out, newline="")))
        return [(int(r[0]), *r[1:-1], None if r[-1] == "\\N" else int(r[-1])) for r in found]


def write(value: Any) -> str:
    return "\\N" if value is None else repr(value) if isinstance(value, float) else str(value)


def find_postgres() -> Path | None:
    """The folder of the newest installed server's programs."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    local = shutil.which("initdb")
    return found[-1].parent if found else Path(local).parent if local else None
