/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* JPEG files as cameras write them, with previews, and as they should not be. */
#pragma once

#include "jpeg-maker.h"

#define CAMERA_PICTURES 4

/* A scene that can be taken at any size. */
typedef struct
{
  guint number;                      /* others are other pictures */
  double left, top;                  /* the part that is taken, of the whole; */
  double right, bottom;              /* all 0: all of it. Left beyond right: mirrored. */
  double bars;                       /* share of each side that is a black bar */
  double sky;                        /* share of the height that is plain */
  double censored_from, censored_to; /* share of the height that is painted over */
  int tint;                          /* added to the last channel */
  gboolean inverted;
  double grain; /* of fine texture, in levels */
} Scene;

typedef struct
{
  guint width;
  guint height;
  Scene scene;
  gboolean progressive;
  J_COLOR_SPACE stored; /* 0: YCbCr */
} Shot;

typedef struct
{
  guint32 type;     /* of the multi-picture format */
  GByteArray *jpeg; /* NULL where there is none */
  gboolean lies;    /* use these: */
  guint32 offset;
  guint32 length;
} CameraPicture;

typedef struct
{
  Shot shot;
  guint orientation;         /* 0: none */
  GByteArray *preview;       /* IFD1's, NULL: none */
  guint preview_orientation; /* 0: none */
  gboolean preview_lies;     /* use these: */
  guint32 preview_offset;
  guint32 preview_length;
  guint32 said_width; /* EXIF's size of the picture, 0: none */
  guint32 said_height;
  const char *taken; /* 19 characters, NULL: none */
  const char *changed;
  gboolean loop; /* IFD1 is IFD0, the other directories too */
  gboolean jfif;
  guint8 marker_before; /* an APP segment before EXIF, 0: none */
  guint8 marker_after;  /* one behind it */
  CameraPicture pictures[CAMERA_PICTURES];
} CameraRecipe;

/* What preview->scene shows; caller frees. */
GByteArray *camera_shoot (const Shot *shot);
/* The whole file; caller frees. */
GByteArray *camera_make (const CameraRecipe *recipe);
