"""Write the dashboards' JSON files and the docs page about them."""

import sys

from dashboards.grafana.files import CHECKOUT, generated


def main() -> int:
    """Write what is generated, and name each file."""
    for path, content in generated().items():
        (CHECKOUT / path).parent.mkdir(parents=True, exist_ok=True)
        (CHECKOUT / path).write_text(content, encoding="utf-8")
        sys.stdout.write(f"{path}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
