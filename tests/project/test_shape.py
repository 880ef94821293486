"""`make shape` counts what it says."""

from pathlib import Path

from shape import Source


def test_the_source_is_counted_by_its_own_imports_and_names(tmp_path: Path) -> None:
    """Folders, importers and repeated names come out as a hand count of a small tree has them."""
    for name, text in {
        "lab/__init__.py": '"""Marks a package."""\n',
        "lab/first.py": '"""A."""\nfrom lab.second import Row\n\n\nclass Same(Row):\n    x = 1\n',
        "lab/second.py": '"""P."""\n\n\nclass Row:\n    def write(self) -> None: ...\n',
        "lab/deep/third.py": '"""K."""\nimport lab.first\n\n\nclass Same: ...\n',
        "reports/page.py": '"""R."""\n\n\nclass Page:\n    def write(self) -> None: ...\n',
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    source = Source(tmp_path)

    assert 4 == len(source.lines)
    assert 21 == sum(source.lines.values())
    assert ("lab", 2) == source.largest_folder()
    assert 2 == source.import_lines()
    assert 2 == source.one_importer_files()
    assert 1 == source.repeated_class_names()
    assert "write 2" == source.most_defined_methods()
