"""Debian's Prometheus reads its page from files, which lie elsewhere when it was only unpacked."""

from pathlib import Path


def web_page_options(program: Path) -> list[str]:
    """The option that names the page's files, for a program that has them beside it."""
    assets = program.resolve().parents[1] / "share" / "prometheus" / "web"
    return [f"--web.local-assets={assets}"] if assets.is_dir() else []
