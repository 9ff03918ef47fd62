# shellcheck shell=bash
# Where things are, and the few functions every script shares. Source it; it changes nothing but variables.
#
#   CUTER_CACHE   downloads and builds shared by all trees    (~/.cache/cuter)
#   CUTER_Z3_DIR  the pinned Z3: lib/ and include/            (CUTER_CACHE/z3-4.16.0)
#
# Set either one beforehand to have it elsewhere. What cargo needs to know of Z3 goes into the ignored file
# .cargo/config.toml (scripts/cargo-config), so that cargo, called by hand or by an editor, works as it is.

CUTER_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
CUTER_CACHE=${CUTER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/cuter}
CUTER_Z3_VERSION=4.16.0
CUTER_Z3_DIR=${CUTER_Z3_DIR:-$CUTER_CACHE/z3-$CUTER_Z3_VERSION}
CUTER_MIN_RUST=1.91
export CUTER_ROOT CUTER_CACHE CUTER_Z3_DIR

# scripts/setup puts a rebar3 there when the machine has an OTP of its own but no rebar3.
PATH=$PATH:$CUTER_CACHE/bin
export PATH

say() { printf '==> %s\n' "$*"; }

die() {
    printf 'cuter: %s\n' "$*" >&2
    exit 1
}

have() { command -v "$1" >/dev/null 2>&1; }

# Of its standard input.
sha256() {
    if have sha256sum; then sha256sum; else shasum -a 256; fi | cut -d' ' -f1
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

# apt_install PACKAGE...
apt_install() {
    have apt-get || die "no apt-get here; install by hand what these Debian packages hold: $*"
    [ "$(id -u)" -eq 0 ] || have sudo ||
        die "packages are missing and there is no sudo; run this as root: apt-get install --no-install-recommends $*"
    say "installing $*"
    as_root apt-get -q update || true
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@" ||
        die "apt-get could not install the packages; check the network, or install by hand: $*"
}

need_rust() {
    have cargo || die "cargo is missing; install Rust $CUTER_MIN_RUST or later (rustup.rs) and put it in PATH."
    local version
    version=$(cargo --version | cut -d' ' -f2)
    [ "$(printf '%s\n' "$CUTER_MIN_RUST" "$version" | sort -V | head -n1)" = "$CUTER_MIN_RUST" ] ||
        die "cargo $version is too old; install Rust $CUTER_MIN_RUST or later (rustup update)."
    have cc || die "no C compiler (cc) in PATH, which Rust needs to link; install gcc or clang."
}
