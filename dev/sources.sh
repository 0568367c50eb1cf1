# shellcheck shell=bash
# To be sourced: which files are formatted, and by what.
# shellcheck disable=SC2034 # used by those who source this
readonly CLANG_FORMAT=14 # the major version of Debian 12's

clang_format_version() {
    clang-format --version | sed -E 's/.*version ([0-9]+).*/\1/'
}

# Generated files are left as the generator writes them.
c_sources() {
    find extension/core extension/php extension/core-tests extension/larder_api.h apcu tests/Threads -name '*.[ch]' ! -path '*/build/*' ! -name '*_arginfo.h' | sort
}

shell_sources() {
    grep -lE '^#!.*\b(ba)?sh$' dev/* dev/*/* lab/*/* larder .ci/run 2>/dev/null
    ls dev/*.sh dev/*/*.sh 2>/dev/null
}
