#!/bin/sh
# Runs the compiler under ccache: `ccache.sh <source folder> <ccache> <compiler> <arguments>`.
#
# Worktrees of one machine share a cache: ccache hashes paths relative to the source tree.
# Precompiled headers need two settings: macros that only they define are not hashed, and their name
# stays in preprocessed text (-fpch-preprocess in compiler.cmake).
export CCACHE_BASEDIR="$1" CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
shift
# A precompiled header that is made again is removed first. Otherwise the preprocessor reads the old
# one, and ccache hashes that instead of the headers: it would find other checkouts' results only by
# chance, and after a change of a header the result of another change. CCACHE_DEPEND: by the headers'
# text, not by preprocessed text, which a change of a comment leaves as it is. The compiler compares
# the text of headers with that in the precompiled one, and includes a changed one again.
for argument; do
  case $argument in *.gch)
    rm -f "$argument"
    export CCACHE_DEPEND=1
  esac
done
exec "$@"
