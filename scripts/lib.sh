# SPDX-License-Identifier: LGPL-2.1-or-later
# Shared by the scripts: finding the tree, installing packages, configuring a build. Sourced, never run.
# shellcheck shell=sh

top=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)

say () {
  printf '%s\n' "$*"
}

die () {
  printf '%s: %s\n' "$(basename -- "$0")" "$*" >&2
  exit 1
}

# Runs a command and shows what it printed only if it fails.
quietly () {
  quiet_log=$(mktemp)
  quiet_status=0
  "$@" >"$quiet_log" 2>&1 </dev/null || quiet_status=$?
  [ "$quiet_status" -eq 0 ] || cat "$quiet_log" >&2
  rm -f "$quiet_log"
  return "$quiet_status"
}

# packages WHAT-FOR…: names from the list.
packages () {
  for what in "$@"; do
    sed -n "s/^$what //p" "$top/scripts/packages"
  done | sort -u
}

# missing_packages WHAT-FOR…: those that are not installed. Silent where there is no dpkg.
missing_packages () {
  command -v dpkg-query >/dev/null || return 0
  for package in $(packages "$@"); do
    case $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) in
      installed) ;;
      *) say "$package" ;;
    esac
  done
}

# Debian installs nothing from an index that was never fetched or is out of date: try, fetch, try again.
apt_install () {
  set -- env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends install "$@"
  $as_root "$@" >/dev/null 2>&1 </dev/null && return 0
  quietly $as_root apt-get -q update || return 1
  quietly $as_root "$@"
}

# install_packages WHAT-FOR…
install_packages () {
  missing=$(missing_packages "$@" | tr '\n' ' ')
  [ -n "$missing" ] || return 0
  as_root=
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || die "please install, as root: apt-get install $missing"
    as_root=sudo
  fi
  say "Installing: $missing"
  # shellcheck disable=SC2086
  apt_install $missing || die "could not install: $missing"
}

# configure BUILD OPTION…: sets up a build folder of this tree, or brings one up to date with these
# options; one that another version of meson left behind is begun anew.
configure () {
  configure_build=$1
  shift
  if [ -f "$configure_build/build.ninja" ] &&
    meson configure "$configure_build" "$@" >/dev/null 2>&1; then
    return 0
  fi
  rm -rf "$configure_build"
  quietly meson setup "$configure_build" "$top" "$@"
}

# The first of: _build in this tree, a folder of the user's cache where the tree cannot be written.
build_folder () {
  if mkdir -p "$top/_build" 2>/dev/null && [ -w "$top/_build" ]; then
    say "$top/_build"
  else
    say "${XDG_CACHE_HOME:-$HOME/.cache}/thimble-build/$(tree_key)"
  fi
}

# A short name for this tree's path.
tree_key () {
  printf '%s' "$top" | cksum | tr ' ' -
}
