#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# fill-thumbnailer.sh TEMPLATE MANIFEST PROGRAM [OPTION]: the entry with the program, its option and
# the manifest's MIME types, sorted, each once.
set -eu
types=$(sed -n 's/^MimeTypes=//p' "$2" | tr ';' '\n' | grep . | LC_ALL=C sort -u | tr '\n' ';')
sed "s|@mime_types@|$types|; s|@program@|$3|; s|@option@|${4:+ $4}|" "$1"
