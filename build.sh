#!/usr/bin/env bash
# Builds the NIF and puts it, with its Z3, into priv/. rebar3 calls it before it compiles, in this tree and wherever
# cuter is a plugin or a dependency of another project.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=scripts/env.sh
. scripts/env.sh

# The tree of a plugin or dependency belongs to rebar3: short-lived and one per project. These share a target folder, and
# a library that was built from the same sources is taken again.
is_dependency() { [[ $CUTER_ROOT == */_build/* ]]; }

# Everything that the library is made of.
sources_key() {
    {
        cargo -vV
        printf '%s\n' "Z3 $CUTER_Z3_VERSION" "${RUSTFLAGS:-} ${CUTER_FEATURES:-}"
        find Cargo.* build.sh native -type f | LC_ALL=C sort | xargs tail -n +1
    } | sha256
}

# Tells builds of cuter apart whose results may differ: the same on every machine that has these sources.
build_id() {
    {
        printf '%s\n' "Z3 $CUTER_Z3_VERSION"
        find Cargo.* native src_erl -type f \( -name '*.rs' -o -name '*.erl' -o -name 'Cargo.*' \) |
            LC_ALL=C sort | xargs tail -n +1
    } | sha256
}

# build TARGET_DIR: prints the path of the library.
build() {
    local library=$1/release/libcuter_nif.so rpath=(-C "link-arg=-Wl,-rpath,\$ORIGIN")
    if [ "$(uname -s)" = Darwin ]; then
        library=$1/release/libcuter_nif.dylib
        rpath=(-C "link-arg=-Wl,-rpath,@loader_path" -C link-arg=-undefined -C link-arg=dynamic_lookup)
    fi
    CARGO_TARGET_DIR=$1 cargo rustc --release -p cuter_nif --lib --features "${CUTER_FEATURES:-}" -- "${rpath[@]}" >&2 ||
        die "the NIF could not be built; cargo's messages above tell why."
    printf '%s\n' "$library"
}

# install FILE NAME: into priv/, by mv, since a running system may have the old file loaded; only when it changed.
install_changed() {
    if ! cmp -s "$1" "priv/$2"; then
        cp "$1" "priv/.$2.$$"
        mv "priv/.$2.$$" "priv/$2"
    fi
}

# Keeps the library for other trees with these sources, and the eight newest ones altogether.
remember() {
    mkdir -p "$CUTER_CACHE/nif"
    cp "$1" "$CUTER_CACHE/nif/$2.$$"
    mv "$CUTER_CACHE/nif/$2.$$" "$CUTER_CACHE/nif/$2"
    find "$CUTER_CACHE/nif" -type f -exec ls -t {} + | tail -n +9 | xargs rm -f
}

need_rust
scripts/fetch-z3
scripts/cargo-config
key=$(sources_key)
kept=$CUTER_CACHE/nif/$key

if is_dependency && [ -f "$kept" ]; then
    library=$kept
    touch "$kept"
elif is_dependency; then
    # cargo goes by time stamps: in a shared folder, files of this tree may look older than another tree's build.
    find native -name '*.rs' -exec touch {} +
    library=$(build "${CARGO_TARGET_DIR:-$CUTER_CACHE/target}")
else
    library=$(build "${CARGO_TARGET_DIR:-$CUTER_ROOT/target}")
fi

mkdir -p priv
install_changed "$library" cuter_nif.so
[ -f "$kept" ] || remember "$library" "$key"
for z3 in "$CUTER_Z3_DIR"/lib/libz3.so.* "$CUTER_Z3_DIR"/lib/libz3.dylib; do
    [ ! -e "$z3" ] || install_changed "$z3" "$(basename "$z3")"
done

id=$(mktemp)
build_id >"$id"
install_changed "$id" build_id
rm "$id"
