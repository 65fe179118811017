#!/usr/bin/env bash
# Installs what the demo and the tests need and this machine lacks.
#
#   scripts/setup.sh demo   a browser, and fonts for its pictures
#   scripts/setup.sh test   these, and what the tests need besides: a virtual
#                           display, a keyring, Node.js for the extension's
#                           tests, the pages of e2e/libraries, and the
#                           versions of Node.js that the npm packages run on
#
# Debian and Ubuntu get it by apt-get; elsewhere it says what to install. With
# all in place it changes nothing and takes a moment.
set -euo pipefail

mode=${1:-test}
case $mode in
  demo | test) ;;
  *) echo "setup: unknown mode \"$mode\": use demo or test" >&2; exit 2 ;;
esac

have() { command -v "$1" >/dev/null 2>&1; }

have_browser() {
  [ -n "${SIDEKICK_BROWSER:-}" ] && return 0
  local name
  for name in chromium chromium-browser google-chrome google-chrome-stable microsoft-edge brave-browser vivaldi; do
    have "$name" && return 0
  done
  # macOS keeps applications out of PATH.
  [ -d "/Applications/Chromium.app" ] || [ -d "/Applications/Google Chrome.app" ]
}

# The folders in which Debian puts the fonts: a look-up without fontconfig,
# which a bare machine does not have.
have_fonts() {
  [ "$(uname -s)" != Linux ] && return 0
  [ -d /usr/share/fonts/truetype/liberation ] || [ -d /usr/share/fonts/truetype/liberation2 ] || { have fc-list && [ -n "$(fc-list 2>/dev/null)" ]; }
}
have_emoji() {
  [ "$(uname -s)" != Linux ] && return 0
  [ -e /usr/share/fonts/truetype/noto/NotoColorEmoji.ttf ] || { have fc-list && [ -n "$(fc-list ':charset=1f438' 2>/dev/null)" ]; }
}

packages=()
need() { # need <package> <test command...>
  local package=$1
  shift
  "$@" || packages+=("$package")
}

need chromium have_browser
need fonts-liberation have_fonts
need fonts-noto-color-emoji have_emoji
if [ "$mode" = test ]; then
  need nodejs have node
  need npm have npm
  # Only Linux has a display that can be virtual and a keyring that must be
  # started by hand.
  if [ "$(uname -s)" = Linux ]; then
    need xvfb have Xvfb
    need xdotool have xdotool
    need procps have pkill
    need dbus have dbus-daemon
    need dbus-user-session have dbus-run-session
    need gnome-keyring have gnome-keyring-daemon
    # cgo, for the race detector.
    need gcc have "${CC:-cc}"
    need libc6-dev test -e /usr/include/stdlib.h
    # What the machines are made with that doctor finds broken, and what looks
    # at the user's service.
    need util-linux have unshare
    need util-linux have setpriv
    need mount have mount
    need systemd have systemd-analyze
    # What a release is made with, and looked at with.
    need dpkg have dpkg-deb
    need git have git
  fi
fi

# The pages of the end-to-end tests that come from npm.
libraries() {
  if [ "$mode" = test ]; then
    "$(dirname "${BASH_SOURCE[0]}")/libraries.sh"
    "$(dirname "${BASH_SOURCE[0]}")/npm-nodes.sh"
  fi
}

if [ ${#packages[@]} -eq 0 ]; then
  libraries
  exit 0
fi

if ! have apt-get; then
  echo "setup: this machine lacks: ${packages[*]}" >&2
  echo "setup: (Debian's names.) Install them with your package manager, then run make again." >&2
  if ! have_browser; then
    echo "setup: any Chromium, Chrome, Edge, Brave or Vivaldi will do as the browser; SIDEKICK_BROWSER=/path/to/it names one that is not in PATH." >&2
  fi
  exit 1
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! have sudo; then
    echo "setup: to install ${packages[*]}, run as root: apt-get install ${packages[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

echo "setup: installing ${packages[*]}"
export DEBIAN_FRONTEND=noninteractive
apt() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 -o Acquire::Retries=3 "$@"; }
apt update
apt install -y --no-install-recommends "${packages[@]}" >/dev/null

if ! have_browser; then
  echo "setup: apt-get installed ${packages[*]}, but there is no browser in PATH after it." >&2
  echo "setup: install Chromium or Chrome by hand, or name one: SIDEKICK_BROWSER=/path/to/it" >&2
  exit 1
fi
libraries
