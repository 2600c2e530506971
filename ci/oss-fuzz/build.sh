#!/bin/bash -eu
# Builds the fuzz targets as OSS-Fuzz and ClusterFuzzLite ask for it: what stands in $OUT afterwards runs on a machine
# without Rust, LLVM or this repository. `scripts/oss-fuzz` tries it without Docker.
#
# For each target NAME: NAME, NAME.options, NAME_seed_corpus.zip, and NAME.dict where a dictionary is of use.

if [[ $FUZZING_ENGINE != libfuzzer ]]; then
    echo "build.sh: the targets are for libFuzzer, not for $FUZZING_ENGINE" >&2
    exit 1
fi

cd "$SRC/roundtrip"
here=$PWD/ci/oss-fuzz
export CARGO_TARGET_DIR=$WORK/target
# The shared libraries travel beside the targets. RPATH and not RUNPATH: libLLVM's own needs are looked up there as well.
export RUSTFLAGS="${RUSTFLAGS-} -Clink-arg=-Wl,--disable-new-dtags,-rpath,\$ORIGIN/lib"

options=()
if [[ $SANITIZER == address || $SANITIZER == none ]]; then # The engine itself sees to a build for coverage.
    options=(--sanitizer "$SANITIZER")
fi
cargo fuzz build "${options[@]}"

mkdir -p "$OUT/lib"
for target in $(cargo fuzz list); do
    cp "$CARGO_TARGET_DIR/x86_64-unknown-linux-gnu/release/$target" "$OUT/"
    cp "$here/default.options" "$OUT/$target.options"
    if [[ -e $here/$target.dict ]]; then
        cp "$here/$target.dict" "$OUT/"
    fi
    # All but the C library, which is part of the system that the targets run on, and what an earlier target brought.
    ldd "$OUT/$target" |
        awk -v out="$OUT/" '$2 == "=>" && $1 !~ /^lib(c|m|gcc_s)\.so/ && index($3, out) != 1 { print $3 }' |
        xargs --no-run-if-empty cp --dereference --target-directory "$OUT/lib"

    # A target copies its seeds by itself; only it knows which programs it takes.
    seeds=$WORK/seeds/$target
    rm -rf "$seeds"
    mkdir -p "$seeds"
    ASAN_OPTIONS=detect_leaks=0 ROUNDTRIP_SEEDS=$seeds "$OUT/$target" -runs=0
    rm -f "$OUT/${target}_seed_corpus.zip"
    zip --quiet --recurse-paths --junk-paths "$OUT/${target}_seed_corpus.zip" "$seeds"
done
