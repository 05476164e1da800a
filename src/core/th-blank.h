/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which frame stands for an animation. Many begin with black, white or nothing: of the first
 * TH_BLANK_FRAMES that one is shown which is the first to show a picture; where none does, the
 * first of another colour than black and white; else the first. Knows no formats. */
#pragma once

#include <glib.h>

#define TH_BLANK_FRAMES 8u

typedef enum
{
  TH_BLANK_NOTHING, /* black, white or transparent */
  TH_BLANK_PLAIN,   /* all of another colour */
  TH_BLANK_PICTURE, /* pixels differ */
} ThBlankRank;

/* What was seen of a frame so far; starts with zeros. */
typedef struct
{
  gboolean any;
  gboolean differs;
  guint8 first[4]; /* pixel, RGBA */
} ThBlank;

/* Pixels of a canvas on which frames are drawn over each other; an animation beyond is shown by its
 * first frame. */
#define TH_BLANK_CANVAS_PIXELS (16u * 1024u * 1024u)

/* n pixels of four bytes, straight RGBA. What is transparent is all the same; differences that are
 * hardly seen are none. */
void th_blank_look (ThBlank *blank, const guint8 *rgba, gsize n);
/* The same of three bytes, RGB. */
void th_blank_look_rgb (ThBlank *blank, const guint8 *rgb, gsize n);
/* A transparent pixel. */
void th_blank_look_nothing (ThBlank *blank);
ThBlankRank th_blank_rank (const ThBlank *blank);
