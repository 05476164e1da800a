/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writing a PNG from raw pixels: a filter a row, deflate, a handful of chunks. Nothing but a
 * deflate library, so that whoever took over a decoder can put wrong pixels into a thumbnail but no
 * crafted bytes. */
#pragma once

#include <glib.h>

#include "base/th-image.h"

typedef struct
{
  const char *keyword; /* 1 to 79 printable ASCII bytes, no space at an end or next to another */
  const char *value;   /* written as uncompressed tEXt */
} ThPngTextEntry;

/* The encoded pixels, without signature and text: made once, written under several URIs. RGBA that
 * turns out opaque throughout becomes RGB. NULL only where memory is short. */
typedef struct _ThPngBody ThPngBody;
ThPngBody *th_png_encode (const ThImage *image);
void th_png_body_free (ThPngBody *body);

/* A whole file: signature, IHDR, the tEXt chunks in order and consecutively, IDAT, IEND. An entry
 * that may not stand in a file is left out whole, never changed: a bad keyword, a value that is
 * NULL, longer than 64 KiB or has a control character. Bytes from 0x80 on stand as they are. */
GBytes *th_png_assemble (const ThPngBody *body, const ThPngTextEntry *entries, guint n_entries);

/* The tEXt chunks alone, by the same rules. */
void th_png_append_text (GByteArray *out, const ThPngTextEntry *entries, guint n_entries);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThPngBody, th_png_body_free)
