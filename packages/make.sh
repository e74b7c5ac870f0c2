#!/bin/sh
# Makes the packages of Dyno in dist/: wheel and sdist, dyno_VERSION_amd64.deb, dyno-VERSION-x86_64.run.
#
#   sh packages/make.sh [wheel] [deb] [run]     without words: all
#
# The .deb and the .run have all Python libraries in them, and use the Python of the system: 3.11, 3.12 or 3.13. What is
# the same for all of them is there once. Needs .venv (sh install.sh lint) and dpkg-deb; no root.
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

collect() {  # FOLDER: the libraries of each Python, then what they share
    mkdir -p "$1"
    for each in $PYTHONS; do
        into=$1/cp$(echo "$each" | tr -d .)
        # shellcheck disable=SC2086
        $python -m pip install -q --disable-pip-version-check --no-compile --target "$into" --python-version "$each" \
            --implementation cp $PLATFORMS --only-binary=:all: "$work"/wheel/*.whl
        rm -rf "${into:?}/bin"
        for part in $UNUSED; do rm -rf "${into:?}/PySide6/$part"; done
        find "$into" -name '*.pyi' -delete
    done
    $python packages/share.py "$1"
    cp packages/dyno.sh "$1/dyno"
    chmod 755 "$1/dyno"
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
    sed "s/@VERSION@/$version/; s/@SIZE@/$(du -sk "$root" | cut -f 1)/" packages/control >"$root/DEBIAN/control"
    cp packages/postinst packages/prerm "$root/DEBIAN/"
    chmod -R u=rwX,go=rX "$root"
    chmod 755 "$root/DEBIAN/postinst" "$root/DEBIAN/prerm"
    find "$root" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
    dpkg-deb --root-owner-group -Zxz -z3 --build "$root" "dist/dyno_${version}_amd64.deb" >/dev/null
}

make_run() {
    say "dyno-$version-x86_64.run"
    cp resources/dyno.desktop resources/icons/dyno.svg "$work/dyno/"
    chmod -R u=rwX,go=rX "$work/dyno"
    tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -cf - dyno |
        xz -3 -T1 >"$work/dyno.tar.xz"
    sum=$(sha256sum "$work/dyno.tar.xz" | cut -c 1-12)
    sed "s/@VERSION@/$version/; s/@SUM@/$sum/" packages/run-head.sh >"$work/head"
    cat "$work/head" "$work/dyno.tar.xz" >"dist/dyno-$version-x86_64.run"
    chmod 755 "dist/dyno-$version-x86_64.run"
}

mkdir -p dist
make_wheel
[ $# -gt 0 ] || set -- wheel deb run
for word in "$@"; do
    case $word in
        wheel) cp "$work"/wheel/* dist/ ;;
        deb | run)
            [ -d "$work/dyno" ] || collect "$work/dyno"
            "make_$word"
            ;;
        *) sed -n '2,7s/^# \{0,1\}//p' "$0"; exit 2 ;;
    esac
done
ls -lh dist
