/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which modules are installed: workers besides the one of the built-in codecs, each known by its
 * manifest. Reads none of them. */
#pragma once

#include <glib.h>

#define TH_MODULES_ENDING ".manifest"

/* A name becomes part of paths: lower-case letters, digits and "-". */
gboolean th_modules_is_name (const char *text);
/* Of all modules that have a manifest in this folder, sorted; none where it cannot be read. Caller
 * unrefs. */
GPtrArray *th_modules_list (const char *folder);
