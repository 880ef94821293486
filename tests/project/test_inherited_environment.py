"""What the shell sets for other uses of a tool does not reach what make starts."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

ROOT = Path(__file__).resolve().parents[2]
FOREIGN = {
    "PYTHONSAFEPATH": "1",
    "PYTHONPATH": "/elsewhere",
    "PYTHONWARNINGS": "error",
    "PYTHONSTARTUP": "/elsewhere/startup.py",
    "PYTHONOPTIMIZE": "2",
    "MPLBACKEND": "none-such",
    "LOCUST_MODE_MASTER": "true",
    "LOCUST_USERS": "9",
    "UVICORN_PORT": "1",
    "WEB_CONCURRENCY": "9",
    "PROMETHEUS_MULTIPROC_DIR": "/elsewhere",
    "prometheus_multiproc_dir": "/elsewhere",
    "GF_SERVER_HTTP_PORT": "1",
    "COMPOSE_FILE": "/elsewhere/compose.yaml",
    "COMPOSE_PROJECT_NAME": "elsewhere",
    "GIT_DIR": "/elsewhere/.git",
}
MEANT = {
    "LOCUST_PORT": "18089",
    "LOCUST_UI": "0",
    "PROMETHEUS_PORT": "19090",
    "PROMETHEUS_BIN": "/opt/prometheus",
    "MPLCONFIGDIR": "/srv/plots",
    "PYTHONDONTWRITEBYTECODE": "1",
    "DOCKER_HOST": "ssh://elsewhere",
    "SSL_CERT_FILE": "/etc/ours.pem",
    "PIP_INDEX_URL": "https://packages.example/simple",
    "HOTBOARD_TOP_INTERVAL_SECONDS": "2",
    "SCALE": "0.002",
}


def _told_by_make(tmp_path: Path, recipe: str, *variables: str, **environment: str) -> str:
    """What a recipe prints that stands behind our Makefile."""
    probe = tmp_path / "probe.mk"
    probe.write_text(f"include Makefile\nprobe:\n\t@{recipe}\n")
    told = subprocess.run(
        ["make", "--no-print-directory", "-f", str(probe), "probe", *variables],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return told.stdout


def test_only_what_is_meant_for_us_is_inherited(tmp_path: Path) -> None:
    """Every command of make begins without what others read, and with what is documented."""
    script = tmp_path / "tell.py"
    script.write_text("import json, os\nprint(json.dumps(dict(os.environ)))\n")

    told = json.loads(_told_by_make(tmp_path, f"{sys.executable} {script}", **FOREIGN, **MEANT))

    assert [name for name in FOREIGN if name in told] == []
    assert {name: told.get(name) for name in MEANT} == MEANT


def test_what_is_meant_is_documented() -> None:
    """Each variable that is kept on purpose stands in the docs."""
    page = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    known = page + (ROOT / "docs" / "watching.md").read_text(encoding="utf-8")
    kept = [name for name in MEANT if not name.startswith(("HOTBOARD_", "SCALE", "LOCUST_"))]

    assert [name for name in kept if f"`{name}" not in known] == []


def test_packages_go_where_make_puts_them(tmp_path: Path) -> None:
    """A pip.conf that sends them to the user's folder, or to any other, changes nothing."""
    here = tmp_path / "a checkout"
    here.mkdir()
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", ".venv"], cwd=here, check=True)
    venv = os.path.relpath(here / ".venv", ROOT)
    options = shlex.split(_told_by_make(tmp_path, "echo '$(PIP_INSTALL)'", f"VENV={venv}"))
    options.remove("--require-hashes")
    wheel = tmp_path / "hotboard_probe-1-py3-none-any.whl"
    with ZipFile(wheel, "w") as packed:
        for name, text in {
            "hotboard_probe.py": "",
            "hotboard_probe-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: hotboard-probe\n"
            "Version: 1\n",
            "hotboard_probe-1.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: probe\n"
            "Root-Is-Purelib: true\nTag: py3-none-any\n",
            "hotboard_probe-1.dist-info/RECORD": "",
        }.items():
            packed.writestr(name, text)
    (tmp_path / "pip.conf").write_text(
        f"[install]\nuser = true\ntarget = {tmp_path}/elsewhere\nprefix = {tmp_path}/other\n"
    )

    done = subprocess.run(
        [sys.executable, "-m", "pip", "--python", here / ".venv/bin/python", *options[2:], wheel],
        cwd=here,
        env={**os.environ, "PIP_USER": "1", "PIP_CONFIG_FILE": str(tmp_path / "pip.conf")},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stderr, done.stdout) == (0, "", "")
    assert [".venv"] == [path.name for path in here.iterdir()]
    assert len([*here.glob(".venv/lib/*/site-packages/hotboard_probe.py")]) == 1
    assert not (tmp_path / "elsewhere").exists()
    assert not (tmp_path / "other").exists()
