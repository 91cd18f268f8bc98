"""What the documents show works as printed: docstrings, README, docs/python.md, notebooks, type stubs."""
import ast
import base64
import concurrent.futures
import doctest
import importlib
import inspect
import json
import multiprocessing
import os
import pathlib
import pkgutil
import re

import pytest

import gpode

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODULES = ["gpode"] + [f"gpode.{m.name}" for m in pkgutil.iter_modules(gpode.__path__) if m.name != "_gpode"]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0


def test_everything_public_has_a_docstring():
    for name in gpode.__all__:
        thing = getattr(gpode, name)
        if callable(thing) and thing is not gpode.Dataset:
            assert thing.__doc__, name
            for member, value in inspect.getmembers(thing) if isinstance(thing, type) else []:
                if callable(value) and not member.startswith("_"):
                    assert value.__doc__, f"{name}.{member}"


@pytest.mark.parametrize("file", ["README.md", "docs/python.md"])
def test_blocks_of_documents(file, tmp_path, monkeypatch, vdp_csv):
    monkeypatch.chdir(tmp_path)
    text = (ROOT / file).read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", text, flags=re.M | re.S)
    assert blocks
    (tmp_path / "data.csv").write_bytes(vdp_csv.read_bytes())
    scope = {}
    for block in blocks:
        exec(compile(block, file, "exec"), scope)


NOTEBOOKS = sorted((ROOT / "docs/notebooks").glob("*.ipynb"))


def execute(path):
    """Executes a notebook and returns its pictures as PNG."""
    import nbclient
    import nbformat

    book = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(book, timeout=240, kernel_name="python3", resources={"metadata": {"path": str(path.parent)}}).execute()
    outputs = [output.get("data", {}) for cell in book.cells for output in cell.get("outputs", [])]
    return [base64.b64decode(data["image/png"]) for data in outputs if "image/png" in data]


def test_notebooks():
    pytest.importorskip("nbclient")
    assert len(NOTEBOOKS) == 3
    for path in NOTEBOOKS:
        assert not any(cell.get("outputs") for cell in json.loads(path.read_text())["cells"]), "kept without outputs"
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        for path, pictures in zip(NOTEBOOKS, pool.map(execute, NOTEBOOKS)):
            assert len(pictures) >= 2, path
            folder = os.environ.get("GPODE_NOTEBOOK_PICTURES")  # to look at them
            for i, picture in enumerate(pictures if folder else []):
                (pathlib.Path(folder) / f"{path.stem}-{i + 1}.png").write_bytes(picture)


def test_stubs_have_what_the_module_has():
    module = importlib.import_module("gpode._gpode")
    tree = ast.parse((pathlib.Path(gpode.__path__[0]) / "_gpode.pyi").read_text())
    names = {node.name: node for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    assert set(names) | {"__version__"} == {n for n in vars(module) if n == "__version__" or not n.startswith("__")} | {"report_page"}
    for name, node in names.items():
        if isinstance(node, ast.ClassDef):
            stub = {member.name for member in node.body if isinstance(member, ast.FunctionDef)}
            own = {n for n in vars(getattr(module, name)) if not n.startswith("_") or n == "__len__"}
            assert stub - {"__init__"} == own, name
