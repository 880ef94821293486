#!/bin/sh
# Installs Grafana's components into .hotboard/draw (once for each package-lock.json), and bundles what draws with them.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
kept="$here/../../.hotboard/draw"

for program in node npm; do
    command -v "$program" >/dev/null && continue
    echo "The dashboards are drawn with Grafana's own components, which need $program, and it was not found:" \
        "install node 20 or newer with npm (https://nodejs.org; Debian and Ubuntu: apt-get install nodejs npm)." >&2
    exit 3
done
major=$(node --version | sed 's/^v\([0-9]*\).*/\1/')
if [ "$major" -lt 20 ]; then
    echo "The dashboards are drawn with Grafana's own components, which need node 20 or newer; this is $(node --version)." >&2
    exit 3
fi

mkdir -p "$kept"
if ! cmp -s "$here/package-lock.json" "$kept/installed.json"; then
    echo "Installing Grafana's components into .hotboard/draw (once, 470 MB)"
    rm -f "$kept/installed.json"
    cp "$here/package.json" "$here/package-lock.json" "$kept"
    npm ci --prefix "$kept" --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null
    cp "$here/package-lock.json" "$kept/installed.json"
fi
node "$here/build.mjs" "$kept" "$kept/page/draw.js"
