/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A text within an input, read from its front, character by character. Knows nothing of what it
 * says. */
#pragma once

#include "core/th-input.h"

typedef struct
{
  ThInput *input;
  guint64 end;    /* of the text */
  guint64 offset; /* of the view */
  ThBytes view;
  gsize at; /* of the next character within the view */
} ThText;

/* The next character, or -1 at the end. */
int th_text_look (ThText *text);
/* The same, and goes beyond it. */
int th_text_take (ThText *text);
/* As C has it. */
gboolean th_text_is_space (int c);
