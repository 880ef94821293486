"""The script that unpacks Prometheus, run with stand-ins for apt-get and dpkg."""

import os
import shutil
import subprocess
from pathlib import Path

from dashboards.prometheus.targets import FOLDER

SCRIPT = FOLDER / "fetch.sh"


def run(checkout: Path, path: Path) -> subprocess.CompletedProcess[str]:
    """Run a checkout's script with these programs and no others."""
    script = checkout / "dashboards" / "prometheus" / "fetch.sh"
    script.parent.mkdir(parents=True)
    shutil.copy(SCRIPT, script)
    return subprocess.run(
        ["/bin/sh", script], env={"PATH": str(path)}, capture_output=True, text=True, check=False
    )


def programs(folder: Path, **scripts: str) -> Path:
    """Make a folder of programs: dirname of the system, and stand-ins that are shell scripts."""
    folder.mkdir()
    for name in ("dirname", "mkdir", "mktemp", "rm", "head", "touch", "chmod", "grep", "sort"):
        (folder / name).symlink_to(str(shutil.which(name)))
    for name, script in scripts.items():
        path = folder / name.replace("_", "-")
        path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        path.chmod(0o755)
    return folder


def test_without_apt_it_says_what_to_do_instead(tmp_path: Path) -> None:
    """On macOS the sentence names the other way, and the exit code is 2."""
    result = run(tmp_path / "checkout", programs(tmp_path / "bin"))

    assert 2 == result.returncode
    assert "brew install prometheus" in result.stderr


def test_packages_are_unpacked_and_never_installed(tmp_path: Path) -> None:
    """It downloads, updates the lists only when that fails, unpacks, and shows the version."""
    log = tmp_path / "calls"
    unpacked = "$3/usr/bin"
    apt = (
        f'echo "apt-get $*" >> {log}; case "$*" in *update*) touch {tmp_path}/updated;; '
        f"*) [ -e {tmp_path}/updated ] && touch a.deb;; esac"
    )
    dpkg = (
        f'echo "dpkg $1" >> {log}; mkdir -p {unpacked}; '
        f"for p in promtool prometheus-redis-exporter; do echo '#!/bin/sh\necho promtool 2.42' "
        f"> {unpacked}/$p; chmod +x {unpacked}/$p; done"
    )
    # the lists know the page's parts, which are dependencies, before they are updated too
    cache = "printf 'prometheus\\n  Depends: libjs-d3\\nlibjs-rickshaw\\nlibjs-d3\\nlibc6\\n'"
    folder = programs(tmp_path / "bin", apt_get=apt, apt_cache=cache, dpkg=dpkg)
    result = run(tmp_path / "checkout", folder)
    wanted = "prometheus prometheus-redis-exporter libjs-d3 libjs-rickshaw"
    download = f"apt-get -qq -o APT::Sandbox::User=root download {wanted}"

    assert 0 == result.returncode, result.stderr
    assert [download, "apt-get -qq update", download, "dpkg -x"] == log.read_text().splitlines()
    assert "promtool 2.42\n" == result.stdout


def test_second_time_nothing_is_downloaded(tmp_path: Path) -> None:
    """What is unpacked already is kept."""
    tools = tmp_path / "checkout" / ".hotboard" / "tools" / "usr" / "bin"
    tools.mkdir(parents=True)
    (tools.parent / "share" / "javascript").mkdir(parents=True)
    for name in ("promtool", "prometheus-redis-exporter"):
        (tools / name).touch(mode=0o755)
    folder = programs(tmp_path / "bin", apt_get="exit 9", dpkg="exit 9")
    result = run(tmp_path / "checkout", folder)

    assert 0 == result.returncode, result.stderr
    assert os.fspath(tools) in result.stdout
