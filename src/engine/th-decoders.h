/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which of our decoders a file is tried with, and in which order: lists of names, NULL-terminated.
 * A module goes by its name, the built-in decoders by "". They look at the data and say whether it
 * is theirs; the type only says whom to ask. */
#pragma once

#include "engine/th-mime.h"

/* Only the built-in ones. */
extern const char *const th_decoders_builtin[];

/* The modules of these types (NULL-terminated), then the built-in ones. Caller unrefs. */
GPtrArray *th_decoders_first (ThMime *mime, const char *const *types);
/* The modules of n further types, some of which may be NULL, that are not among those of the first
 * types. NULL: none. Caller unrefs. */
GPtrArray *th_decoders_further (ThMime *mime, const char *const *types, guint n,
                                const char *const *first);
/* As an array. */
const char *const *th_decoders (const GPtrArray *decoders);
