"""The documents' links, sections and tables of functions and tests lead to what exists."""

import ast
import importlib
import re

import pytest

from inverse_rational_control.studies.registry import FIGURES
from tests import ROOT

PACKAGE = "inverse_rational_control"
MODEL = (ROOT / "docs/model.md").read_text(encoding="utf-8")
PAGES = [
    *sorted(ROOT.glob("*.md")),
    *sorted(
        path for name in ("config", "docs", "profiles") for path in (ROOT / name).rglob("*.md")
    ),
    ROOT / "results/README.md",
]
SECTIONS = re.findall(r"^## (\d+)\. ", MODEL, re.MULTILINE)


def _rows() -> list[dict[str, str]]:
    """Rows of every table of the model's page that has the columns `here`, `function` and `test`."""
    rows, header = [], None
    for line in MODEL.splitlines():
        if not line.startswith("|"):
            header = None
            continue
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if header is None:
            header = cells
        elif {"here", "function", "test"} <= set(header) and not cells[0].startswith("---"):
            rows.append(dict(zip(header, cells, strict=True)))
    return rows


def _named(column: str) -> list[str]:
    return sorted({name for row in _rows() for name in re.findall(r"`([^`]+)`", row[column])})


def _tests() -> set[str]:
    """Names of all test functions."""
    return {
        node.name
        for path in (ROOT / "tests").rglob("test_*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }


def _found(dotted: str):
    """What a dotted name below the package stands for: a module's longest part, then attributes."""
    parts = [PACKAGE, *dotted.split(".")]
    for n_modules in range(len(parts) - 1, 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:n_modules]))
        except ModuleNotFoundError as error:
            if not (error.name or "").startswith(PACKAGE):
                raise
            continue
        for part in parts[n_modules:]:
            found = getattr(found, part)
        return found
    raise AssertionError(f"{dotted}: no such module")


def test_every_row_has_a_function_and_a_test():
    rows = _rows()
    assert len(rows) > 25
    for row in rows:
        assert "`" in row["function"] and "`test_" in row["test"], row


@pytest.mark.parametrize("dotted", _named("function"))
def test_every_function_of_the_model_exists(dotted):
    assert _found(dotted) is not None


def test_every_test_of_the_model_exists():
    assert sorted(set(_named("test")) - _tests()) == []


def test_every_equation_of_the_paper_is_in_the_table():
    cited = {
        int(number) for row in _rows() for number in re.findall(r"\((\d+)\)", row.get("paper", ""))
    }
    assert cited == set(range(1, 13))


def test_sections_are_numbered_and_cited_by_numbers_that_exist():
    assert [str(number) for number in range(1, len(SECTIONS) + 1)] == SECTIONS
    assert {row["here"] for row in _rows()} <= {*SECTIONS, ""}
    cites = re.compile(r"docs/model\.md,?\s+sections?\s+(\d+(?:(?:,\s*|\s+and\s+|\s+to\s+)\d+)*)")
    for folder in ("src", "tests", "workflow"):
        for path in (ROOT / folder).rglob("*.py"):
            for cited in cites.findall(path.read_text(encoding="utf-8")):
                assert set(re.findall(r"\d+", cited)) <= set(SECTIONS), f"{path}: section {cited}"


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(path):
    text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
        if "://" not in target:
            assert (path.parent / target).exists(), f"{path.name}: {target}"


@pytest.mark.parametrize("path", sorted((ROOT / "docs").glob("*.md")), ids=lambda path: path.name)
def test_mathematics_is_closed(path):
    text = path.read_text(encoding="utf-8")
    assert text.count("```") % 2 == 0
    prose = re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)
    for paragraph in re.split(r"\n\s*\n", prose):
        assert paragraph.count("$") % 2 == 0, paragraph
    for block in re.findall(r"```math\n(.*?)```", text, flags=re.DOTALL):
        assert block.count("{") == block.count("}"), block
        assert sorted(re.findall(r"\\begin\{(\w+)\}", block)) == sorted(
            re.findall(r"\\end\{(\w+)\}", block)
        ), block


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_placeholder_is_left(path):
    assert "@@" not in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("number", FIGURES)
def test_every_figure_has_its_caption_and_its_row_in_the_readme(number):
    assert (ROOT / f"workflow/report/figure{number}.rst").is_file()
    rows = (ROOT / "README.md").read_text(encoding="utf-8")
    assert re.search(rf"^\| {number} \|", rows, re.MULTILINE)
