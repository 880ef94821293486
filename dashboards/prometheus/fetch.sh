#!/bin/sh
# Unpacks Debian's prometheus, promtool and redis exporter into .hotboard/tools, with what Prometheus' own page is made of.
# Installing the packages would start daemons on 0.0.0.0:9090 and 0.0.0.0:9121; unpacking starts nothing.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
tools="$root/.hotboard/tools"
packages="prometheus prometheus-redis-exporter"
# root may read its own temporary folder; the sandbox user of apt may not
fetch="apt-get -qq -o APT::Sandbox::User=root download"

# the scripts, styles and icons of the page, which Debian keeps in packages of their own
parts_of_the_page() {
    apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces --no-enhances \
        prometheus | grep -E '^(libjs-|fonts-glyphicons)' | sort -u
}

if ! command -v apt-get >/dev/null || ! command -v dpkg >/dev/null; then
    echo "apt-get and dpkg were not found: install Prometheus another way (macOS: brew install prometheus)" \
        "and set PROMETHEUS_BIN to the prometheus program." >&2
    exit 2
fi

if [ -x "$tools/usr/bin/promtool" ] && [ -x "$tools/usr/bin/prometheus-redis-exporter" ] &&
    [ -d "$tools/usr/share/javascript" ]; then
    echo "$tools/usr/bin holds them already"
    exit 0
fi

mkdir -p "$tools"
downloads=$(mktemp -d)
trap 'rm -rf "$downloads"' EXIT
cd "$downloads"
parts=$(parts_of_the_page) || { apt-get -qq update && parts=$(parts_of_the_page); }
# shellcheck disable=SC2086  # all are separate words
$fetch $packages $parts || { apt-get -qq update && $fetch $packages $parts; }
for package in ./*.deb; do
    dpkg -x "$package" "$tools"
done
mkdir -p "$tools/usr/share/javascript"
"$tools/usr/bin/promtool" --version | head -n 1
