/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rows of a PNG by libpng, the reader of record: same contract as png-rows. */
#pragma once

#include "core/codecs/png-head.h"

typedef struct _ThPngLibrary ThPngLibrary;

ThPngLibrary *th_png_library_new (const ThPngHead *head, ThInput *input);
void th_png_library_free (ThPngLibrary *library);
guint64 th_png_library_bytes (const ThPngHead *head);
const guint8 *th_png_library_next (ThPngLibrary *library);
ThStatus th_png_library_failure (const ThPngLibrary *library, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThPngLibrary, th_png_library_free)
