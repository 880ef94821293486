#!/bin/sh
# Makes sure that Chromium and its driver are here; on Debian and Ubuntu root installs them, which starts nothing.
set -eu

if command -v chromedriver >/dev/null && { command -v chromium || command -v chromium-browser || command -v google-chrome; } >/dev/null; then
    exit 0
fi
if ! command -v apt-get >/dev/null || [ "$(id -u)" != 0 ]; then
    echo "Locust's page is looked at in Chromium: install chromium and chromium-driver" \
        "(Debian and Ubuntu: apt-get install chromium chromium-driver, macOS: brew install --cask chromium chromedriver)." >&2
    exit 2
fi
export DEBIAN_FRONTEND=noninteractive
install="apt-get -qq install -y --no-install-recommends chromium chromium-driver"
$install >/dev/null || { apt-get -qq update && $install >/dev/null; }
chromedriver --version
