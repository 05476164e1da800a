/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* WebP pictures that libwebp's encoder makes at run time, and containers put around them. */
#pragma once

#include <glib.h>

typedef struct
{
  char *name;
  gboolean strange; /* the reference may refuse it */
  gboolean cut;     /* only a part of it is there */
  GByteArray *data;
} MadePicture;

/* Array of MadePicture; the caller unrefs. */
GPtrArray *made_webp_new (void);
