/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pictures that a module's test makes for itself, and what is to become of each. */
#pragma once

#include "codecs/picture.h"
#include "core/th-codec.h"

typedef struct
{
  char *name;
  GByteArray *data;
  ThStatus expected;
  Picture *drawn;      /* what it shows, stored orientation; NULL where that is not compared */
  guint tolerance;     /* largest difference of a sample */
  guint mean;          /* largest mean difference, where it is not 0; then tolerance is not asked */
  guint orientation;   /* that the header must tell; 0: not asked */
  guint preview_width; /* of what a small thumbnail must be made of; 0: not asked */
  /* What else it must tell; NULL: nothing. */
  void (*check_header) (const ThHeader *header);
  guint32 plain; /* RGBA, of every pixel of all thumbnails; 0: not asked */
} Made;

/* name and drawn become the picture's own. */
Made *made_new (char *name, ThStatus expected, Picture *drawn, guint tolerance);

/* Each module's test has its own: all its pictures (of Made, which it frees) and bombs. */
GPtrArray *made_pictures (void);

/* The picture that most of them show: soft colours, an edge, and a soft rim of transparency where
 * there is alpha, which lies over colours that are there too. */
void made_draw (ThSize size, guint32 x, guint32 y, gboolean alpha, guint8 *rgba);
Picture *made_drawing (ThSize size, gboolean grey, gboolean alpha);
