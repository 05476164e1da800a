/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a Photoshop file says before its merged picture, and where that and the small JPEG lie.
 * Knows no pixels. */
#pragma once

#include "base/th-error.h"
#include "base/th-fit.h"
#include "core/th-input.h"

typedef enum
{
  TH_PSD_BITMAP = 0,
  TH_PSD_GREY = 1,
  TH_PSD_INDEXED = 2,
  TH_PSD_RGB = 3,
  TH_PSD_CMYK = 4,
  TH_PSD_INKS = 7, /* multichannel */
  TH_PSD_DUOTONE = 8,
  TH_PSD_LAB = 9,
} ThPsdMode;

#define TH_PSD_RAW  0u
#define TH_PSD_RUNS 1u

/* Of an indexed picture: red, green, blue, a plane each. */
#define TH_PSD_COLORS      256u
#define TH_PSD_COLOR_BYTES (3u * TH_PSD_COLORS)

typedef struct
{
  guint64 offset;
  guint64 size; /* bytes; 0 where there is none */
} ThPsdRange;

typedef struct
{
  gboolean large; /* PSB: the longer numbers */
  guint channels; /* that are stored */
  ThSize size;
  guint depth; /* bits a sample: 1, 8, 16, or 32 for floats */
  ThPsdMode mode;
  guint8 colors[TH_PSD_COLOR_BYTES]; /* of an indexed picture */
  int transparent;                   /* the index that shows nothing, or -1 */
  ThPsdRange icc;
  ThPsdRange jpeg;              /* the small picture */
  gboolean swapped;             /* its red and blue are exchanged */
  gboolean merged;              /* the file says nothing else than that there is a merged picture */
  gboolean transparent_channel; /* the first channel beyond the colours is the merged picture's */
  guint compression;            /* TH_PSD_RAW, TH_PSD_RUNS, or something unknown */
  guint64 pixels;               /* offset; the end of the file where it ends before that */
} ThPsdHead;

/* OK; CORRUPT, IO with what set. What is broken behind the first sections is taken for missing. */
ThStatus th_psd_head_read (ThPsdHead *head, ThInput *input, const char **what);
/* Channels that are colours. */
guint th_psd_head_colors (const ThPsdHead *head);
