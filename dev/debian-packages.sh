# shellcheck shell=bash
# To be sourced: unpacks packages of Debian. Nothing is installed, and the machine's own lists of packages stay as they are.

# Unpacks packages of the Debian $RELEASE, or else Debian 13, and their files into FOLDER/root. A name may have wildcards.
unpack_packages() { # folder, package…
    local folder="$1" mirror apt package
    shift
    rm -rf "$folder"
    mkdir -p "$folder/apt/lists/partial" "$folder/apt/cache/archives/partial" "$folder/apt/debs"
    mirror="$({ cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null || true; } |
        sed -nE 's#^(deb |URIs: *)(https?://[^ ]*/debian)/?( .*)?$#\2#p' | sed -n 1p)"
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ${mirror:?apt has no mirror of Debian} ${RELEASE:-trixie} main" >"$folder/apt/sources.list"
    : >"$folder/apt/status"
    apt=(-qq -o APT::Sandbox::User=root -o Dir::Etc::SourceList="$folder/apt/sources.list" -o Dir::Etc::SourceParts=-
        -o Dir::State::Lists="$folder/apt/lists" -o Dir::State::Status="$folder/apt/status" -o Dir::Cache="$folder/apt/cache")
    apt-get "${apt[@]}" update
    (cd "$folder/apt/debs" && apt-get "${apt[@]}" download "$@")
    for package in "$folder"/apt/debs/*.deb; do
        dpkg-deb -x "$package" "$folder/root"
    done
    rm -rf "$folder/apt"
}
