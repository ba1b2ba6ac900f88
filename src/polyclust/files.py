"""Files written whole or not at all: built beside the target, then put in place in one step.

A process killed at any moment leaves the old file or folder or the new one, never a half.
"""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO

__all__ = [
    "OutputError",
    "open_standard_output",
    "open_whole",
    "refuse_folder",
    "refuse_input_as_output",
    "replace_folder",
    "write_whole",
]

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2


class OutputError(OSError):
    """Something cannot be written; the message says what, where and what to do."""


def refuse_folder(folder: Path, force: bool) -> None:
    """Raise OutputError if an output folder may not be written here, before any work is done."""
    if folder.is_dir():
        if not force:
            raise OutputError(f"{folder} exists already: give another folder with -o, or --force to replace it.")
        inner = next((p.name for p in sorted(folder.iterdir()) if p.is_dir()), None)
        if inner is not None:
            raise OutputError(f"{folder} holds other folders ({inner}): give a folder of its own with -o.")
        if folder.resolve() == Path.cwd():
            raise OutputError(f"{folder} is the current folder: give a folder inside it with -o.")
    elif folder.exists() or folder.is_symlink():
        raise OutputError(f"{folder} is a file: give a folder with -o.")
    _refuse_unwritable(_existing_parent(folder.absolute()))


def refuse_input_as_output(output: Path | None, *inputs: str | Path) -> None:
    """Raise OutputError if a file to write is one that is read, which would be lost."""
    for path in map(Path, inputs):
        if output is not None and output.is_file() and path.is_file() and output.samefile(path):
            raise OutputError(f"{output} is read by this command and would be lost: choose another name with -o.")


def replace_folder(folder: Path, files: Mapping[str, str | bytes]) -> None:
    """Make ``folder`` hold these files, in one step. Other files that were in it stay.

    Raises OutputError; the folder is then as it was.
    """
    folder = Path(os.path.realpath(folder))
    with _explain_errors(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        _sweep_leftovers(folder)
        new = Path(tempfile.mkdtemp(prefix=f"{_prefix(folder)}{os.getpid()}-", dir=folder.parent))
        try:
            os.chmod(new, 0o777 & ~_current_umask())
            for name, content in files.items():
                _write_and_sync(new / name, content)
            _carry_over(folder, new, files)
            _put_in_place(new, folder)
        finally:
            shutil.rmtree(new, ignore_errors=True)


def write_whole(path: Path, content: str | bytes) -> None:
    """Write one file in one step."""
    with open_whole(path) as stream:
        stream.write(content.encode() if isinstance(content, str) else content)


@contextmanager
def open_whole(path: Path) -> Iterator[IO[bytes]]:
    """A stream whose content appears under ``path`` when the block ends well, and not at all otherwise."""
    path = Path(os.path.realpath(path))
    with _explain_errors(path):
        if path.exists() and not path.is_file():
            # A device or a pipe: there is nothing to replace.
            with path.open("wb") as stream:
                yield stream
            return
        descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        try:
            with os.fdopen(descriptor, "wb") as stream:
                yield stream
                _sync(stream)
            os.chmod(name, 0o666 & ~_current_umask())
            os.replace(name, path)
        finally:
            Path(name).unlink(missing_ok=True)


@contextmanager
def open_standard_output() -> Iterator[IO[bytes]]:
    """A stream whose content is printed when the block ends well, and not at all otherwise."""
    with tempfile.TemporaryFile(prefix="polyclust-") as stream:
        yield stream
        stream.seek(0)
        shutil.copyfileobj(stream, sys.stdout.buffer)
        sys.stdout.buffer.flush()


def _prefix(folder: Path) -> str:
    return f".{folder.name}.polyclust-"


def _sweep_leftovers(folder: Path) -> None:
    """Remove what a killed process left half built beside the folder."""
    for path in folder.parent.glob(f"{_prefix(folder)}*"):
        process = path.name.removeprefix(_prefix(folder)).split("-")[0]
        if process.isdigit() and not _is_running(int(process)):
            shutil.rmtree(path, ignore_errors=True)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _carry_over(old: Path, new: Path, files: Mapping[str, str | bytes]) -> None:
    if old.is_dir():
        for path in old.iterdir():
            if path.name not in files and path.is_file():
                shutil.copy2(path, new / path.name)


def _put_in_place(new: Path, folder: Path) -> None:
    if not folder.exists():
        os.rename(new, folder)
    elif not _exchange(new, folder):
        _replace_in_two_steps(new, folder)
    _sync_folder(folder.parent)


def _exchange(one: Path, other: Path) -> bool:
    """Swap two folders in one step where the system can (Linux); False: it cannot."""
    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError):
        return False
    return bool(rename(_AT_FDCWD, bytes(one), _AT_FDCWD, bytes(other), _RENAME_EXCHANGE) == 0)


def _replace_in_two_steps(new: Path, folder: Path) -> None:
    """Where folders cannot be swapped: for a moment the old one bears another name."""
    old = folder.with_name(f"{folder.name}.old")
    os.rename(folder, old)
    try:
        os.rename(new, folder)
    except OSError:
        os.rename(old, folder)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _write_and_sync(path: Path, content: str | bytes) -> None:
    with path.open("wb") as stream:
        stream.write(content.encode() if isinstance(content, str) else content)
        _sync(stream)


def _sync(stream: IO[bytes]) -> None:
    stream.flush()
    os.fsync(stream.fileno())


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _current_umask() -> int:
    umask = os.umask(0)
    os.umask(umask)
    return umask


def _existing_parent(folder: Path) -> Path:
    return next(p for p in folder.parents if p.exists())


def _refuse_unwritable(folder: Path) -> None:
    if not folder.is_dir():
        raise OutputError(f"{folder} is a file, so nothing can be put under it: give another folder with -o.")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise OutputError(f"{folder} may not be written to: give another place with -o.")


@contextmanager
def _explain_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OutputError:
        raise
    except BrokenPipeError:
        raise
    except OSError as error:
        # Errors of other files, met while this one is being written, speak for themselves.
        if error.filename is not None and not str(error.filename).startswith(str(path.parent)):
            raise
        raise OutputError(_say_what_failed(error, path)) from error


def _say_what_failed(error: OSError, path: Path) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return f"no room to write {path}: free some space or write to another place; nothing was changed."
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return f"{path} may not be written: write to another place."
    if error.errno == errno.EISDIR:
        return f"{path} is a folder: name a file."
    if error.errno == errno.ENOENT:
        return f"{path.parent} does not exist: make it, or write to another place."
    return f"{path} cannot be written: {error.strerror or error}."
