/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The codec contract: the one thing a new format implements, and the table of those that this
 * program has: the built-in ones, or a module's. A codec knows nothing of flavors, files, caches or
 * buses. */
#pragma once

#include <glib.h>

#include "base/th-error.h"
#include "base/th-fit.h"
#include "base/th-limits.h"
#include "core/th-color-space.h"
#include "core/th-input.h"
#include "core/th-sink.h"

#define TH_CODEC_ABI 1
/* Flags for ThCodec.needs: which worker profile can run it. */
#define TH_NEEDS_NOTHING 0u
#define TH_NEEDS_FONTS   (1u << 0)
#define TH_NEEDS_THREADS (1u << 1) /* its library decodes in threads that it starts itself */

/* Bytes by which a format is recognised; the table ends with a row whose length is 0. A row whose
 * mask is not NULL compares (data & mask). */
typedef struct
{
  guint32 offset;
  guint32 length; /* at most 64 - offset */
  const char *bytes;
  const char *mask;
} ThMagic;

typedef struct
{
  ThSize
      size; /* of the main picture as stored, before orientation; from the header, within limits */
  guint orientation; /* EXIF 1 to 8 */
  gboolean has_alpha;
  gboolean scalable;     /* has no natural size: rendered at the size that is wanted */
  guint pages;           /* 1 where the format has none */
  guint frames;          /* 1 for a still; 0 where counting would mean reading the whole file */
  double duration;       /* seconds, 0 where unknown */
  const guint8 *icc;     /* owned by the session, or NULL; not validated */
  gsize icc_size;        /* bytes */
  ThColorSpace space;    /* said by numbers; an icc that can be used goes before it */
  const char *mime_type; /* static: what the data are, whatever the name says */
} ThHeader;

typedef struct
{
  gboolean from_preview; /* made of a picture that is embedded beside the main one; it shows the
                          * same and is no less than the largest target */
  guint frame;           /* 0 is the first */
  ThRaster raster;       /* exactly what decode will push */
  gboolean bottom_up;    /* the first row pushed is the lowest one of the picture */
  guint64 peak_bytes; /* most that the session will have allocated at any moment, whole-file buffers
                       * and the library's own tables included; generous, never too small */
} ThPlan;

/* What a codec keeps of one open picture: the first member of its own struct. */
typedef struct
{
  ThInput *input; /* borrowed */
} ThSession;

typedef struct
{
  guint32 abi;      /* TH_CODEC_ABI */
  const char *name; /* "png": name in the build's dictionary, test folder, fuzz target */
  const char *const *mime_types; /* NULL-terminated, aliases included, the canonical one first */
  const ThMagic *magic; /* NULL: no bytes tell it, all data are tried; for modules only, last */
  guint32 needs;
  /* Before the lock-down, once in a worker's life: what cannot be done after it, such as loading.
   * FALSE, with error: this worker cannot serve. NULL: nothing. */
  gboolean (*prepare) (GError **error);
  /* Reads the header only, no work or memory in proportion to the picture. OK (*session is set),
   * NOT_MINE, CORRUPT, TOO_LARGE, IO, NO_CONTENT; error is set on all but OK. */
  ThStatus (*open) (ThInput *input, const ThLimits *limits, ThSession **session, GError **error);
  /* Owned by the session. */
  const ThHeader *(*header) (const ThSession *session);
  /* Without reading, but for a preview embedded in the file, and never much: how to serve these
   * targets (stored orientation, at least one, largest first, none above the header's size unless
   * scalable). The raster must not be smaller than the largest target where the picture is not.
   * FALSE only where a count does not fit its type. */
  gboolean (*plan) (ThSession *session, const ThSize *targets, guint n_targets, ThPlan *plan);
  /* Pushes the planned raster's rows in order. OK: all were pushed; PARTIAL: fewer rows, or all but
   * some made up, because data were missing or dirty; STOPPED; CORRUPT: nothing worth showing; IO;
   * NO_MEMORY. error is set on CORRUPT, IO and NO_MEMORY. Called once a session. */
  ThStatus (*decode) (ThSession *session, const ThPlan *plan, ThSink *sink, GError **error);
  void (*close) (ThSession *session);
} ThCodec;

/* NULL-terminated; written by the build from the dictionary in src/core/meson.build. */
extern const ThCodec *const th_codecs[];

/* The codec whose magic matches the start of the data, or NULL. */
const ThCodec *th_codec_sniff (ThInput *input);
