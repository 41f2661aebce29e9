"""Names that shells brings along."""

from __future__ import annotations

from sightline.languages.library import words

BUILTINS = words(
    """
    alias awk basename bg bind break builtin case cat cd chmod chown command continue cp curl cut date declare diff
    dirname dirs disown do done echo elif else env esac eval exec exit expand export expr false fc fg fi file find
    fold
    for function getopts git grep gunzip gzip hash head help history hostname id if in install jobs join kill let ln
    local ls make mapfile mkdir mktemp mv nl nproc od paste perl popd printf ps pushd pwd python python3 read
    readarray
    readlink readonly realpath return rm rmdir sed select seq set sh shift shopt skip sleep sort source split sudo
    tail
    tar tee test then time times touch tr trap true tty type typeset ulimit umask unalias uname uniq unset until wait
    wc wget which while xargs yes zip
    """
)
