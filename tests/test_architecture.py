"""Who may import whom: imports point one way, and each outside package has one home."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import polyclust

ROOT = Path(polyclust.__file__).parent
MODULES = {".".join(p.relative_to(ROOT).with_suffix("").parts): p for p in sorted(ROOT.rglob("*.py"))}

# A part of the house and the parts it may import from.
MAY_IMPORT = {
    "kernels": set(),
    "geometry": set(),
    "clusters": {"kernels"},
    "hyperplanes": {"geometry", "kernels", "table.features"},
    "table": {"errors", "files", "hyperplanes.threshold"},
    "search": {"alternating", "clusters", "geometry", "hyperplanes", "kernels", "progress", "table.features"},
    "scale": {"clusters", "explain.quality", "geometry", "hyperplanes", "kernels", "search", "table"},
    "explain": {"errors", "geometry", "hyperplanes", "kernels", "table", "render"},
    "render": {"errors", "explain", "geometry", "table"},
}

# A package and the only modules that may import it.
HOMES = {
    "numba": ("kernels",),
    "sqlglot": ("render.sql", "render.sql_numbers", "render.sql_values"),
    "matplotlib": ("plot",),
    "plotly": ("report",),
    "jinja2": ("report", "render"),
    "typer": ("cli",),
    "dask": ("table.partitions",),
}
PANDAS_AT_THE_EDGES = ("table", "explain", "render", "cli", "report", "plot", "comparison", "demo_data", "files")


def imports_of(path):
    """Every imported module with whether it is only for the type checker."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for_types = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names = [node.module] if node.module != "polyclust" else [f"polyclust.{a.name}" for a in node.names]
        else:
            continue
        for name in names:
            yield name, id(node) in for_types


def is_within(name, part):
    return name == part or name.startswith(part + ".")


@pytest.mark.parametrize("part", MAY_IMPORT)
def test_imports_point_one_way(part):
    for name, path in MODULES.items():
        if not is_within(name, part):
            continue
        for imported, _ in imports_of(path):
            if is_within(imported, "polyclust"):
                target = imported.removeprefix("polyclust.")
                allowed = {part, *MAY_IMPORT[part]}
                assert any(is_within(target, a) for a in allowed), f"{name} imports {imported}"


def test_explaining_needs_rendering_only_when_asked():
    """The explanation's to_... methods import their renderer inside; nothing else in explain does."""
    for name, path in MODULES.items():
        if is_within(name, "explain"):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            at_the_top = [n for n in tree.body if isinstance(n, ast.ImportFrom)]
            assert not [n for n in at_the_top if is_within(n.module, "polyclust.render")], name


@pytest.mark.parametrize("package", HOMES)
def test_a_package_has_one_home(package):
    found = set()
    for name, path in MODULES.items():
        if any(is_within(imported, package) for imported, _ in imports_of(path)):
            assert any(is_within(name, home) for home in HOMES[package]), f"{name} imports {package}"
            found.add(name)
    assert found


def test_pandas_stays_at_the_edges():
    for name, path in MODULES.items():
        if any(is_within(imported, "pandas") and not types for imported, types in imports_of(path)):
            assert any(is_within(name, edge) for edge in PANDAS_AT_THE_EDGES), f"{name} imports pandas"


def test_gpl_packages_are_never_imported():
    for name, path in MODULES.items():
        for imported, _ in imports_of(path):
            assert imported.split(".")[0] not in ("gemclus", "kmedoids", "highspy", "ortools"), name


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_importing_the_package_loads_and_compiles_nothing():
    loaded = run("import sys, polyclust; print(*sorted(sys.modules))").split()
    assert "polyclust" in loaded
    heavy = ("numba", "sklearn", "pandas", "scipy", "numpy", "matplotlib", "plotly", "sqlglot", "typer", "dask")
    assert not [m for m in loaded if m.split(".")[0] in heavy]


def test_reading_a_saved_explanation_does_not_load_the_search():
    loaded = run("import sys\nfrom polyclust import Explanation\nprint(*sys.modules)").split()
    assert "numba" not in loaded
    assert not [m for m in loaded if m.startswith("polyclust.search")]


def test_dask_is_loaded_for_its_tables_only():
    code = "import sys\nfrom polyclust import PolytopeClustering\nPolytopeClustering(2).fit([[0], [1], [5], [7]])"
    loaded = run(f"{code}\nprint(*sys.modules)").split()
    assert not [m for m in loaded if m.split(".")[0] in ("dask", "distributed")]
