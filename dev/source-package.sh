# shellcheck shell=bash
# To be sourced: fetches the source of PHP and of its extensions, from this machine's Debian or Ubuntu.

# This machine's sources of Debian or Ubuntu, as sources of source packages; those of another release, if one is named.
source_lists() { # folder, release
    local own
    own="$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)" # not sourced: it has names of its own
    { cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null || true; } |
        sed -nE 's#^deb (.*/(debian|debian-security|ubuntu)/? .*)#deb-src \1#p' >"$1/lines.list"
    { sed -s '$a\\' /etc/apt/sources.list.d/*.sources 2>/dev/null || true; } | # a paragraph ends with its file
        awk 'BEGIN { RS = ""; ORS = "\n\n" } /\nURIs:[^\n]*\/(debian|debian-security|ubuntu)\/?( |\n|$)/' |
        sed 's/^Types:.*/Types: deb-src/' >"$1/paragraphs.sources"
    [ -z "${2-}" ] || [ -z "$own" ] || sed -i -E "/^(deb-src|Suites:)/ s/\\b$own\\b/$2/g" "$1"/*
}

# Where a mirror does not have the sources that its lists name: a version that it has, with address and SHA-256.
readonly KEPT='
php8.4 pool/main/p/php8.4/php8.4_8.4.24.orig.tar.xz e127be09a8506f4327c5cfa78a614b00d210714484ec215ce0011b4a03c00731
'

fetch_kept() { # source package, folder, log
    local name path sum mirror
    mirror="$(sed -nE 's#^(deb-src |URIs: *)(https?://[^ ]*/debian)/?( .*)?$#\2#p' "$2"/sources/* | sed -n 1p)"
    while read -r name path sum; do
        [ "$name" = "$1" ] && [ -n "$mirror" ] || continue
        source_version="$(basename "$path" .orig.tar.xz)"
        source_version="${source_version#*_}"
        /usr/lib/apt/apt-helper download-file "$mirror/$path" "$2/package/${path##*/}" "SHA256:$sum" >"$3" 2>&1 && return
    done <<<"$KEPT"
    return 1
}

# Downloads a source package, such as php8.2, into FOLDER/package: that of an installed package; where it is gone from
# the archive, the newest that is there. A release of Debian, such as trixie, is named for a package that this machine's
# does not have. Sets source_version to the package's version, as 8.2.30. On failure sets source_failure to the reason.
# The machine's own lists of packages stay as they are.
fetch_source() { # source package, installed package, folder, release
    local apt="$3" log="$3/apt.log" options version
    if ! command -v apt-get >/dev/null; then
        source_failure="the source of $1 is a Debian package, and there is no apt-get"
        return 1
    fi
    mkdir -p "$apt"/{lists/partial,cache/archives/partial,sources,package}
    source_lists "$apt/sources" "${4-}"
    : >"$apt/status"
    options=(-qq -o APT::Sandbox::User=root -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$apt/sources"
        -o Dir::State::Lists="$apt/lists" -o Dir::State::Status="$apt/status" -o Dir::Cache="$apt/cache")
    echo "Fetching the source package $1"
    if ! apt-get "${options[@]}" update >"$log" 2>&1; then
        source_failure="apt has no lists of source packages: $(tail -n 1 "$log")"
        return 1
    fi
    # shellcheck disable=SC2016 # dpkg's variable
    while read -r version; do
        if (cd "$apt/package" && apt-get "${options[@]}" source --download-only --only-source "$1=$version") >"$log" 2>&1; then
            # shellcheck disable=SC2034 # for those who source this
            source_version="${version%%-*}"
            return 0
        fi
    done < <(
        dpkg-query -W -f '${source:Version}\n' "$2" 2>/dev/null
        apt-cache "${options[@]}" showsrc "$1" 2>/dev/null | sed -n 's/^Version: //p' | sort -rV
    )
    ! fetch_kept "$1" "$apt" "$log.kept" || return 0
    # shellcheck disable=SC2034 # for those who source this
    source_failure="apt cannot fetch the source package $1: $(tail -n 1 "$log")"
    return 1
}
