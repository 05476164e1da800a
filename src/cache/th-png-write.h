/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writing a PNG from raw pixels: Sub filter, deflate, a handful of chunks. Nothing but a deflate
 * library, so that whoever took over a decoder can put wrong pixels into a thumbnail but no crafted
 * bytes. */
#pragma once

#include <glib.h>

#include "base/th-image.h"

typedef struct
{
  const char *keyword; /* 1 to 79 printable Latin-1 bytes */
  const char *value;   /* no NUL; written as uncompressed tEXt */
} ThPngTextEntry;

/* The encoded pixels, without signature and text: made once, written under several URIs. RGBA that
 * turns out opaque throughout becomes RGB. NULL only where memory is short. */
typedef struct _ThPngBody ThPngBody;
ThPngBody *th_png_encode (const ThImage *image);
void th_png_body_free (ThPngBody *body);

/* A whole file: signature, IHDR, the tEXt chunks in order and consecutively, IDAT, IEND. */
GBytes *th_png_assemble (const ThPngBody *body, const ThPngTextEntry *entries, guint n_entries);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThPngBody, th_png_body_free)
