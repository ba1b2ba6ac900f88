"""Whatever is wrong: one line that says what and where, exit code 1, no traceback, nothing written."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from polyclust.cli.checking import check_options, speak_of_options

Make = Callable[[Path], object]


def text(content: str | bytes) -> Make:
    def write(folder: Path) -> str:
        (folder / "t.csv").write_bytes(content if isinstance(content, bytes) else content.encode())
        return "t.csv"

    return write


def nowhere(folder: Path) -> str:
    return "nowhere.csv"


def a_folder(folder: Path) -> str:
    (folder / "inner").mkdir()
    return "inner"


def a_huge_file_of_nothing(folder: Path) -> str:
    with (folder / "huge.csv").open("wb") as stream:
        stream.truncate(2 * 2**30)
    return "huge.csv"


def broken_parquet(folder: Path) -> str:
    (folder / "t.parquet").write_bytes(b"PAR1 not really")
    return "t.parquet"


def broken_excel(folder: Path) -> str:
    (folder / "t.xlsx").write_bytes(b"PK\x03\x04 not really")
    return "t.xlsx"


def compressed(ending: str) -> Make:
    def write(folder: Path) -> str:
        table = pd.DataFrame({"a": range(9), "b": [1, 2, 5] * 3})
        table.to_csv(folder / f"t.csv.{ending}", index=False)
        return f"t.csv.{ending}"

    return write


def an_address(folder: Path) -> str:
    return "https://example.com/t.csv"


def repeated_in_excel(folder: Path) -> str:
    pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"]).to_excel(folder / "t.xlsx", index=False)
    return "t.xlsx"


CASES: dict[str, tuple[Make, list[str]]] = {
    "no file": (nowhere, ["nowhere.csv", "does not exist"]),
    "a folder": (a_folder, ["inner", "folder"]),
    "empty": (text(""), ["t.csv", "empty"]),
    "blank": (text("\n\n  \n"), ["t.csv", "no text"]),
    "header only": (text("a,b\n"), ["t.csv", "no rows"]),
    "another separator": (text("a b\n1 2\n3 4\n5 6\n"), ["t.csv", "one column", "' '", "--sep"]),
    "one column too wide": (text("a\nx,1\ny,2\nz,3\n"), ["line 2", "t.csv", "--sep"]),
    "repeated column": (text("a,b,a\n1,2,3\n4,5,6\n"), ["t.csv", "'a'", "rename"]),
    "too many fields": (text("a,b\n1,2\n3,4,5\n6,7\n"), ["line 3", "t.csv", "3 fields"]),
    "too few fields": (text("a,b\n1,2\n3\n6,7\n"), ["line 3", "t.csv", "1 field "]),
    "mixed types": (
        text("a,b\n" + "".join(f"{i},{i * i % 7}\n" for i in range(20)) + "old,3\n"),
        ["'a'", "'old'", "row 21", "--categorical a"],
    ),
    "infinity": (
        text("a,b\n" + "".join(f"{i}.5,{i % 3}\n" for i in range(9)) + "inf,1\n"),
        ["'a'", "row 10"],
    ),
    "nothing to use": (
        text("id,day\n" + "".join(f"x{i},2024-01-0{i + 1}\n" for i in range(9))),
        ["no column"],
    ),
    "one row": (text("a,b,c\n1,2,x\n"), ["t.csv", "one row only"]),
    "one row many times": (text("a,b,c\n" + "1,2,x\n" * 9), ["t.csv", "same values in all 9 rows"]),
    "few rows": (text("a,b\n1,2\n3,4\n"), ["t.csv", "2 rows", "too few"]),
    "all rows incomplete": (text("a,b\n1,\n,2\n3,\n,4\n5,\n,1\n"), ["missing", "--ignore"]),
    "not text": (text(b"\x00\x01\x02\x03" * 100), ["t.csv", "not a text table"]),
    "2 GB": (a_huge_file_of_nothing, ["huge.csv"]),
    "broken parquet": (broken_parquet, ["t.parquet", "parquet"]),
    "broken Excel": (broken_excel, ["t.xlsx", "Excel"]),
    "gzip": (compressed("gz"), ["t.csv.gz", "compressed", "unpack"]),
    "zip": (compressed("zip"), ["t.csv.zip", "zip archive", "unpack"]),
    "xz": (compressed("xz"), ["t.csv.xz", "compressed", "unpack"]),
    "an address": (an_address, ["https://example.com/t.csv is an address", "download"]),
    "JSON": (text('[{"a": 1, "b": 2}, {"a": 3, "b": 4}]'), ["t.csv", "JSON", "csv or parquet"]),
    "JSON lines": (text("".join(f'{{"a": {i}, "b": {i % 3}}}\n' for i in range(9))), ["t.csv", "JSON"]),
    "a web page": (text("<!DOCTYPE html>\n<html><body>sign in</body></html>\n"), ["t.csv", "web page"]),
    "a word to Excel": (text("sep=;\na;b\n" + "1;2\n3;5\n" * 9), ["t.csv", "'sep=;'", "delete that line"]),
    "a title": (text("# of May\na,b\n" + "1,2\n3,5\n" * 9), ["line 2", "t.csv", "lines above the header"]),
    "repeated in Excel": (repeated_in_excel, ["t.xlsx", "'a'", "rename"]),
}


def assert_one_line(done, *parts: str) -> None:
    assert done.returncode == 1, (done.returncode, done.stderr)
    lines = done.stderr.splitlines()
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("polyclust: ")
    assert "Traceback" not in done.stderr
    assert "unexpected" not in done.stderr
    for part in parts:
        assert part in lines[0], (part, lines[0])


@pytest.mark.parametrize("case", CASES)
def test_one_line_and_nothing_written(case: str, tmp_path: Path, run) -> None:
    make, parts = CASES[case]
    path = make(tmp_path)
    before = sorted(p.name for p in tmp_path.iterdir())
    assert_one_line(run("fit", path, "-o", "out", cwd=tmp_path), *parts)
    assert sorted(p.name for p in tmp_path.iterdir()) == before


GOOD = "a,b\n" + "".join(f"{i % 10 + 20 * (i % 2)},{i % 7}\n" for i in range(60))


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["--ignore", "zzz"], ["--ignore zzz", "no such column"]),
        (["--id", "zzz"], ["--id zzz"]),
        (["--numeric", "a", "--categorical", "a"], ["--numeric", "choose one"]),
        (
            ["--ignore", "a", "--id", "b"],
            ["as asked (a: ignored as asked, b: names the rows)", "--ignore fewer"],
        ),
        (["--ignore", "a", "--numeric", "a"], ["'a'", "--ignore", "--numeric", "choose one"]),
        (["--ignore", "a", "--categorical", "a"], ["'a'", "--ignore", "--categorical", "choose one"]),
        (["--explain-with", "zzz"], ["--explain-with zzz"]),
        (["-k", "0"], ["--clusters"]),
        (["--min-size", "50"], ["--min-size"]),
        (["--terms", "0"], ["--terms"]),
        (["--sql-dialect", "klingon"], ["klingon"]),
        (["--encoding", "klingon"], ["klingon", "--encoding"]),
        (["--sheet", "Sheet1"], ["t.csv", "no Excel file", "--sheet"]),
        (["-o", "t.csv"], ["t.csv is a file"]),
        (["-o", "t.csv/inner"], ["t.csv is a file"]),
    ],
)
def test_wrong_values(arguments: list[str], parts: list[str], tmp_path: Path, run) -> None:
    (tmp_path / "t.csv").write_text(GOOD)
    assert_one_line(run("fit", "t.csv", "--quiet", *arguments, cwd=tmp_path), *parts)
    assert [p.name for p in tmp_path.iterdir()] == ["t.csv"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("-k two", """'--clusters': give a whole number or "auto"; got 'two'."""),
        ("--terms 1.5", """'--terms': give a whole number or "none"; got '1.5'."""),
        ("--min-size few", "'--min-size': give a number of rows (5) or a share (0.02); got 'few'."),
        ("--max-size many", "'--max-size': give a number of rows (5) or a share (0.02); got 'many'."),
        ("--sep ;;", r"'--sep': give one character, such as ; or \t for a tab; got ';;'."),
        ("--decimal x", "'--decimal': give . or , as the decimal mark; got 'x'."),
        (
            "--distance precomputed",
            "'--distance': a table holds no matrix of distances; give a metric such as cityblock, or gower.",
        ),
    ],
)
def test_values_that_cannot_be_meant_name_their_option(arguments: str, sentence: str, tmp_path: Path, run) -> None:
    (tmp_path / "t.csv").write_text(GOOD)
    done = run("fit", "t.csv", *arguments.split(), cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == f"Error: Invalid value for {sentence}"
    assert [p.name for p in tmp_path.iterdir()] == ["t.csv"]


def test_sentences_speak_of_what_the_command_takes() -> None:
    for sentence, spoken in [
        ("max_terms must be an integer >= 1 or None; got 0.", '--terms must be an integer >= 1 or "none"; got 0.'),
        ("time_limit must be a positive number or None; got 0.", "--time-limit must be a positive number; got 0."),
        ('distance="dice" is not defined; choose another.', "--distance dice is not defined; choose another."),
        ('too much with scale="none"; divide it.', "too much with --scale none; divide it."),
    ]:
        assert speak_of_options(sentence) == spoken
    with pytest.raises(ValueError, match=r'^--distance must be a metric .* or "cityblock", or "gower"; got \'x\'\.$'):
        check_options({"distance": "x"})
    with pytest.raises(ValueError, match=r'^--distance must .* "wminkowski" .* multiplied by them first\.$'):
        check_options({"distance": "wminkowski"})


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        ("fit - -k 0", ["--clusters must be an integer >= 1", "got 0"]),
        ("fit - --terms 0", ["--terms must be an integer >= 1", "got 0"]),
        ("fit - --min-size -3", ["--min-size must be a number of rows", "got -3"]),
        ("fit - --min-size 9 --max-size 5", ["--max-size (5 rows) must not be below --min-size (9 rows)"]),
        ("fit - --min-size 0.4 --max-size 0.2", ["--max-size (0.2 of the rows) must not be below --min-size"]),
        ("fit - --starts 0", ["--starts must be an integer >= 1", "got 0"]),
        ("fit - --jobs 0", ["--jobs must be an integer >= 1", "got 0"]),
        ("fit - --seed -1", ["--seed must be an integer from 0 to 4294967295; got -1."]),
        ("fit - --sql-dialect klingon", ["--sql-dialect must be one of", "got 'klingon'"]),
        ("fit - -o taken", ["taken exists already"]),
        ("compare - --max-clusters 1", ["--max-clusters must be an integer >= 2", "got 1"]),
        ("compare - --min-size 0", ["--min-size must be a number of rows", "got 0"]),
        ("compare - --rows 0", ["--rows must be an integer >= 3", "got 0"]),
        ("assign none.json -", ["none.json does not exist"]),
    ],
)
def test_options_are_judged_before_the_table_is_read(
    arguments: str, parts: list[str], tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, run
) -> None:
    """Standard input is a pipe that nobody ever closes: who reads it first waits for ever."""
    (tmp_path / "taken").mkdir()
    pipe = tmp_path_factory.mktemp("pipes") / "pipe"
    os.mkfifo(pipe)
    with pipe.open("r+b", buffering=0):
        done = run(*arguments.split(), cwd=tmp_path, stdin=pipe)
    assert_one_line(done, *parts)
    assert done.stdout == ""
    assert [p.name for p in tmp_path.iterdir()] == ["taken"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read and write everything")
def test_no_permission(tmp_path: Path, run) -> None:
    table = tmp_path / "t.csv"
    table.write_text(GOOD)
    table.chmod(0)
    assert_one_line(run("fit", table), "may not be read")
    table.chmod(0o600)
    tmp_path.chmod(0o500)
    assert_one_line(run("fit", table, "-o", tmp_path / "out"), "may not be written")
    tmp_path.chmod(0o700)


def test_a_full_disk_leaves_the_old_output(fitted: Path, tmp_path: Path, command, environment) -> None:
    """The largest file a process may write is limited, which fails as a full disk does."""
    import resource

    out = tmp_path / "out"
    out.mkdir()
    (out / "labels.csv").write_text("old")

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

    # Compiled code is kept in a cache of its own, which must not be what fails.
    fit = [*command, "fit", fitted.parent / "customers.csv", "-o", out, "-k", "2", "--force", "--quiet"]
    done = subprocess.run(fit, env=environment, preexec_fn=limit, capture_output=True, text=True)
    assert_one_line(done, "no room", str(out))
    assert [p.name for p in tmp_path.iterdir()] == ["out"]
    assert [p.read_text() for p in out.iterdir()] == ["old"]


def test_a_full_device(fitted: Path, run) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    done = run("assign", fitted / "model.json", fitted.parent / "customers.csv", "-o", "/dev/full", "--quiet")
    assert_one_line(done, "no room", "/dev/full")


def damage_text(model: dict) -> str:
    return json.dumps(model)[:-40]


def damage_foreign(model: dict) -> str:
    return json.dumps({"hello": "world"})


def damage_newer(model: dict) -> str:
    return json.dumps({**model, "version": 999})


def damage_inside(model: dict) -> str:
    del model["explanation"]["hyperplanes"]
    return json.dumps(model)


@pytest.mark.parametrize("damage", [damage_text, damage_foreign, damage_newer, damage_inside])
def test_damaged_model(damage: Callable[[dict], str], fitted: Path, tmp_path: Path, run) -> None:
    path = tmp_path / "model.json"
    path.write_text(damage(json.loads((fitted / "model.json").read_text())))
    assert_one_line(run("explain", path), "model.json")


@pytest.mark.parametrize("content", [b"a,b\n1,2\n", b"", b"[1]", b"\x80\x04\x95pickle"])
def test_a_file_that_is_no_model(content: bytes, tmp_path: Path, run) -> None:
    """The table in the place of the model, say."""
    (tmp_path / "t.csv").write_bytes(content)
    sentence = "polyclust: t.csv is not a model: give the model.json that 'polyclust fit' wrote.\n"
    for arguments in (["explain", "t.csv"], ["assign", "t.csv", "t.csv"]):
        done = run(*arguments, cwd=tmp_path)
        assert (done.returncode, done.stdout, done.stderr) == (1, "", sentence)


def test_a_file_that_is_read_is_not_written(fitted: Path, tmp_path: Path, run) -> None:
    shutil.copytree(fitted, tmp_path / "segments")
    shutil.copy(fitted.parent / "customers.csv", tmp_path)
    before = {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}
    for arguments in (
        "assign segments customers.csv -o customers.csv",
        "assign segments customers.csv -o segments/model.json",
        "assign segments/model.json customers.csv -o segments/model.json",
        "explain segments -o segments/model.json",
        "fit segments/labels.csv -o segments --force",
    ):
        assert_one_line(run(*arguments.split(), cwd=tmp_path), "is read by this command and would be lost", "-o")
    for arguments in ("assign segments customers.csv -o segments", "explain segments -o segments"):
        assert_one_line(run(*arguments.split(), cwd=tmp_path), "segments is a folder: name a file.")
    assert {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()} == before


def test_a_pair_in_a_form_that_it_has_not(fitted: Path, run) -> None:
    done = run("explain", fitted, "--pair", "0", "1", "--format", "sql")
    assert_one_line(done, "--pair is printed as text only: leave out --format sql.")


def test_no_words_of_libraries(tmp_path: Path, run) -> None:
    """Metrics of booleans make scikit-learn warn; a table under a wrong ending makes pandas speak of engines."""
    (tmp_path / "t.csv").write_text(GOOD)
    done = run("fit", "t.csv", "-k", "2", "--distance", "jaccard", "-q", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    (tmp_path / "t.xlsx").write_text(GOOD)
    assert_one_line(
        run("fit", "t.xlsx", "-o", "o", cwd=tmp_path), "t.xlsx is not a sound Excel file: give it the ending of what"
    )


def test_no_model(tmp_path: Path, run) -> None:
    assert_one_line(run("explain", tmp_path / "none.json"), "none.json", "does not exist")


def test_debug_shows_the_traceback(tmp_path: Path, run) -> None:
    done = run("fit", tmp_path / "nowhere.csv", "--debug")
    assert done.returncode == 1
    assert "Traceback" in done.stderr
    assert done.stderr.splitlines()[-1].startswith("polyclust: ")
