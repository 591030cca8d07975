# Sourced by run and thorough: a clean copy of the tracked files in $copy, a shell without settings of its own,
# `step TITLE` before each step and `table` of their times after the last.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# For each step: the seconds that passed, and the CPU seconds of its programs. Where the two differ much, the
# machine was busy.
titles=() began=()
step() {
    printf '\n=== %s (%d s since the start)\n' "$*" "$SECONDS"
    times >"$work/times" # the last line is for all programs that have ended: 0m1.2s 0m0.3s
    titles+=("$1")
    began+=("$SECONDS $(tail -n 1 "$work/times")")
}
table() {
    step "All passed"
    for ((k = 0; k + 1 < ${#titles[@]}; k++)); do
        echo "${began[k]} ${began[k + 1]} ${titles[k]}"
    done | awk '
        function cpu(text) { split(text, part, /[ms]/); return 60 * part[1] + part[2] }
        BEGIN { print "\n seconds      CPU  step" }
        {
            used = cpu($5) + cpu($6) - cpu($2) - cpu($3)
            row = sprintf("%8d %8.0f ", $4 - $1, used)
            for (i = 7; i <= NF; i++) row = row " " $i
            print row
            all += $4 - $1
            all_used += used
        }
        END { printf "%8d %8.0f  in sum\n", all, all_used }'
}

# Settings of the shell that started this must not help: only the places that pip downloads from stay.
for name in $(compgen -e); do
    case $name in
        PIP_INDEX_URL | PIP_EXTRA_INDEX_URL | PIP_FIND_LINKS | PIP_CERT | PIP_TRUSTED_HOST | PIP_PROXY) ;;
        PIP_CONFIG_FILE | PIP_DEFAULT_TIMEOUT | PIP_RETRIES | PIP_CACHE_DIR) ;;
        PIP_* | PYTHON* | PYTEST_* | FASTSVM_* | VIRTUAL_ENV) unset "$name" ;;
    esac
done
export PIP_DISABLE_PIP_VERSION_CHECK=1
export PYTEST_ADDOPTS="-n auto --dist worksteal" # one test process per core

step "Clean copy of the tracked files"
copy=$work/fastsvm
mkdir "$copy"
git -C "$root" ls-files -z | tar -C "$root" --null --no-recursion -T - -cf - | tar -C "$copy" -xf -
[ ! -d "$root/../shared" ] || ln -s "$(cd "$root/../shared" && pwd)" "$work/shared"
cd "$copy"
git init -q
git add -f .

step "A browser for the tests of the pages"
find_browser() { command -v chromium || command -v chromium-browser || command -v google-chrome; }
if ! find_browser && [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
    export DEBIAN_FRONTEND=noninteractive
    { timeout 300 apt-get update && timeout 300 apt-get install -y --no-install-recommends chromium; } \
        >"$work/apt.log" 2>&1 || tail -n 1 "$work/apt.log" # without a browser the tests skip and give the reason
fi

# Runs the numeric tests as if the processor were another one: OpenBLAS then sums in another order.
own=
as_on() { # CORE FLAG-OF-THE-PROCESSOR
    own=${own:-$(.venv/bin/python -c 'import numpy, threadpoolctl; print(threadpoolctl.threadpool_info()[0]["architecture"])')}
    [ "$own" != Zen ] || own=Haswell # OpenBLAS uses its Haswell kernels there
    if [ "$1" = "$own" ]; then
        step "Numeric tests with BLAS as on $1: skipped, that is this processor"
    elif [ "$(uname -m)" = x86_64 ] && grep -qsw "$2" /proc/cpuinfo; then
        step "Numeric tests with BLAS as on $1"
        OPENBLAS_CORETYPE=$1 .venv/bin/pytest -m "blas and not slow and not fuzz"
    else
        step "Numeric tests with BLAS as on $1: skipped, this processor cannot"
    fi
}
